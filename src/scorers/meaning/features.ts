/** What a feature speaks of: the words of the query, their meaning, or the tool itself. */
export type FeatureKind = 'words' | 'meaning' | 'tool';

export type FeatureName =
  | 'words'
  | 'wordRank'
  | 'coverage'
  | 'meaning'
  | 'askedWords'
  | 'summary'
  | 'name'
  | 'server'
  | 'action'
  | 'brevity';

interface FeatureWeight {
  readonly of: FeatureKind;
  readonly weight: number;
}

/**
 * The features of a tool for a query, none below 0, and the weight of each. A score is the sum of weight times feature.
 * The difference of two scores is the logarithm of how much likelier the one tool is than the other.
 *
 * The weights are a conditional logit over 24 labelled sets, each set weighing the same. training/fusion-weights.json
 * has weights that were fitted with the present table on seven of the sets; measured on families that were left out,
 * they do no better.
 */
export const FEATURES: Readonly<Record<FeatureName, FeatureWeight>> = {
  /** The logarithm of 1 plus the score of `bm25Scorer()`. */
  words: { of: 'words', weight: 0.8948 },
  /** The reciprocal rank by words; copies share a rank. */
  wordRank: { of: 'words', weight: 0.7417 },
  /** The share of the query that the tool covers. */
  coverage: { of: 'words', weight: 1.7236 },
  /** The cosine of query and tool, scaled from 0 for an unrelated tool to 1 for the closest. */
  meaning: { of: 'meaning', weight: 1.0976 },
  /** The cosine of each query word with the closest word of the tool, as a mean in which rare words weigh more. */
  askedWords: { of: 'meaning', weight: 5.1372 },
  /** The cosine of each word of the first sentence with the closest query word, as a mean. */
  summary: { of: 'meaning', weight: 1.8442 },
  /** As `summary`, for the words of the title, and of the name without its server. */
  name: { of: 'meaning', weight: 1.3374 },
  /** The cosine of the query with the mean vector of the server's tools. */
  server: { of: 'meaning', weight: 0.9871 },
  /** 1 if the verb of the tool is of the kind that the query asks for. A question asks for a verb that reads. */
  action: { of: 'tool', weight: 0.3567 },
  /** How much shorter the description is than the longest: long descriptions resemble any query. */
  brevity: { of: 'tool', weight: 0.4341 },
};

export const FEATURE_NAMES: readonly FeatureName[] = Object.keys(FEATURES) as FeatureName[];
