import { makeCoreTool } from '@mastra/core/utils';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Groups } from '../../catalog/groups.ts';
import { MAX_SIGNATURE, parametersOf } from '../../catalog/signature.ts';
import { callsOfRun } from '../../loaded/conversation/conversation.ts';
import { isRefusedInput } from '../../mastra/calls.ts';
import { providerSchema } from '../../mastra/schemas.ts';
import { selected } from '../../meta-tools/answer.ts';
import { failingIn } from '../../meta-tools/failed-calls.ts';
import { type Loader, resolveNames, withSuggestions } from '../../meta-tools/loading.ts';
import { asObject, queriesIn } from '../../meta-tools/meta-tool.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import type { CompleteResult, SearchToolsResult } from '../../meta-tools/search-tool.ts';
import { isSelection } from '../../scorers/words/query.ts';
import type { SearchResult } from '../../search/search-result.ts';
import type { Selection, Step } from '../../step/step.ts';
import { asRecord } from '../../util/record.ts';
import { clean, cut } from '../../util/text.ts';
import { estimateTokens } from '../../util/tokens.ts';

/** The names that texts for a model use, and the limit of their length. */
export interface CallWording {
  readonly search: string;
  /** The name of `call_tool`; absent if the model calls tools only by their own names. */
  readonly bridge?: string | undefined;
  readonly schemaTokens: number;
}

/** Describes how to call a tool. `isWhole` gives the full definition, regardless of the tokens left. */
export type Define = (
  entry: CatalogEntry,
  isDefined: boolean,
  isWhole?: boolean,
) => { readonly parameters: unknown } | { readonly signature: string };

/** Describes tools that are not sent: by the JSON schema of the parameters while `tokens` last, then by a signature. */
export function definer(model: unknown, tokens: number): Define {
  let left = tokens;
  return (entry, isDefined, isWhole = false) => {
    const parameters = isDefined && (isWhole || left > 0) ? definitionOf(entry, model) : undefined;
    const size = parameters === undefined ? 0 : estimateTokens(JSON.stringify(parameters));
    if (parameters === undefined || (size > left && !isWhole))
      return { signature: parametersOf(entry.tool, MAX_SIGNATURE) };
    left -= size;
    return { parameters };
  };
}

/** The answer to a call with invalid arguments. */
export interface Mistaken {
  readonly error: true;
  readonly message: string;
  readonly toolName: string;
  readonly parameters?: unknown;
  /** Replaces `parameters` if the schema is huge. */
  readonly signature?: string;
}

/** Limit, in characters, of the validation errors that an answer quotes. */
const MAX_MISTAKES = 4_000;
/** Minimum limit, in tokens, of the definition in an answer to invalid arguments, however small `schemaTokens` is. */
const MIN_ROOM = 6_000;

/** The answer to invalid arguments: the validation errors, and the definition that the model needs to correct the call. */
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

/** The result of a tool that was not sent. Adds the definition of the tool if its input was refused. */
export function withExplanation(result: unknown, entry: CatalogEntry, model: unknown, wording: CallWording): unknown {
  return isRefusedInput(result) ? mistaken(result.message, entry, model, wording) : result;
}

/** A Standard Schema, or the form into which Mastra converts one. */
interface WithSchema {
  readonly '~standard'?: { readonly jsonSchema?: { input(options: object): unknown } };
  readonly jsonSchema?: unknown;
}

/** The JSON schema of a tool's parameters as Mastra would send it to this model; undefined if the tool has none. */
function definitionOf({ name, tool, isResolved }: CatalogEntry, model: unknown): unknown {
  try {
    const shaped = isResolved ? undefined : (providerSchema(tool, name, model) as WithSchema | undefined);
    const converted = (isResolved ? tool : makeCoreTool(tool, { name } as never)) as { parameters?: WithSchema };
    const schema = shaped?.['~standard']?.jsonSchema?.input({ target: 'draft-07' }) ?? converted.parameters?.jsonSchema;
    if (!asRecord(schema)) return undefined;
    const { $schema: _, ...rest } = schema as Record<string, unknown>;
    const examples = examplesOf(tool);
    const text = JSON.stringify(examples.length > 0 ? { ...rest, examples } : rest);
    // `clean` removes invisible characters, which a model reads and a person does not see.
    return JSON.parse(clean(text, text.length)) as unknown;
  } catch {
    return undefined;
  }
}

/** Limits of the shown `inputExamples` of a tool: their number, and their characters in total. */
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_TEXT = 2_000;

