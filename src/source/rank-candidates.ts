import {
  Bm25Index,
  builtInSynonyms,
  type CatalogStatistics,
  consoleContext,
  DEFAULT_SETTINGS,
  type FeatureExplanation,
  FusedIndex,
  InvertedIndex,
  type ToolDocument,
  type ToolMatch,
  type ToolQuery,
  ToolVectors,
  tableFor,
  Vocabulary,
  type WordExplanation,
  type WordTable,
} from '../kit.ts';
import { inSlices } from '../util/time-slices.ts';

/** The index of candidates: words and meaning, or words alone where the word-vector table is missing. */
export type CandidateIndex = Bm25Index | FusedIndex;

/**
 * A matching candidate with its confidence and its explanation.
 *
 * @example
 * ```ts
 * const line = ({ name, score, confidence }: RankedCandidate) => `${name} ${score.toFixed(2)} ${confidence.toFixed(2)}`;
 * ```
 */
export interface RankedCandidate extends ToolMatch {
  /** How likely the tool is what the query asked for, from 0 to 1. */
  readonly confidence: number;
  /** What each word of the query found in the tool. Only the first 20 candidates have it. */
  readonly words?: readonly WordExplanation[];
  /** The summands of the score. Only the first 20 candidates have them, where words and meaning rank. */
  readonly features?: readonly FeatureExplanation[];
}

/** How many candidates are explained. */
const EXPLAINED = 20;

/**
 * Ranks the candidates that an engine has found for a query by words and meaning, as `wordsAndMeaningScorer()` would
 * rank them among all of the catalog: for a `ToolSource` of your own.
 *
 * An engine finds some hundred candidates by a rough measure; this function gives them their order, scores and
 * confidences. Candidates that do not match are left out. If the table of word vectors cannot be loaded, words rank
 * alone.
 *
 * @param documents - the candidates, each name once.
 * @param statistics - figures of the whole catalog. Without them, the candidates count as the whole catalog.
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
  const words = await wordIndex(documents, statistics);
  const index = await withMeaning(words, documents, statistics);
  const matches = index.search(query);
  const names = matches.map(({ name }) => name);
  return explained(index, query, matches, index.confidence(query, names));
}

function wordIndex(
  documents: readonly ToolDocument[],
  statistics: CatalogStatistics | undefined,
): Promise<Bm25Index> | Bm25Index {
  const synonyms = builtInSynonyms();
  if (!statistics) return inSlices(Bm25Index.build(documents, DEFAULT_SETTINGS, synonyms));
  const { fields } = DEFAULT_SETTINGS;
  const terms = inSlices(InvertedIndex.build(documents, fields, undefined, statistics.averageLengths));
  return Promise.resolve(terms).then((built) => new Bm25Index(built, DEFAULT_SETTINGS, synonyms, statistics));
}

/**
 * Adds meaning to a word index, where the word-vector table can be loaded.
 *
 * @param documents - the index's documents in the index's order, with all their texts.
 */
export async function withMeaning(
  words: Bm25Index,
  documents: readonly ToolDocument[],
  statistics?: CatalogStatistics,
): Promise<CandidateIndex> {
  const table = await tableFor(consoleContext);
  if (!table) return words;
  const tools = await inSlices(ToolVectors.over(documents, vocabularyOf(table)));
  return inSlices(FusedIndex.build(words, tools, statistics));
}

/** Words kept in the shared vocabulary: about 5 MB. */
const MAX_VOCABULARY = 20_000;
let shared: Vocabulary | undefined;

/** One vocabulary for all searches: word lookups take most of a search's time, and most words recur. */
function vocabularyOf(table: WordTable): Vocabulary {
  if (shared?.table !== table || shared.size > MAX_VOCABULARY) shared = new Vocabulary(table);
  return shared;
}

/** Adds confidences to matches, and explanations to the first of them. */
export function explained(
  index: CandidateIndex,
  query: ToolQuery,
  matches: readonly ToolMatch[],
  confidences: readonly number[],
): readonly RankedCandidate[] {
  return matches.map((match, place) => {
    const rated = { ...match, confidence: confidences[place] ?? 0 };
    if (place >= EXPLAINED) return rated;
    const { words = [], features } = index.explain(query, match.name) ?? {};
    return { ...rated, words, ...(features ? { features } : {}) };
  });
}
