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
 * The features of a tool for a query, none of them below 0, and what each weighs. The score is the sum of weight times
 * feature: the differences of two scores are a logarithm of how much likelier the one tool is than the other.
 *
 * A conditional logit over 24 labelled sets, each weighing the same. training/fusion-weights.json has weights that were fitted to
 * the present table on seven of them; with families left out they do no better.
 */
export const FEATURES: Readonly<Record<FeatureName, FeatureWeight>> = {
  /** The score of `bm25Scorer()`, as its logarithm. */
  words: { of: 'words', weight: 0.8948 },
  /** The reciprocal rank by words; copies share a rank. */
  wordRank: { of: 'words', weight: 0.7417 },
  /** The share of the query that the tool covers. */
  coverage: { of: 'words', weight: 1.7236 },
  /** The cosine of query and tool, as a share of the way from what is unrelated to the closest tool. */
  meaning: { of: 'meaning', weight: 1.0976 },
  /** How close the closest word of the tool comes to each word of the query, rare words weighing more. */
  askedWords: { of: 'meaning', weight: 5.1372 },
  /** How close the closest word of the query comes to each word of the first sentence. */
  summary: { of: 'meaning', weight: 1.8442 },
  /** How close the closest word of the query comes to each word of the name without its server, and of the title. */
  name: { of: 'meaning', weight: 1.3374 },
  /** The cosine of query and server: the mean of its tools. */
  server: { of: 'meaning', weight: 0.9871 },
  /** 1 where the verb of the tool is of the kind that the query asks for. A question asks for something to be read. */
  action: { of: 'tool', weight: 0.3567 },
  /** How much shorter the description is than the longest: long descriptions resemble any query. */
  brevity: { of: 'tool', weight: 0.4341 },
};

export const FEATURE_NAMES: readonly FeatureName[] = Object.keys(FEATURES) as FeatureName[];
