import type { Groups } from '../../catalog/groups.ts';
import { selected } from '../../meta-tools/answer.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import { allPermit, resolveNames, withSuggestions } from '../../meta-tools/names.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import type { ReadSearchInput, SearchToolsResult } from '../../meta-tools/search-tool.ts';
import type { BridgeSelection, Step } from '../../processor/step.ts';
import { isSelection } from '../../scorers/words/query.ts';
import type { SearchResult } from '../../search/search-result.ts';
import { definer } from './definitions.ts';

/** A tool that a search found, with what is needed to call it. */
interface CallableResult extends SearchResult {
  /** The JSON schema of its parameters, where there was room. */
  readonly parameters?: unknown;
}

/** Adds to the results of a search what is needed to call the tools. */
export type CallableResults = (result: SearchToolsResult, input: ReadSearchInput, step: Step) => SearchToolsResult;

/** @param tokens - the room for definitions in one answer. */
export function callableResults(tokens: number, loader: Loader): CallableResults {
  return (result, { query }, step) => ({
    ...result,
    results: withDefinitions(result.results, query.some(isSelection), step, tokens, loader),
  });
}

/** `select:a,b`: describes exactly these tools, in that order. */
export async function describe(
  names: readonly string[],
  step: Step,
  groups: Groups,
  loader: Loader,
): Promise<BridgeSelection> {
  const { tools, permissions, reach } = step;
  const meant = await resolveNames(names, step, ['search', 'load'], groups);
  const usable = new Set(await allPermit(['active'], meant.flat(), permissions));
  const permitted = [...new Set(meant.flat())].filter((entry) => usable.has(entry));
  const failing = await loader.unusable(permitted, step);
  const entries = permitted.filter(({ name }) => !failing.has(name));
  const isThere = (at: number): boolean =>
    tools.isAvailable(names[at] ?? '') || meant[at]?.some((it) => usable.has(it)) === true;
  const unknown = await withSuggestions(
    names.filter((_, at) => !isThere(at)),
    step,
  );
  const there = names.filter((name) => tools.isAvailable(name));
  const deferred = entries.filter(({ name }) => !tools.isAvailable(name));
  const message = [
    ...(deferred.length > 0 ? [prompts.described(deferred.length, reach.names.load)] : []),
    ...there.map(prompts.callDirectly),
    ...[...failing].map(prompts.noDefinition),
    ...unknown.map((name) => prompts.notFound(name, reach.names)),
  ].join(' ');
  return { results: entries.map((entry) => selected(entry, tools.isAvailable(entry.name))), message };
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
  step: Step,
  tokens: number,
  loader: Loader,
): CallableResult[] {
  const { catalog, tools } = step;
  const define = definer(step.args.model, tokens);
  // Scores of several queries, of the user's message, or of a selection, are no one scale.
  const isOfOneQuery = ({ queries, fromMessage }: SearchResult): boolean => !isSelected && !queries && !fromMessage;
  const best = Math.max(...results.filter(isOfOneQuery).map(({ score }) => score));
  let isFirst = true;
  return results.map(({ signature: _, ...result }) => {
    const entry = tools.isAvailable(result.name) ? undefined : catalog.get(result.name);
    if (!entry) return result;
    // A lazy tool has its definition once it was called, or selected.
    const known = loader.ready(entry, step);
    // What another query of the call found says so.
    const isWhole = isSelected && isFirst && !result.queries && !result.fromMessage;
    isFirst = false;
    const isUnlikely = isOfOneQuery(result) && best > 0 && result.score < LIKELY * best;
    return { ...result, ...define(known ?? entry, known !== undefined && !isUnlikely, isWhole) };
  });
}
