import type { ToolDocument } from '../../catalog/document.ts';
import { type NamesOf, refuseUnknownOptions } from '../../options/check.ts';
import { inSlices } from '../../util/time-slices.ts';
import type { ToolMatch, ToolScorer, WordExplanation } from '../scorer.ts';
import { checkWeights } from '../weights.ts';
import type { ToolQuery } from '../words/query.ts';
import { builtInSynonyms } from '../words/thesaurus/built-in.ts';
import { checkedGroups, type SynonymGroup } from '../words/thesaurus/synonym-group.ts';
import { keyedGroups, Synonyms } from '../words/thesaurus/synonyms.ts';
import { Bm25Index } from './bm25-index.ts';
import { InvertedIndex } from './inverted-index.ts';
import { type Bm25Settings, type CatalogStatistics, DEFAULT_SETTINGS, FIELDS, type Field } from './settings.ts';

/**
 * The options of `bm25Scorer`.
 *
 * @example
 * ```ts
 * const options: Bm25ScorerOptions = { boosts: { description: 0.4, parameterDescriptions: 0 } };
 * bm25Scorer(options);
 * ```
 */
export interface Bm25ScorerOptions {
  /**
   * Factors for matches in each field. 1 is neutral, 0 leaves the field out.
   *
   * @default name 3, keywords 2, title 1, summary (the first sentence of the description) 1, description (the rest)
   * 0.7, parameters (their names) 0.4, parameterDescriptions (enum values and the hints of MCP servers too) 0.2, server
   * (the name of the MCP server, or of the group) 2
   */
  readonly boosts?: Partial<Readonly<Record<Field, number>>>;
  /** Words that mean alike; replaces the built-in vocabulary. @default toolSynonyms */
  readonly synonyms?: readonly SynonymGroup[];
}

const fieldNames = Object.fromEntries(FIELDS.map((field) => [field, true as const]));
const optionNames: NamesOf<Bm25ScorerOptions> = { boosts: fieldNames, synonyms: true };

/**
 * Ranks by BM25F over the words of names, descriptions and parameters. The default.
 *
 * Identifiers are taken apart, words also match by their English stems and by a vocabulary of tools (`pr` and pull
 * request, create and add), for less than the word itself. A word that the catalog does not have is matched by its
 * beginning or with a few wrong letters. A query that is a tool's name, in any spelling, ranks that tool first.
 *
 * @throws ToolSearchError `invalid-option` for an unknown option, a boost that is no finite number of at least 0, or no synonyms.
 *
 * @example
 * ```ts
 * const scorer = bm25Scorer({ boosts: { keywords: 3 }, synonyms: [...toolSynonyms, { words: ['pto', 'vacation'] }] });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function bm25Scorer(options: Bm25ScorerOptions = {}): ToolScorer {
  refuseUnknownOptions('bm25Scorer', options, optionNames);
  checkWeights('boosts', options.boosts);
  const { fields } = DEFAULT_SETTINGS;
  const weights = { ...fields };
  for (const [field, boost] of Object.entries(options.boosts ?? {})) {
    weights[field as Field] = { ...fields[field as Field], boost };
  }
  const settings: Bm25Settings = { ...DEFAULT_SETTINGS, fields: weights };
  const groups = options.synonyms === undefined ? undefined : checkedGroups(options.synonyms);
  let synonyms: Synonyms | undefined;
  return {
    name: 'bm25',
    key: JSON.stringify(['bm25', weights, groups]),
    givesConfidence: true,
    index: (documents) => {
      // Reading synonyms takes a millisecond: an agent that never searches does not need them.
      synonyms ??= groups ? new Synonyms(keyedGroups(groups)) : builtInSynonyms();
      return inSlices(Bm25Index.build(documents, settings, synonyms));
    },
  };
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
export const EXPLAINED = 20;

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
  const index = await candidateIndex(documents, statistics);
  const matches = index.search(query);
  const confidences = index.confidence(
    query,
    matches.map(({ name }) => name),
  );
  return matches.map((match, position) => ({
    ...match,
    confidence: confidences[position] ?? 0,
    ...(position < EXPLAINED ? { words: index.explain(query, match.name)?.words ?? [] } : {}),
  }));
}

/** The index of candidates that are ranked by what is known of the whole catalog. */
export async function candidateIndex(
  documents: readonly ToolDocument[],
  statistics: CatalogStatistics | undefined,
): Promise<Bm25Index> {
  const synonyms = builtInSynonyms();
  if (!statistics) return inSlices(Bm25Index.build(documents, DEFAULT_SETTINGS, synonyms));
  const terms = InvertedIndex.ofPart(documents, DEFAULT_SETTINGS.fields, statistics.averageLengths);
  return new Bm25Index(await inSlices(terms), DEFAULT_SETTINGS, synonyms, statistics);
}
