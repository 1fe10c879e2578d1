import type { MastraTool } from '../catalog/tool.ts';
import { searchesInVain } from '../conversation/loads.ts';
import { type LoadReceipt, receiptOf } from '../conversation/receipt.ts';
import * as prompts from '../prompts.ts';
import { isSelection } from '../query/query.ts';
import type { SearchResult } from '../search/search-result.ts';
import { clean, cut, describeTool, echo } from '../util/text.ts';
import { answer, type SearchHit } from './answer.ts';
import { createMetaTool, jsonSchemaOf, type ObjectSchema, readTexts, TEXT, TEXTS } from './meta-tool.ts';
import { duringCall, type Services, type Step } from './step.ts';

/**
 * What the model sends to `search_tools`.
 *
 * @example
 * ```ts
 * const input: SearchToolsInput = { query: ['send an email', 'weather'], maxResults: 4 };
 * ```
 */
export interface SearchToolsInput {
  /** One need, or a list of them. */
  query: string | string[];
  /** The model's wish, 1 to 20, for all queries together. */
  maxResults?: number | undefined;
}

/**
 * What the model gets back from `search_tools`.
 *
 * @example
 * ```ts
 * const namesOf = ({ results }: SearchToolsResult) => results.map(({ name }) => name);
 * ```
 */
export interface SearchToolsResult {
  results: SearchResult[];
  message: string;
  /** Names that the search loaded at once, those loaded before included. Only with `autoLoad` and for `select:`. */
  loaded?: string[] | undefined;
  /** The receipt from which @mastra/core, after 1.71, reads loads. Only where everything in `results` is loaded. */
  activation?: LoadReceipt | undefined;
  /** Tools that made room. */
  unloaded?: string[] | undefined;
}

const MAX_RESULTS = 20;
/** Queries of one call; the rest is ignored, and the message says so. */
const MAX_QUERIES = 8;
/** Characters of a query, lists of names excepted; the rest is cut off. */
const MAX_QUERY = 2_000;
/** Searches without a load or a call after which a run is told to come to an end. */
const MANY_SEARCHES = 3;

/** The parameters of a search. */
export const SEARCH_PARAMETERS: ObjectSchema<keyof SearchToolsInput> = {
  properties: {
    query: { anyOf: [TEXT, TEXTS], description: prompts.parameterDescriptions.query },
    maxResults: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_RESULTS,
      description: prompts.parameterDescriptions.maxResults,
    },
  },
  required: ['query'],
};

const HIT: ObjectSchema<Exclude<keyof SearchResult, 'explanation'>> = {
  properties: {
    name: TEXT,
    description: TEXT,
    score: { type: 'number' },
    confidence: { type: 'number' },
    group: TEXT,
    queries: TEXTS,
  },
  required: ['name', 'description', 'score'],
};

const RECEIPT: ObjectSchema<keyof LoadReceipt> = {
  properties: {
    type: { ...TEXT, const: 'tool-search-auto-load' },
    version: { type: 'number', const: 1 },
    loaded: TEXTS,
  },
  required: ['type', 'version', 'loaded'],
};

const RESULT: ObjectSchema<keyof SearchToolsResult> = {
  properties: {
    results: { type: 'array', items: jsonSchemaOf(HIT) },
    message: TEXT,
    loaded: TEXTS,
    activation: jsonSchemaOf(RECEIPT),
    unloaded: TEXTS,
  },
  required: ['results', 'message'],
};

/** `search_tools` for one step. */
export function createSearchTool(step: Step, services: Services): MastraTool {
  const { names, searchDescription: description } = services.options.metaTools;
  return createMetaTool<ReadSearchInput, SearchToolsResult>({
    name: names.search,
    description: description ?? prompts.searchDescription(names, step.autoLoad),
    parameters: SEARCH_PARAMETERS,
    result: RESULT,
    read: readSearchInput,
    execute: (input, context) => searchTools(input, duringCall(step, context), services),
  });
}

