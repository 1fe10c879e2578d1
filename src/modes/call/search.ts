import type { MastraTool } from '../../catalog/tool.ts';
import { selected } from '../../meta-tools/answer.ts';
import { unusable } from '../../meta-tools/load.ts';
import { createMetaTool } from '../../meta-tools/meta-tool.ts';
import { allPermit, resolveNames, withSuggestions } from '../../meta-tools/names.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import { searchTools } from '../../meta-tools/search-call.ts';
import {
  type ReadSearchInput,
  readSearchInput,
  SEARCH_PARAMETERS,
  SEARCH_RESULT,
  type SearchToolsResult,
} from '../../meta-tools/search-shapes.ts';
import { type Bridge, type BridgeSelection, duringCall, type Services, type Step } from '../../meta-tools/step.ts';
import { isSelection } from '../../scorers/words/query.ts';
import type { SearchResult } from '../../search/search-result.ts';
import { definer } from './definitions.ts';

/** A tool that a search found, with what is needed to call it. */
interface CallableResult extends SearchResult {
  /** The JSON schema of its parameters, where there was room. */
  readonly parameters?: unknown;
}

/** `search_tools` for one step: its results carry what is needed to call the tools. */
export function createSearch(step: Step, model: unknown, services: Services): MastraTool {
  const { call, metaTools } = services.options;
  const { name = '' } = call ?? {};
  return createMetaTool<ReadSearchInput, SearchToolsResult>({
    name: metaTools.names.search,
    description: metaTools.searchDescription ?? prompts.callSearchDescription(name),
    parameters: SEARCH_PARAMETERS,
    result: SEARCH_RESULT,
    read: readSearchInput,
    execute: (input, context) => searchCallable(input, duringCall(step, context), model, services),
  });
}

/** Answers a search: its results say how the tools are called. */
export async function searchCallable(
  input: ReadSearchInput,
  step: Step,
  model: unknown,
  services: Services,
): Promise<SearchToolsResult> {
  const { name = '', schemaTokens = 0 } = services.options.call ?? {};
  const result = await searchTools(input, step, withBridgeName(name, services));
  const isSelected = input.query.some(isSelection);
  return { ...result, results: withDefinitions(result.results, isSelected, step, model, schemaTokens, services) };
}

/** What the answers of searches say in this mode. */
export function bridgeOf({ options }: Services): Bridge {
  const { search } = options.metaTools.names;
  const { name = '' } = options.call ?? {};
  return {
    name,
    catalogIntro: prompts.callCatalogIntro(search, name),
    found: (count) => prompts.foundToCall(count, name),
    select: (names, step, services) => describe(names, step, services),
  };
}

/** The services with the bridge in place of the tool that loads: a message that names one means how to get at a tool. */
function withBridgeName(name: string, services: Services): Services {
  const { options } = services;
  const metaTools = { ...options.metaTools, names: { ...options.metaTools.names, load: name } };
  return { ...services, options: { ...options, metaTools } };
}

/** `select:a,b`: describes exactly these tools, in that order. */
async function describe(names: readonly string[], step: Step, services: Services): Promise<BridgeSelection> {
  const meant = await resolveNames(names, step, ['search', 'load'], services);
  const usable = new Set(await allPermit(['active'], meant.flat(), step.permissions));
  const permitted = [...new Set(meant.flat())].filter((entry) => usable.has(entry));
  const failing = await unusable(permitted, step, services);
  const entries = permitted.filter(({ name }) => !failing.has(name));
  const isThere = (at: number): boolean =>
    step.available.has(names[at] ?? '') || meant[at]?.some((it) => usable.has(it)) === true;
  const unknown = await withSuggestions(
    names.filter((_, at) => !isThere(at)),
    step,
  );
  const { names: metaNames } = services.options.metaTools;
  const there = names.filter((name) => step.available.has(name));
  const deferred = entries.filter(({ name }) => !step.available.has(name));
  const message = [
    ...(deferred.length > 0 ? [prompts.described(deferred.length, metaNames.load)] : []),
    ...there.map(prompts.callDirectly),
    ...[...failing].map(prompts.noDefinition),
    ...unknown.map((name) => prompts.notFound(name, metaNames)),
  ].join(' ');
  return { results: entries.map((entry) => selected(entry, step.available.has(entry.name))), message };
}

/** The share of the best score below which a tool is hardly called, so that its signature does. */
const LIKELY = 0.15;

/**
 * The results with the definitions of the first, as far as there is room, and the signatures of the others. The first tool
 * of a selection has its definition in any case: there is no other way to it.
 */
function withDefinitions(
  results: readonly SearchResult[],
  isSelected: boolean,
  { catalog, available, state }: Step,
  model: unknown,
  tokens: number,
  { stubs }: Services,
): CallableResult[] {
  const define = definer(model, tokens);
  // Scores of several queries, of the user's message, or of a selection, are no one scale.
  const isOfOneQuery = ({ queries, fromMessage }: SearchResult): boolean => !isSelected && !queries && !fromMessage;
  const best = Math.max(...results.filter(isOfOneQuery).map(({ score }) => score));
  let isFirst = true;
  return results.map(({ signature: _, ...result }) => {
    const entry = available.has(result.name) ? undefined : catalog.get(result.name);
    if (!entry) return result;
    // A stub has its definition once it was called, or selected.
    const known = stubs.ready(entry, state.run);
    // What another query of the call found says so.
    const isWhole = isSelected && isFirst && !result.queries && !result.fromMessage;
    isFirst = false;
    const isUnlikely = isOfOneQuery(result) && best > 0 && result.score < LIKELY * best;
    return { ...result, ...define(known ?? entry, known !== undefined && !isUnlikely, isWhole) };
  });
}
