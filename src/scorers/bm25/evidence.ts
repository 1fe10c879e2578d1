import { judgedTogether, type LikelihoodModel, likelihoodBy, type Together } from '../confidence.ts';

/** The confidence of a tool that was asked for by its name. */
export const NAMED_CONFIDENCE = 0.99;

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

export interface RatedEvidence {
  /** Undefined for a tool that the query names unmistakably. */
  readonly each: readonly (Evidence | undefined)[];
  /** Undefined if the query names the best match, or nothing matches. */
  readonly together?: VerdictEvidence;
  /**
   * For each, the only telling query word that it has; undefined if it has several, or the query has fewer than two.
   */
  readonly onlyWords: readonly (string | undefined)[];
}

/**
 * A logistic regression over the first five results of the labelled sets, each set weighing the same, and, with a tenth
 * of the weight, over queries that nothing fits. Fitted by `npm run bench:retrieval -- --fit`. No weight is below 0, so
 * that a lower score never raises the confidence.
 */
const APART: LikelihoodModel<Evidence> = {
  weights: { strength: 1.22, ratio: 2.99, lead: 2.67, contrast: 2.06, wholeness: 1.66 },
  intercept: -9.15,
};

/**
 * Fitted as `APART`, over the first five results together. Queries that nothing fits weigh as much as the labelled
 * ones.
 */
const TOGETHER: LikelihoodModel<Together<VerdictEvidence>> = {
  weights: { apart: 1.19, breadth: 0.6, kept: 1.3, deed: 0.27, app: 2.08 },
  intercept: -3.48,
};

/** The confidences of the results, best first. */
export function confidencesBy({ each, together, onlyWords }: RatedEvidence): readonly number[] {
  let least = NAMED_CONFIDENCE;
  const apart = each.map((evidence) => {
    if (evidence) least = Math.min(least, likelihoodBy(evidence, APART));
    return least;
  });
  return together ? judgedTogether(apart, together, TOGETHER, onlyWords) : apart;
}
