import { builtInSynonyms, DEFAULT_SETTINGS, queryReading, SURE, stem } from '../kit.ts';

/** A word of a query. */
export interface AskedWord {
  readonly word: string;
  readonly stem: string;
  /** Less than 1 for a word that mostly says nothing. */
  readonly weight: number;
  /** Words that count for this one too: compounds, synonyms and verbs. */
  readonly others: readonly {
    /** A document must have all of them. */
    readonly stems: readonly string[];
    /** At most 1, the weight of the word itself. */
    readonly weight: number;
    /** Whether they stand for the word where it is required. */
    readonly isSure: boolean;
  }[];
}

/**
 * The words that the ranking looks for.
 *
 * @param isKnown - whether a document has the word. Without it, a word such as GitHub is read in both ways.
 */
export function askedWords(keywords: readonly string[], isKnown?: (word: string) => boolean): readonly AskedWord[] {
  const synonyms = builtInSynonyms();
  const { compound, filler } = DEFAULT_SETTINGS;
  const read = keywords.map((keyword) => queryReading.readKeyword(keyword, synonyms, isKnown));
  return queryReading.queryWords(keywords, read, synonyms, isKnown).map((asked) => ({
    ...{ word: asked.word, stem: stem(asked.word), weight: queryReading.isFiller(asked.word) ? filler : 1 },
    others: [
      ...asked.compounds.map((each) => ({ stems: [stem(each)], weight: compound })),
      ...queryReading.alternativesTo(asked, synonyms, DEFAULT_SETTINGS).map(({ stems, weight, share }) => ({
        stems,
        weight: weight * share,
      })),
    ].map((other) => ({ ...other, isSure: other.weight >= SURE })),
  }));
}
