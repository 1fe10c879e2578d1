import type { LoadReceipt } from '../loaded/conversation/receipt.ts';
import type { SearchResult } from '../search/search-result.ts';
import { type FieldSchema, jsonSchemaOf, type ObjectSchema, readTexts, TEXT, TEXTS } from './meta-tool.ts';
import * as prompts from './prompts.ts';

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
  /** The model's wish, at most 20, for all queries together. It is not in the schema, as weak models ask for one. */
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

/** The parameters of a search. */
export const SEARCH_PARAMETERS: ObjectSchema<'query'> = {
  properties: {
    query: { ...TEXT, description: prompts.parameterDescriptions.query },
  },
  required: ['query'],
};

const HIT: ObjectSchema<Exclude<keyof SearchResult, 'explanation' | 'byUse'>> = {
  properties: {
    name: TEXT,
    description: TEXT,
    score: { type: 'number' },
    confidence: { type: 'number' },
    group: TEXT,
    signature: TEXT,
    available: { type: 'boolean' },
    queries: TEXTS,
    fromMessage: { type: 'boolean' },
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

/** The tools that a search found. */
export const RESULTS: FieldSchema = { type: 'array', items: jsonSchemaOf(HIT) };

/** The result of a search. */
export const SEARCH_RESULT: ObjectSchema<keyof SearchToolsResult> = {
  properties: {
    results: RESULTS,
    message: TEXT,
    loaded: TEXTS,
    activation: jsonSchemaOf(RECEIPT),
    unloaded: TEXTS,
  },
  required: ['results', 'message'],
};

/** What a call asks for, once the best was made of it. */
export interface ReadSearchInput {
  readonly query: readonly string[];
  readonly maxResults: number | undefined;
}

/** Reads the fields of a call, whatever they hold. */
export function readSearchInput(fields: Readonly<Record<string, unknown>>): ReadSearchInput {
  return { query: readQueries(fields['query']), maxResults: readLimit(fields['maxResults']) };
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
