import { createTool, type Tool } from '@mastra/core/tools';
import { z } from 'zod';
import type { ToolContext } from '../catalog/tool.ts';
import { searchesInVain } from '../conversation/loads.ts';
import { type LoadReceipt, receiptOf } from '../conversation/receipt.ts';
import { ignoredQueries, parameterDescriptions, searchDescription, searchedInVain } from '../prompts.ts';
import { isSelection } from '../query/query.ts';
import { clean, cut, describeTool, echo } from '../util/text.ts';
import { lenientSchema, type ParameterSchema, readTexts } from './lenient-schema.ts';
import { searchMany } from './search-many.ts';
import { answerQuery, type SearchAnswer, type SearchHit } from './search-one.ts';
import { duringCall, type Services, type Step } from './step.ts';

export interface SearchToolsInput {
  /** One need each. */
  query: string | string[];
  /** The model's wish, 1 to 20, for all queries together. */
  maxResults?: number | undefined;
}

export interface SearchToolsResult {
  results: SearchResult[];
  message: string;
  /** Names that the search loaded at once, those loaded before included. Only with `autoLoad` and for `select:`. */
  loaded?: string[] | undefined;
  /** What @mastra/core, after 1.71, reads loads from. Only where everything in `results` is loaded. */
  activation?: LoadReceipt | undefined;
  /** What made room. */
  unloaded?: string[] | undefined;
}

export interface SearchResult {
  name: string;
  /** At most 150 characters. */
  description: string;
  /** On the scale of the scorer, four significant digits. 1 for a `select:`. */
  score: number;
  /** How likely it is what was asked for, from 0 to 1, where the scorer can tell. */
  confidence?: number | undefined;
  /** The group it belongs to, where the catalog has several. */
  group?: string | undefined;
  /** The queries that found it, where there were several. */
  queries?: string[] | undefined;
}

const MAX_RESULTS = 20;
/** Queries of one call; the rest is ignored, and the message says so. */
const MAX_QUERIES = 8;
/** Longer queries are cut, lists of names excepted. */
const MAX_QUERY = 2_000;

const resultSchema = z.object({
  results: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      score: z.number(),
      confidence: z.number().optional(),
      group: z.string().optional(),
      queries: z.array(z.string()).optional(),
    }),
  ),
  message: z.string(),
  loaded: z.array(z.string()).optional(),
  activation: z
    .object({ type: z.literal('tool-search-auto-load'), version: z.literal(1), loaded: z.array(z.string()) })
    .optional(),
  unloaded: z.array(z.string()).optional(),
});

/** `search_tools` for one step. */
export function createSearchTool(step: Step, services: Services): Tool<SearchToolsInput, SearchToolsResult> {
  const { names, searchDescription: description } = services.options.metaTools;
  const { properties, required } = searchParameters;
  return createTool({
    id: names.search,
    description: description ?? searchDescription(names, step.autoLoad),
    inputSchema: lenientSchema(properties, required, readSearchInput) as never,
    outputSchema: resultSchema as never,
    execute: ((input: ReadSearchInput, context?: ToolContext) =>
      searchTools(input, duringCall(step, context), services)) as never,
  }) as unknown as Tool<SearchToolsInput, SearchToolsResult>;
}

/** The parameters of the search, as JSON schema. */
export const searchParameters: {
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required: readonly string[];
} = {
  properties: {
    query: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description: parameterDescriptions.query,
    },
    maxResults: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_RESULTS,
      description: parameterDescriptions.maxResults,
    },
  },
  required: ['query'],
};

/** What a call asks for, once made the best of. */
export interface ReadSearchInput {
  readonly query: readonly string[];
  readonly maxResults: number | undefined;
}

export function readSearchInput(input: Readonly<Record<string, unknown>>): ReadSearchInput {
  return { query: readQueries(input['query']), maxResults: readLimit(input['maxResults']) };
}

/** A run that has searched so often without a load or a call is told to come to an end. */
const MANY_SEARCHES = 3;

/**
 * Answers a call, and reports it.
 *
 * @param tell - given what should make the model stop searching, for a provider whose results have no place for words.
 */
export async function searchTools(
  input: ReadSearchInput,
  current: Step,
  services: Services,
  tell: (text: string) => void = () => {},
): Promise<SearchToolsResult> {
  const searches = 1 + searchesInVain(current.calls, services.options.loadingTools);
  const permissions = current.permissions.inSearch();
  const step = { ...current, permissions, mayRetry: searches < MANY_SEARCHES };
  const asked = input.query.map((text) => (isSelection(text) ? text : cut(text, MAX_QUERY)));
  const queries = asked.slice(0, MAX_QUERIES);
  const limit = input.maxResults ?? services.options.topK;
  const [only = ''] = queries;
  const answer: SearchAnswer =
    queries.length > 1
      ? await searchMany(queries, limit, step, services)
      : await answerQuery(only, limit, step, services);
  const shown = answer.results.map(({ name }) => name);
  services.reporter.report({
    type: 'search',
    queries: queries.map((query) => cut(query, MAX_QUERY)),
    results: shown,
    loaded: answer.loaded ?? [],
  });
  const hasGroups = answer.results.length > 0 && (await severalGroups(step, services));
  const group = (result: SearchHit): { group?: string } => {
    const name = hasGroups ? services.groups.of(result) : '';
    return name === '' ? {} : { group: clean(name, 80) };
  };
  const isInVain = !step.mayRetry && (answer.loaded ?? []).length === 0;
  if (answer.isNothing) tell(answer.message);
  else if (isInVain && searches === MANY_SEARCHES) tell(searchedInVain(searches));
  const isLoaded = shown.length > 0 && answer.loaded && shown.every((name) => step.loaded.has(name));
  // What one query loaded may have made room for another.
  const isThere = (name: string): boolean => step.loaded.has(name) || step.resident.has(name);
  const unloaded = (answer.unloaded ?? []).filter((name) => !isThere(name));
  const more = asked.length > queries.length ? ` ${ignoredQueries(asked.length - queries.length)}` : '';
  return {
    results: answer.results.map((result) => ({
      name: clean(result.name, 128),
      description: describeTool(result.description),
      score: rounded(result.score),
      ...(result.confidence === undefined ? {} : { confidence: Math.round(result.confidence * 100) / 100 }),
      ...group(result),
      ...(result.queries ? { queries: result.queries.map(echo) } : {}),
    })),
    message: `${answer.message}${more}${isInVain ? ` ${searchedInVain(searches)}` : ''}`,
    ...(answer.loaded ? { loaded: answer.loaded.filter(isThere) } : {}),
    ...(isLoaded ? { activation: receiptOf(shown) } : {}),
    ...(unloaded.length > 0 ? { unloaded } : {}),
  };
}

/** Whether the request may see several. */
async function severalGroups({ catalog, permissions }: Step, { groups }: Services): Promise<boolean> {
  return groups.hasSeveral(catalog) && groups.hasSeveral((await permissions.inSearch().visible(catalog)).catalog);
}

/** Four digits; JSON has no infinity. */
function rounded(score: number): number {
  return Number(Math.min(score, 1e300).toPrecision(4));
}

/** The queries, each once; none for what holds no text. */
function readQueries(value: unknown): string[] {
  const texts = typeof value === 'number' ? [String(value)] : (readTexts(value) ?? []);
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** The model's wish within bounds; undefined for what is no number, and for none at all, which nobody searches for. */
function readLimit(value: unknown): number | undefined {
  const limit = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof limit !== 'number' || !(limit > 0)) return undefined;
  return Math.min(MAX_RESULTS, Math.max(1, Math.floor(limit)));
}
