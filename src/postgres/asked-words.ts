import { builtInSynonyms, DEFAULT_SETTINGS, queryReading, SURE } from '../kit.ts';
import { stem } from '../util/words.ts';

/** A word of a query. */
export interface AskedWord {
  readonly word: string;
  readonly stem: string;
  /** 1, or less for a filler word. */
  readonly weight: number;
  /** Alternatives that match in place of the word: compounds, parts of compounds, and synonyms. */
  readonly alternatives: readonly {
    /** A document must contain all of these stems. */
    readonly stems: readonly string[];
    /** At most 1, which is the weight of the word itself. */
    readonly weight: number;
    /** Whether the alternative satisfies a required word. */
    readonly isSure: boolean;
  }[];
}

/**
 * Expands keywords into the words that the ranking looks for.
 *
 * @param isKnown - whether a document contains a word. Without `isKnown`, a word such as GitHub is read in both ways.
 */
export function askedWords(keywords: readonly string[], isKnown?: (word: string) => boolean): readonly AskedWord[] {
  const synonyms = builtInSynonyms();
  const { compound, filler } = DEFAULT_SETTINGS;
  const read = keywords.map((keyword) => queryReading.readKeyword(keyword, synonyms, isKnown));
  return queryReading.queryWords(keywords, read, synonyms, isKnown).map((asked) => ({
    ...{ word: asked.word, stem: stem(asked.word), weight: queryReading.isFiller(asked.word) ? filler : 1 },
    alternatives: [
      ...asked.compounds.map((each) => ({ stems: [stem(each)], weight: compound })),
      ...queryReading.alternativesTo(asked, synonyms, DEFAULT_SETTINGS).map(({ stems, weight, share }) => ({
        stems,
        weight: weight * share,
      })),
    ].map((other) => ({ ...other, isSure: other.weight >= SURE })),
  }));
}
