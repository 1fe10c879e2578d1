import { CHUNK, type SlicedWork } from '../../util/time-slices.ts';
import { stem } from '../../util/words.ts';
import type { ToolDocument } from '../document.ts';
import { alternativesTo, isFiller, queryWords, readKeyword } from '../words/query-words.ts';
import { builtInSynonyms } from '../words/thesaurus/synonyms.ts';
import { type IndexedDocument, InvertedIndex, instructionStems } from './inverted-index.ts';
import { DEFAULT_SETTINGS, FIELDS } from './settings.ts';
import { SURE } from './word-match.ts';

/*
 * What an engine outside needs to find candidates by the words of `bm25Scorer()`: the words of documents, to keep them, and
 * those of a query, to look for them.
 */

/** A document that was taken apart, with its words by their stems. */
interface DocumentWords extends Omit<IndexedDocument, 'document' | 'words'> {
  readonly stems: ReadonlyMap<string, IndexedDocument['words']>;
}

/** Takes documents without boilerplate apart into words. */
export function* documentWords(documents: readonly ToolDocument[]): SlicedWork<readonly DocumentWords[]> {
  const index = yield* InvertedIndex.build(documents, DEFAULT_SETTINGS.fields, undefined, {});
  const stems = documents.map(() => new Map<string, [word: string, counts: number][]>());
  for (const [number, word] of index.words.entries()) {
    const root = stem(word);
    const { ids, counts } = index.postings(number);
    for (const [at, id] of ids.entries()) {
      const words = stems[id]?.get(root) ?? [];
      words.push([word, counts[at] ?? 0]);
      stems[id]?.set(root, words);
    }
    if (number % CHUNK === 0) yield;
  }
  return documents.map(({ instructions }, id) => ({
    stems: stems[id] ?? new Map(),
    instructions: instructionStems(instructions),
    lengths: FIELDS.map((_, field) => index.lengthOf(id, field)),
  }));
}

/** A word of a query. */
export interface AskedWord {
  readonly word: string;
  readonly stem: string;
  /** What it counts: less than 1 for a word that mostly says nothing. */
  readonly weight: number;
  /** What counts for the word as well: compounds, synonyms and verbs. */
  readonly others: readonly {
    /** A document must have all of them. */
    readonly stems: readonly string[];
    /** What they count, against 1 for the word. */
    readonly weight: number;
    /** Whether they stand for the word where it is required. */
    readonly isSure: boolean;
  }[];
}

/** What a word counts that is guessed for one which no document has, against 1 for the word. */
export const GUESSED: number = DEFAULT_SETTINGS.guess;

/**
 * The words that the ranking looks for.
 *
 * @param isKnown - whether a document has the word. Without it, a word such as GitHub is read in both ways.
 */
export function askedWords(keywords: readonly string[], isKnown?: (word: string) => boolean): readonly AskedWord[] {
  const synonyms = builtInSynonyms();
  const { compound, filler } = DEFAULT_SETTINGS;
  const read = keywords.map((keyword) => readKeyword(keyword, synonyms, isKnown));
  return queryWords(keywords, read, synonyms, isKnown).map((asked) => ({
    ...{ word: asked.word, stem: stem(asked.word), weight: isFiller(asked.word) ? filler : 1 },
    others: [
      ...asked.compounds.map((each) => ({ stems: [stem(each)], weight: compound })),
      ...alternativesTo(asked, synonyms, DEFAULT_SETTINGS).map(({ stems, weight, share }) => ({
        stems,
        weight: weight * share,
      })),
    ].map((other) => ({ ...other, isSure: other.weight >= SURE })),
  }));
}
