import {
  builtInSynonyms,
  DEFAULT_SETTINGS,
  isFiller,
  queryWords,
  readKeyword,
  stem,
  synonymsOf,
  verbsOf,
} from '../kit.ts';

/** A word of a query, as a statement looks for it. */
export interface AskedWord {
  readonly word: string;
  readonly stem: string;
  /** What counts for the word as well: stems that a document must all have, and what that counts, against 1 for the word. */
  readonly others: readonly { readonly stems: readonly string[]; readonly weight: number }[];
  /** Whether it mostly says nothing. */
  readonly isFiller: boolean;
}

/**
 * The words that the ranking would look for, with their compounds, synonyms and verbs.
 *
 * @param isKnown - whether a document has the word. Without it, a word such as GitHub is read in both ways.
 */
export function askedWords(keywords: readonly string[], isKnown?: (word: string) => boolean): readonly AskedWord[] {
  const vocabulary = { synonyms: builtInSynonyms(), settings: DEFAULT_SETTINGS };
  const read = keywords.map((keyword) => readKeyword(keyword, vocabulary.synonyms, isKnown));
  const { compound, verb } = vocabulary.settings;
  return queryWords(keywords, read, vocabulary.synonyms, isKnown).map((asked) => ({
    ...{ word: asked.word, stem: stem(asked.word), isFiller: isFiller(asked.word) },
    others: [
      ...asked.compounds.map((each) => ({ stems: [stem(each)], weight: compound })),
      ...synonymsOf(asked, vocabulary).map(({ synonym: { stems, weight }, share }) => ({
        stems,
        weight: weight * share,
      })),
      ...verbsOf(asked.word).map((each) => ({ stems: [stem(each)], weight: verb })),
    ],
  }));
}
