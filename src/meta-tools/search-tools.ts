import { createTool, type Tool } from '@mastra/core/tools';
import { z } from 'zod';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { cut } from '../cut.ts';
import {
  clean,
  describeTool,
  emptyQuery,
  found,
  foundAndLoaded,
  nothingFound,
  nothingToSelect,
  searchDescription,
  searchOutOfOrder,
  selected,
} from '../prompts.ts';
import { isSelection, parseQuery, type ToolQuery } from '../query/query.ts';
import type { Match } from '../scorers/scorer.ts';
import { lenientSchema, readText } from './lenient-schema.ts';
import { loadByName, type Services, type Step, withSuggestions } from './step.ts';

export interface SearchToolsInput {
  query: string;
  /** The model's wish, 1 to 20. */
  maxResults?: number | undefined;
}

export interface SearchToolsResult {
  results: SearchResult[];
  message: string;
  /** Names that the search loaded at once, those loaded before included. Only with `autoLoad` and for `select:`. */
  loaded?: string[] | undefined;
}

export interface SearchResult {
  name: string;
  /** At most 150 characters. */
  description: string;
  /** On the scale of the scorer, four significant digits. 1 for a `select:`. */
  score: number;
}

const MAX_RESULTS = 20;
/** Names of one `select:`; the rest is ignored. */
const MAX_SELECTED = 100;
/** Longer queries are cut. */
const MAX_QUERY = 2_000;

const resultSchema = z.object({
  results: z.array(z.object({ name: z.string(), description: z.string(), score: z.number() })),
  message: z.string(),
  loaded: z.array(z.string()).optional(),
});

/** `search_tools` for one step. */
export function createSearchTool(step: Step, services: Services): Tool<SearchToolsInput, SearchToolsResult> {
  const { metaTools, autoLoad } = services.options;
  const { names, parameters, searchDescription: description } = metaTools;
  const { query, maxResults } = parameters;
  return createTool({
    id: names.search,
    description: description ?? searchDescription(names, autoLoad),
    inputSchema: lenientSchema(
      {
        [query.name]: { type: 'string', description: query.description },
        [maxResults.name]: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_RESULTS,
          description: maxResults.description,
        },
      },
      [query.name],
      (input) => ({ query: readText(input[query.name]), maxResults: readLimit(input[maxResults.name]) }),
    ) as never,
    outputSchema: resultSchema as never,
    execute: (async (input: SearchToolsInput) => {
      const result = await search(input.query, input.maxResults, step, services);
      const shown = result.results.map(({ name }) => name);
      services.reporter.report({
        type: 'search',
        query: cut(input.query, MAX_QUERY),
        results: shown,
        loaded: result.loaded ?? [],
      });
      return result;
    }) as never,
  }) as unknown as Tool<SearchToolsInput, SearchToolsResult>;
}

async function search(
  text: string,
  maxResults: number | undefined,
  step: Step,
  services: Services,
): Promise<SearchToolsResult> {
  const { names } = services.options.metaTools;
  const query = parseQuery(isSelection(text) ? text : cut(text, MAX_QUERY));
  if (query.select) return select(query.select, step, services);
  if (query.keywords.length === 0) {
    return { results: [], message: isSelection(query.text) ? nothingToSelect(names) : emptyQuery(names) };
  }

  const matches = await rank(query, step, services);
  if (!matches) return { results: [], message: searchOutOfOrder(query.text) };
  const { topK, minScore } = services.options;
  const candidates = entriesOf(matches, minScore, step);
  const visible = await services.policy.firstAllowed(candidates, maxResults ?? topK, 'search', step.requestContext);
  if (visible.length === 0) return { results: [], message: nothingFound(query.text) };

  const results = visible.map(({ name, description, score }) => toResult(name, description, score));
  if (!services.options.autoLoad) return { results, message: found(results.length, names) };

  const outcome = await loadByName(
    visible.map(({ name }) => name),
    step,
    services,
    ['load'],
  );
  const unloadable = new Set(outcome.notFound);
  const loaded = visible.map(({ name }) => name).filter((name) => !unloadable.has(name));
  return {
    results,
    message: foundAndLoaded(loaded, outcome.alreadyLoaded.length, outcome.notFound),
    loaded,
  };
}

/** Undefined when the scorer failed, which is reported. */
async function rank(query: ToolQuery, step: Step, services: Services): Promise<readonly Match[] | undefined> {
  const { indexes, reporter } = services;
  try {
    const index = await indexes.get(step.catalog, {
      report: (fault) => reporter.report({ type: 'scorer-failed', ...fault, survived: true }),
    });
    const matches = await index.search(query);
    if (Array.isArray(matches)) return matches;
    throw new TypeError('search() of the index did not return an array of matches');
  } catch (error) {
    reporter.report({ type: 'scorer-failed', scorer: services.options.scorer.name, error });
    return undefined;
  }
}

type ScoredEntry = CatalogEntry & { readonly score: number };

/** The matches above `minScore` as entries of this request's catalog, one by one: mostly only the first are wanted. */
function* entriesOf(matches: readonly Match[], minScore: number, step: Step): Iterable<ScoredEntry> {
  const seen = new Set<string>();
  for (const match of matches as readonly (Partial<Match> | null)[]) {
    const { name, score } = match ?? {};
    // As in core, a score has to be above the bar. A scorer is not trusted to return what its type says.
    if (typeof name !== 'string' || typeof score !== 'number' || !(score > minScore) || seen.has(name)) continue;
    seen.add(name);
    const entry = step.catalog.get(name);
    if (entry?.name === name) yield { ...entry, score };
  }
}

/** `select:a,b`: exactly these tools, in that order, loaded at once, whatever their number. */
async function select(asked: readonly string[], step: Step, services: Services): Promise<SearchToolsResult> {
  const chosen = asked.slice(0, MAX_SELECTED);
  const outcome = await loadByName(chosen, step, services, ['search', 'load']);
  const unknown = await withSuggestions(outcome.notFound, step, services);
  const ready = new Set([...outcome.loaded, ...outcome.alreadyLoaded]);
  const entries = chosen.flatMap((name) => step.catalog.get(name) ?? []).filter(({ name }) => ready.has(name));
  return {
    results: [...new Set(entries)].map(({ name, description }) => toResult(name, description, 1)),
    message: selected(
      outcome.loaded,
      outcome.alreadyLoaded,
      unknown,
      asked.length - chosen.length,
      services.options.metaTools.names,
    ),
    loaded: [...ready],
  };
}

function toResult(name: string, description: string, score: number): SearchResult {
  return { name: clean(name, 128), description: describeTool(description), score: rounded(score) };
}

/** Four digits; JSON has no infinity. */
function rounded(score: number): number {
  return Number(Math.min(score, 1e300).toPrecision(4));
}

/** The model's wish within bounds; undefined for what is no number. */
function readLimit(value: unknown): number | undefined {
  const limit = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof limit !== 'number' || Number.isNaN(limit)) return undefined;
  return Math.min(MAX_RESULTS, Math.max(1, Math.floor(limit)));
}