/** The `inputExamples` of a tool, for the `examples` keyword of JSON Schema. */
function examplesOf(tool: CatalogEntry['tool']): readonly unknown[] {
  const { inputExamples } = tool as { readonly inputExamples?: unknown };
  if (!Array.isArray(inputExamples)) return [];
  let room = MAX_EXAMPLE_TEXT;
  return inputExamples.slice(0, MAX_EXAMPLES).flatMap((example: unknown) => {
    const input = asRecord(asRecord(example)?.['input']);
    if (!input) return [];
    room -= JSON.stringify(input).length;
    return room >= 0 ? [input] : [];
  });
}

/**
 * A result below this share of the best confidence (or of the best score, without confidences) is unlikely to be called, so
 * it gets only a signature.
 */
const LIKELY = 0.15;

/** Returns a predicate for search results that are unlikely to be called. */
export function unlikelyOf(results: readonly SearchResult[], isSelected: boolean): (found: SearchResult) => boolean {
  // Scores of different queries, of the user's message and of a selection are not comparable.
  const isOfOneQuery = ({ queries, fromMessage }: SearchResult): boolean => !isSelected && !queries && !fromMessage;
  const ofOneQuery = results.filter(isOfOneQuery);
  const areRated = ofOneQuery.every(({ confidence }) => confidence !== undefined);
  const likelihood = ({ score, confidence = 0 }: SearchResult): number => (areRated ? confidence : score);
  const best = Math.max(...ofOneQuery.map(likelihood));
  return (found) => isOfOneQuery(found) && best > 0 && likelihood(found) < LIKELY * best;
}

/** Adds definitions to results, in order, while `tokens` last. The first result of a selection always gets its definition. */
export function callableResults(tokens: number, loader: Loader): CompleteResult {
  return (result, { query }, step) => {
    const { catalog, tools } = step;
    const define = definer(step.args.model, tokens);
    const isSelected = query.some(isSelection);
    const isUnlikely = unlikelyOf(result.results, isSelected);
    const failing = failingIn(step);
    if (wasAnswered(query, result, step)) {
      const results = result.results.map(({ signature: _, ...found }) => {
        const entry = failing.has(found.name) ? catalog.get(found.name) : undefined;
        return entry ? { ...found, ...define(loader.ready(entry, step) ?? entry, true) } : found;
      });
      return { ...result, results, message: `${prompts.asBefore()} ${result.message}` };
    }
    let isFirst = true;
    const results = result.results.map(({ signature: _, ...found }) => {
      const entry = tools.isAvailable(found.name) ? undefined : catalog.get(found.name);
      if (!entry) return found;
      // A lazy tool has a definition only after a call or a selection.
      const known = loader.ready(entry, step);
      // Results of the other queries have `queries` or `fromMessage`; the others are selected.
      const isWhole = isSelected && isFirst && !found.queries && !found.fromMessage;
      isFirst = false;
      return { ...found, ...define(known ?? entry, known !== undefined && !isUnlikely(found), isWhole) };
    });
    return { ...result, results };
  };
}

/** Whether an earlier search of the run with the same query has already shown all of these results. */
function wasAnswered(query: readonly string[], { results }: SearchToolsResult, { calls, mode }: Step): boolean {
  const asked = JSON.stringify(query);
  const names = results.map(({ name }) => name);
  return (
    names.length > 0 &&
    callsOfRun(calls).some((call) => {
      if (call.toolName !== mode.names.search || call.state !== 'result') return false;
      if (JSON.stringify(queriesIn(asObject(call.args)['query'])) !== asked) return false;
      const shown = asRecord(call.result)?.['results'];
      const before = new Set(Array.isArray(shown) ? shown.map((each) => asRecord(each)?.['name']) : []);
      return names.every((name) => before.has(name));
    })
  );
}

/**
 * `select:a,b`: describes exactly these tools, in that order.
 *
 * @param how - returns the sentence that says how to call this number of tools.
 */
export async function describe(
  names: readonly string[],
  step: Step,
  groups: Groups,
  loader: Loader,
  how: (count: number) => string = (count) => prompts.described(count, step.mode.names.load),
): Promise<Selection> {
  const { tools, permissions, mode } = step;
  const meant = await resolveNames(names, step, ['search', 'load'], groups);
  const usable = new Set(await permissions.allowed(meant.flat(), 'active'));
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
    ...(deferred.length > 0 ? [how(deferred.length)] : []),
    ...there.map(prompts.callDirectly),
    ...[...failing].map(prompts.cannotBeUsed),
    ...unknown.map((name) => prompts.notFound(name, mode.names)),
  ].join(' ');
  return { results: entries.map((entry) => selected(entry, tools.isAvailable(entry.name))), message };
}