/** What a call asks for, once the best was made of it. */
export interface ReadSearchInput {
  readonly query: readonly string[];
  readonly maxResults: number | undefined;
}

/** Reads the fields of a call, whatever they hold. */
export function readSearchInput(fields: Readonly<Record<string, unknown>>): ReadSearchInput {
  return { query: readQueries(fields['query']), maxResults: readLimit(fields['maxResults']) };
}

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
  const { options, reporter } = services;
  const searches = 1 + searchesInVain(current.calls, options.loadingTools);
  const mayRetry = searches < MANY_SEARCHES;
  const step = { ...current, permissions: current.permissions.inSearch(), mayRetry };
  const asked = input.query.map((text) => (isSelection(text) ? text : cut(text, MAX_QUERY)));
  const queries = asked.slice(0, MAX_QUERIES);
  const answered = await answer(queries, input.maxResults ?? options.topK, step, services);
  const { loaded, message } = answered;
  const shown = answered.results.map(({ name }) => name);
  reporter.report({
    type: 'search',
    queries: queries.map((query) => cut(query, MAX_QUERY)),
    results: shown,
    loaded: loaded ?? [],
  });
  const results = await resultsOf(answered.results, step, services);
  const isInVain = !mayRetry && (loaded ?? []).length === 0;
  if (answered.isNothing) tell(message);
  else if (isInVain && searches === MANY_SEARCHES) tell(prompts.searchedInVain(searches));
  // One query may have unloaded what another one loaded.
  const isThere = (name: string): boolean => step.loaded.has(name) || step.resident.has(name);
  const isLoaded = shown.length > 0 && loaded && shown.every((name) => step.loaded.has(name));
  const unloaded = (answered.unloaded ?? []).filter((name) => !isThere(name));
  const ignored = asked.length - queries.length;
  const notes = [
    ...(ignored > 0 ? [prompts.ignoredQueries(ignored)] : []),
    ...(isInVain ? [prompts.searchedInVain(searches)] : []),
  ];
  return {
    results,
    message: [message, ...notes].join(' '),
    ...(loaded ? { loaded: loaded.filter(isThere) } : {}),
    ...(isLoaded ? { activation: receiptOf(shown) } : {}),
    ...(unloaded.length > 0 ? { unloaded } : {}),
  };
}

/** The hits as the model reads them, with their groups where the request may see several. */
async function resultsOf(hits: readonly SearchHit[], step: Step, services: Services): Promise<SearchResult[]> {
  const { groups } = services;
  const hasGroups = hits.length > 0 && (await severalGroups(step, services));
  return hits.map((hit) => {
    const group = hasGroups ? groups.of(hit) : '';
    return {
      name: clean(hit.name, 128),
      description: describeTool(hit.description),
      score: rounded(hit.score),
      ...(hit.confidence === undefined ? {} : { confidence: Math.round(hit.confidence * 100) / 100 }),
      ...(group === '' ? {} : { group: clean(group, 80) }),
      ...(hit.queries ? { queries: hit.queries.map(echo) } : {}),
    };
  });
}

/** Whether the tools that the request may see belong to several groups. */
async function severalGroups({ catalog, permissions }: Step, { groups }: Services): Promise<boolean> {
  return groups.hasSeveral(catalog) && groups.hasSeveral((await permissions.inSearch().visible(catalog)).catalog);
}

/** A score of four significant digits, and never infinite, which JSON cannot say. */
function rounded(score: number): number {
  return Number(Math.min(score, 1e300).toPrecision(4));
}

/** The queries of a call, each once; none where there is no text. */
function readQueries(value: unknown): string[] {
  const texts = typeof value === 'number' ? [String(value)] : (readTexts(value) ?? []);
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** The number of results that the model wishes, within bounds; undefined for what is no number above 0. */
function readLimit(value: unknown): number | undefined {
  const limit = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof limit !== 'number' || !(limit > 0)) return undefined;
  return Math.min(MAX_RESULTS, Math.max(1, Math.floor(limit)));
}
