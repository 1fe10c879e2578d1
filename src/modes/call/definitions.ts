import { makeCoreTool } from '@mastra/core/utils';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Groups } from '../../catalog/groups.ts';
import { MAX_SIGNATURE, parametersOf } from '../../catalog/signature.ts';
import { isRefusedInput, providerSchema } from '../../mastra/calls.ts';
import { selected } from '../../meta-tools/answer.ts';
import { allPermit, type Loader, resolveNames, withSuggestions } from '../../meta-tools/loading.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import type { ReadSearchInput, SearchToolsResult } from '../../meta-tools/search-tool.ts';
import type { BridgeSelection, Step } from '../../processor/step.ts';
import { isSelection } from '../../scorers/words/query.ts';
import type { SearchResult } from '../../search/search-result.ts';
import { asRecord } from '../../util/record.ts';
import { clean, cut } from '../../util/text.ts';
import { estimateTokens } from '../../util/tokens.ts';

/** What texts for a model name, and how long they may be. */
export interface CallWording {
  /** The name of the meta-tool that searches. */
  readonly search: string;
  /** The name of `call_tool`; absent where a model calls tools by their own names alone. */
  readonly bridge?: string | undefined;
  /** Tokens of the definitions in one answer. */
  readonly schemaTokens: number;
}

/** What a model needs to call a tool. */
export type ShownDefinition = { readonly parameters: unknown } | { readonly signature: string };

/** How a tool is called: `isWhole` gives its definition whatever the room. */
export type Define = (entry: CatalogEntry, isDefined: boolean, isWhole?: boolean) => ShownDefinition;

/**
 * Describes how tools are called that are not sent: with the JSON schema of their parameters as long as there is room, the
 * best first; then with a signature.
 *
 * @param model - for which the schemas are.
 * @param tokens - the room for all of them.
 */
export function definer(model: unknown, tokens: number): Define {
  let left = tokens;
  return (entry, isDefined, isWhole = false) => {
    const parameters = isDefined && (isWhole || left > 0) ? definitionOf(entry, model) : undefined;
    const size = parameters === undefined ? Number.POSITIVE_INFINITY : estimateTokens(JSON.stringify(parameters));
    if (parameters === undefined || (size > left && !isWhole))
      return { signature: parametersOf(entry.tool, MAX_SIGNATURE) };
    left -= size;
    return { parameters };
  };
}

/** The answer to a call with arguments that do not fit. */
export interface Mistaken {
  readonly error: true;
  readonly message: string;
  readonly toolName: string;
  /** The JSON schema of the tool's parameters. */
  readonly parameters?: unknown;
  /** In its place where that is huge. */
  readonly signature?: string;
}

/** The most characters of the mistakes in a call that an answer quotes. */
const MAX_MISTAKES = 4_000;
/** A definition of up to this many tokens follows a mistake, however few of a search's results get theirs. */
const MIN_ROOM = 6_000;

/** The answer that names the mistakes in a call, with what the model needs to mend them. */
export function mistaken(mistakes: string, entry: CatalogEntry, model: unknown, wording: CallWording): Mistaken {
  const room = Math.max(MIN_ROOM, 4 * wording.schemaTokens);
  const parameters = definitionOf(entry, model) ?? {};
  const isHuge = estimateTokens(JSON.stringify(parameters)) > room;
  const shown = mistakes.length > MAX_MISTAKES ? `${cut(mistakes, MAX_MISTAKES)}...` : mistakes;
  const select = isHuge ? { search: wording.search, name: entry.name } : undefined;
  return {
    error: true,
    message: prompts.mistakenText(shown, wording.bridge, select),
    toolName: entry.name,
    ...(isHuge ? { signature: parametersOf(entry.tool, MAX_SIGNATURE) } : { parameters }),
  };
}

/**
 * The result of a tool that the model was not sent. Where its input did not fit, Mastra says how, and the model learns what
 * does.
 */
export function withExplanation(result: unknown, entry: CatalogEntry, model: unknown, wording: CallWording): unknown {
  return isRefusedInput(result) ? mistaken(result.message, entry, model, wording) : result;
}

type Standard = { readonly '~standard'?: { readonly jsonSchema?: { input(options: object): unknown } } };
type Converted = { readonly jsonSchema?: unknown };

/** The JSON schema of a tool's parameters as Mastra would send it to this model; undefined where there is none. */
function definitionOf({ name, tool, isResolved }: CatalogEntry, model: unknown): unknown {
  try {
    const shaped = isResolved ? undefined : (providerSchema(tool, name, model) as Standard | undefined);
    const own = (tool as { parameters?: Converted }).parameters;
    const converted = isResolved ? own : (makeCoreTool(tool, { name } as never).parameters as Converted | undefined);
    const schema = shaped?.['~standard']?.jsonSchema?.input({ target: 'draft-07' }) ?? converted?.jsonSchema;
    if (!asRecord(schema)) return undefined;
    const { $schema: _, ...rest } = schema as Record<string, unknown>;
    const text = JSON.stringify(rest);
    // Without what a person does not see and a model reads.
    return JSON.parse(clean(text, text.length)) as unknown;
  } catch {
    return undefined;
  }
}

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
