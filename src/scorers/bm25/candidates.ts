import type { ToolDocument } from '../../catalog/document.ts';
import { CHUNK, inSlices, type SlicedWork } from '../../util/time-slices.ts';
import { stem } from '../../util/words.ts';
import type { ToolMatch, WordExplanation } from '../scorer.ts';
import type { ToolQuery } from '../words/query.ts';
import { alternativesTo, isFiller, queryWords, readKeyword } from '../words/query-words.ts';
import { builtInSynonyms } from '../words/thesaurus/synonyms.ts';
import { Bm25Index } from './bm25.ts';
import { type IndexedDocument, InvertedIndex, instructionStems } from './inverted-index.ts';
import { type CatalogStatistics, DEFAULT_SETTINGS, FIELDS } from './settings.ts';
import { SURE } from './word-match.ts';

/*
 * What an engine outside needs to find candidates by the words of `bm25Scorer()`: the words of documents, to keep them; the
 * words of a query, to look for them; and the ranking of what was found.
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

/**
 * A candidate that matches, with how sure that is and why.
 *
 * @example
 * ```ts
 * const line = ({ name, score, confidence }: RankedCandidate) => `${name} ${score.toFixed(2)} ${confidence.toFixed(2)}`;
 * ```
 */
export interface RankedCandidate extends ToolMatch {
  /** How likely it is what was asked for, from 0 to 1. */
  readonly confidence: number;
  /** What each word of the query found in it: of the first 20, as few look at it. */
  readonly words?: readonly WordExplanation[];
}

/** Candidates of which it is told why they match. */
const EXPLAINED = 20;

/**
 * Ranks the candidates that an engine has found for a query as `bm25Scorer()` would rank them among all of the catalog:
 * for a `ToolSource` of your own.
 *
 * An engine finds some hundred candidates by a rough measure; their order, their scores and how sure a match is come from
 * here. What does not match is left out.
 *
 * @param documents - the candidates, each name once, without the sentences that many tools have in common.
 * @param statistics - of the whole catalog. Without them, the candidates are thought to be all of it.
 *
 * @example
 * ```ts
 * const found: ToolDocument[] = [
 *   { name: 'get_weather', description: 'The weather of a city', title: '', server: '', keywords: [], parameters: [] },
 * ];
 * const query: ToolQuery = { text: 'weather in Rome', keywords: ['weather', 'in', 'Rome'], required: [] };
 * const [best] = await rankCandidates(query, found, {
 *   documents: 1_000_000,
 *   averageLengths: { name: 3, summary: 9 },
 *   stems: new Map([['weather', 1_250], ['rome', 40]]),
 * });
 * console.log(best?.name, best?.confidence);
 * ```
 */
export async function rankCandidates(
  query: ToolQuery,
  documents: readonly ToolDocument[],
  statistics?: CatalogStatistics,
): Promise<readonly RankedCandidate[]> {
  const synonyms = builtInSynonyms();
  const { fields } = DEFAULT_SETTINGS;
  const index = statistics
    ? new Bm25Index(
        await inSlices(InvertedIndex.build(documents, fields, undefined, statistics.averageLengths)),
        DEFAULT_SETTINGS,
        synonyms,
        statistics,
      )
    : await inSlices(Bm25Index.build(documents, DEFAULT_SETTINGS, synonyms));
  const matches = index.search(query);
  const confidences = index.confidence(
    query,
    matches.map(({ name }) => name),
  );
  return explained(index, query, matches, confidences);
}

/** Matches of an index with the confidence of each, and why the first ones match. */
export function explained(
  index: Bm25Index,
  query: ToolQuery,
  matches: readonly ToolMatch[],
  confidences: readonly number[],
): readonly RankedCandidate[] {
  return matches.map((match, place) => ({
    ...match,
    confidence: confidences[place] ?? 0,
    ...(place < EXPLAINED ? { words: index.explain(query, match.name)?.words ?? [] } : {}),
  }));
}

/** The index of candidates, which are ranked by what is known of the whole catalog. */
export function candidateIndex(candidates: readonly IndexedDocument[], statistics: CatalogStatistics): Bm25Index {
  const terms = InvertedIndex.ofWords(candidates, DEFAULT_SETTINGS.fields, statistics.averageLengths);
  return new Bm25Index(terms, DEFAULT_SETTINGS, builtInSynonyms(), statistics);
}
