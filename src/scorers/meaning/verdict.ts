import type { Evidence, VerdictEvidence } from '../bm25/evidence.ts';
import type { ConfidenceModels } from '../confidence.ts';

/** Evidence for one shown match. Cosines of the table are left out: a near miss has a high one too. */
export type FusedEvidence = Pick<Evidence, 'strength' | 'contrast' | 'wholeness'> & {
  /** The score of the match less that of the best one shown. */
  readonly behind: number;
  /** The lead of the best match over the second; for a single match its coverage times `MAX_LEAD`; 0 for all others. */
  readonly lead: number;
};

/** Evidence that any result fits, beside the separate confidences. */
export type FusedVerdict = VerdictEvidence & {
  /** The share of the query that is left without the weightiest word whose meaning all of the best matches lack. */
  readonly meant: number;
};

/** Leads are capped here: a greater lead is no further evidence. */
export const MAX_LEAD = 3;
/**
 * Logistic regressions, fitted as those of `bm25Scorer`: `npm run bench:retrieval -- --scorers "words and meaning"
 * --fit`.
 */
export const FUSED_MODELS: ConfidenceModels<FusedEvidence, FusedVerdict> = {
  apart: { weights: { strength: 0.85, contrast: 1.61, wholeness: 1.37, behind: 0.65, lead: 0.78 }, intercept: -4.7 },
  together: {
    weights: { apart: 1.18, breadth: 0.65, kept: 1.84, deed: 0.22, app: 1.71, meant: 2.77 },
    intercept: -6.09,
  },
};
