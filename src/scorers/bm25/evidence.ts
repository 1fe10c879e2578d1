import type { ConfidenceModels } from '../confidence.ts';

/** Evidence for one shown match. */
export type Evidence = {
  /** The score, lower where the catalog lacks words of the query, on a logarithmic scale. */
  readonly strength: number;
  /** The score of the match, as a share of the best one shown. */
  readonly ratio: number;
  /** The lead of the best match over the second, from 0 to 1; the coverage of a single match; 0 for all others. */
  readonly lead: number;
  /** The lead of the best match over noise, the score far down the ranking; from 0 to 1. */
  readonly contrast: number;
  /** The share of the query that is left without the most distinctive word that the best match lacks. */
  readonly wholeness: number;
};

/** Evidence that any result fits, beside the separate confidences. */
export type VerdictEvidence = {
  /**
   * 0 if the query has several telling words and the best match has at most one of them, which may occur anywhere. Else
   * 1.
   */
  readonly breadth: number;
  /** The share of the query that is left without the most distinctive word that all of the best matches lack. */
  readonly kept: number;
  /**
   * The verb of the best match against the asked action: 1 for the same kind, `NO_VERB` without a verb, -1 for another
   * kind; 0 if no action is asked for.
   */
  readonly deed: number;
  /** 0 if the query names an app that no tool mentions. Else 1. */
  readonly app: number;
};

/**
 * Logistic regressions, fitted by `npm run bench:retrieval -- --fit`. `apart`: over the first five results of the labelled
 * sets, each set weighing the same, and, with a tenth of the weight, over queries that nothing fits. No weight is below 0,
 * so that a lower score never raises the confidence. `together`: over the first five results together; queries that
 * nothing fits weigh as much as the labelled ones.
 */
export const BM25_MODELS: ConfidenceModels<Evidence, VerdictEvidence> = {
  apart: { weights: { strength: 1.22, ratio: 2.99, lead: 2.67, contrast: 2.06, wholeness: 1.66 }, intercept: -9.15 },
  together: { weights: { apart: 1.19, breadth: 0.6, kept: 1.3, deed: 0.27, app: 2.08 }, intercept: -3.48 },
};
