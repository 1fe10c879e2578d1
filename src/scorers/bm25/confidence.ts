/** Evidence for a match when it is shown. */
export interface Evidence {
  /** The share of the query that the tool covers, words that no tool has included, from 0 to 1. */
  readonly coverage: number;
  /** The share of the words of its name that the query has, from 0 to 1. */
  readonly nameCoverage: number;
  /** The score of the match, as a share of the best one shown. */
  readonly ratio: number;
  /** The lead of the best match over the second, from 0 to 1; 0 for all others. */
  readonly lead: number;
  /** Count of the query's words. */
  readonly words: number;
}

/**
 * A logistic regression over the first five results of the labelled sets, each set weighing the same, and, with a tenth
 * of the weight, over queries put to the catalogs of other sets, where nothing fits; scaled to the labelled sets. Its
 * reliability: `npm run bench:retrieval -- --reliability`.
 */
const WEIGHTS: Evidence = { coverage: 3.04, nameCoverage: 2.2, ratio: 2.85, lead: 2.99, words: 1.4 };
const INTERCEPT = -8.84;
/** Words that count: longer queries tell no more. */
const MAX_WORDS = 12;

/** Rates how likely the match is what was asked for, from 0 to 1. */
export function confidenceOf({ coverage, nameCoverage, ratio, lead, words }: Evidence): number {
  const logOdds =
    INTERCEPT +
    WEIGHTS.coverage * coverage +
    WEIGHTS.nameCoverage * nameCoverage +
    WEIGHTS.ratio * ratio +
    WEIGHTS.lead * lead +
    WEIGHTS.words * Math.log(1 + Math.min(words, MAX_WORDS));
  return 1 / (1 + Math.exp(-logOdds));
}
