/** Evidence for a match when it is shown. */
export interface Evidence {
  /** The score, less where the catalog does not know a word of the query, on a logarithmic scale. */
  readonly strength: number;
  /** The score of the match, as a share of the best one shown. */
  readonly ratio: number;
  /** The lead of the best match over the second, from 0 to 1; 0 for all others. */
  readonly lead: number;
  /** The lead of the best match over the noise: what ranks far behind, from 0 to 1. */
  readonly contrast: number;
  /** The query without the most distinctive word that the best match lacks, as a share of all of it. */
  readonly wholeness: number;
}

/**
 * A logistic regression over the first five results of the labelled sets, each set weighing the same, and, with a tenth
 * of the weight, over queries that nothing fits: `npm run bench:retrieval -- --fit`. It never rises down a ranking, as
 * no weight is below 0.
 */
const WEIGHTS: Evidence = { strength: 1.31, ratio: 3.02, lead: 2.61, contrast: 2.36, wholeness: 0.82 };
const INTERCEPT = -8.74;

/** Rates how likely the match is what was asked for, from 0 to 1. */
export function confidenceOf({ strength, ratio, lead, contrast, wholeness }: Evidence): number {
  const logOdds =
    INTERCEPT +
    WEIGHTS.strength * strength +
    WEIGHTS.ratio * ratio +
    WEIGHTS.lead * lead +
    WEIGHTS.contrast * contrast +
    WEIGHTS.wholeness * wholeness;
  return 1 / (1 + Math.exp(-logOdds));
}
