/** The searched parts of a tool, from the most distinctive to the least. */
export const FIELDS = [
  'name',
  'keywords',
  'title',
  'summary',
  'description',
  'parameters',
  'parameterDescriptions',
  'server',
] as const;

/**
 * A part of a tool that `bm25Scorer` searches.
 *
 * @example
 * ```ts
 * const off: readonly Field[] = ['parameters', 'parameterDescriptions'];
 * bm25Scorer({ boosts: Object.fromEntries(off.map((field) => [field, 0])) });
 * ```
 */
export type Field = (typeof FIELDS)[number];

/** A field's boost, and its length normalization (BM25's b) from 0 (none) to 1. */
export interface FieldWeight {
  readonly boost: number;
  readonly lengthNorm: number;
}

export type FieldWeights = Readonly<Record<Field, FieldWeight>>;

/** All tunable settings, cross-validated on halves of the labelled sets; see the retrieval bench. */
export const DEFAULT_SETTINGS = {
  fields: {
    name: { boost: 3, lengthNorm: 0.5 },
    // Few tools have these two fields, so the average length is near 0, and any text would count as long.
    keywords: { boost: 2, lengthNorm: 0 },
    title: { boost: 1, lengthNorm: 0 },
    summary: { boost: 1, lengthNorm: 0.5 },
    description: { boost: 0.7, lengthNorm: 0.7 },
    parameters: { boost: 0.4, lengthNorm: 0.7 },
    parameterDescriptions: { boost: 0.2, lengthNorm: 0.65 },
    server: { boost: 2, lengthNorm: 0 },
  } as FieldWeights,
  /** BM25's k1: the higher it is, the more a further occurrence of a word adds. */
  saturation: 2.1,
  /** Weight of another form of the word (issue, issues), against 1 for the word itself. */
  otherForm: 0.625,
  /** Weight of a compound: two words of the query written as one, or one as two. */
  compound: 0.3,
  /** Weight of a prefix or typo match, for a query word that the catalog lacks. */
  guess: 0.3,
  /** Factor of the weight of a phrase's synonym, which counts for each word of the phrase. */
  phrase: 0.7,
  /** Weight of words such as "need" and "want" in a query of more than two words. */
  filler: 0.45,
  /** Exponent of the share of the query that a tool covers: 0 ignores it. */
  coverage: 0.7,
  /** Bonus for naming the tool, by the share of the name's words that the query has. */
  nameCoverage: 0.5,
  /**
   * Part of the score that a tool gains if the first verb of its name is of the asked kind, and loses if it is of
   * another.
   */
  action: 0.1,
  /** The share of its score that a deleting tool loses where the query does not ask to delete. */
  unaskedDelete: 0.5,
  /** For a question: factor of a tool whose name has a reading verb. */
  questionReads: 1.15,
  /** For a question: factor of a tool whose name has a verb of another kind. */
  questionChanges: 0.6,
  /** The factor of the tools of a server that the query names. */
  namedServer: 1.25,
  /** Weight of a word that only the text about the tool's server or group has. */
  instructions: 0.3,
};

export type Bm25Settings = Readonly<typeof DEFAULT_SETTINGS>;

/**
 * Figures of a whole catalog, for an index that holds only a few of its documents. With them, that index weighs its
 * documents as an index of the whole catalog would.
 *
 * @example
 * ```ts
 * const statistics: CatalogStatistics = {
 *   documents: 1_000_000,
 *   averageLengths: { name: 3, summary: 9, description: 40, parameters: 5 },
 *   stems: new Map([['weather', 1_250], ['citi', 20_300]]),
 * };
 * ```
 */
export interface CatalogStatistics {
  /** Count of all documents. */
  readonly documents: number;
  /** The count of distinct words of each field, averaged over all documents. A field that is left out counts as 0. */
  readonly averageLengths: Readonly<Partial<Record<Field, number>>>;
  /**
   * Counts of the documents that have a stem, in any form and field. A stem that is left out counts as 0. A key of
   * several stems, joined by spaces, counts the documents that have them all; if it is left out, the candidates tell
   * whether any has.
   */
  readonly stems: ReadonlyMap<string, number>;
  /** Counts of the documents that have exactly this word. Without this map, the counts of its stem are used. */
  readonly words?: ReadonlyMap<string, number>;
  /** Counts of the documents whose server or group has a stem in the text about it. */
  readonly instructions?: ReadonlyMap<string, number>;
  /**
   * The servers that a query may name, as lower-case letters and digits: a tool's `server`, or the first word of names.
   * Without this set, a query may name the `server` of any candidate.
   */
  readonly servers?: ReadonlySet<string>;
  /** What a word may mean that no document has. */
  readonly guesses?: ReadonlyMap<string, Guess>;
}

/**
 * The stems that an unknown word may mean, and how many documents have one of them.
 *
 * @example
 * ```ts
 * const pelicna: Guess = { stems: ['pelican'], documents: 12 };
 * ```
 */
export interface Guess {
  readonly stems: readonly string[];
  readonly documents: number;
}
