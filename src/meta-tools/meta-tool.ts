import type { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import type { Groups } from '../catalog/groups.ts';
import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import { stepError } from '../errors.ts';
import { type PlacedOrigin, placeIn } from '../events/reporter.ts';
import { callsIn, conversationOf, type LoadingCalls } from '../loaded/conversation/conversation.ts';
import type { Registry } from '../loaded/registry.ts';
import { originOfCall } from '../mastra/marks.ts';
import type { SearchServices } from '../search/find.ts';
import type { RankedMatch, Reranker } from '../search/rerank.ts';
import { newAllowance, noteCall, type Step } from '../step/step.ts';
import { asRecord } from '../util/record.ts';
import type { Forms } from './forms.ts';
import type { Loader } from './loading.ts';
import type { ResolvedMetaTools } from './options.ts';
import * as prompts from './prompts.ts';

/** The options, checked, as far as the meta-tools read them. */
export interface MetaToolOptions extends Readonly<SearchServices['options']> {
  readonly metaTools: ResolvedMetaTools;
  readonly topK: number;
  readonly autoLoad: boolean;
  readonly useMessage: boolean | 'fallback';
  /** How calls of meta-tools stand in a conversation. */
  readonly loadingTools: LoadingCalls;
  readonly pending?: ((request: { readonly requestContext?: RequestContext }) => readonly string[]) | undefined;
}

/** The parts of a processor that its meta-tools use between them. Each takes those that it uses itself. */
export interface MetaToolParts extends SearchServices {
  readonly options: MetaToolOptions;
  readonly loader: Loader;
  readonly forms: Forms;
  readonly registry: Registry;
  readonly groups: Groups;
  /** What is learned from use; absent where that is off, or nobody knows whose use it is. */
  readonly learnerOf: (state: Step['state']) => Learner | undefined;
  /** The skills that fit queries; absent where the option `skills` is off. Never rejects. */
  readonly skillsFor?: ((queries: readonly string[], step: Step) => Promise<readonly FoundSkill[]>) | undefined;
}

/** A skill that fits a search. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
  /** Its tools, as far as the request may find them. */
  readonly tools: readonly string[];
}

/** What is learned from use, as the searches of one request need it. */
export interface Learner {
  readonly reranker: Reranker;
  noteShown(query: string, shown: readonly RankedMatch[]): void;
  /** Notes that a tool of the catalog was called with success, where no message says so. */
  noteCall(toolName: string): void;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export const TEXT: JsonSchema = { type: 'string' };
export const TEXTS: JsonSchema = { type: 'array', items: TEXT };

export function objectSchema<Name extends string>(
  properties: Readonly<Record<Name, JsonSchema>>,
  required: readonly NoInfer<Name>[],
): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

interface MetaTool<Input, Result> {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Absent where the result is that of another tool. */
  readonly result?: JsonSchema;
  /** Makes the best of what the model sent. */
  readonly read: (fields: Readonly<Record<string, unknown>>) => Input;
  readonly execute: (input: Input, context: ToolContext | undefined) => Promise<Result>;
}

/** A meta-tool as Mastra has it. Its schema refuses nothing: a refused call costs a turn, and teaches less than a result. */
export function createMetaTool<Input, Result>(metaTool: MetaTool<Input, Result>): MastraTool {
  const { name, description, parameters, result, read, execute } = metaTool;
  return createTool({
    id: name,
    description,
    inputSchema: standardSchema(parameters, (value) => read(asObject(value))),
    ...(result ? { outputSchema: standardSchema(result, (value) => value) } : {}),
    execute,
    // Mastra's types know schemas of zod and plain JSON schemas; at run time it takes any Standard Schema.
  } as never) as MastraTool;
}

/** The part of the Standard Schema interface, with its JSON schema side, that Mastra uses. */
function standardSchema(schema: JsonSchema, read: (value: unknown) => unknown): object {
  // Mastra may change what it gets.
  const jsonSchema = (): JsonSchema => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'mastra-tool-search',
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate: (value: unknown) => ({ value: read(value) }),
    },
  };
}

/** The fields of an object, or of an object as JSON; none for anything else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return asRecord(typeof value === 'string' ? parseJson(value) : value) ?? {};
}

/** The texts of what should be a list of them: `["a"]`, `"a"`, `'["a"]'`. Undefined where there is no value. */
export function readTexts(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').map((item) => item.trim());
  if (typeof value !== 'string') return [];
  if (value.trimStart().startsWith('[')) {
    const parsed = parseJson(value);
    if (Array.isArray(parsed)) return readTexts(parsed);
  }
  return [value.trim()];
}

/** The queries of a call, each once; none where there is no text. */
export function queriesIn(value: unknown): string[] {
  const texts = typeof value === 'number' ? [String(value)] : (readTexts(value) ?? []);
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** Lists, by the fields of a result that hold them; an empty one is left out, as in core. */
export function listed<Name extends string>(
  lists: Readonly<Record<Name, readonly string[]>>,
): {
  readonly [Field in Name]?: string[];
} {
  const filled = Object.entries<readonly string[]>(lists).filter(([, list]) => list.length > 0);
  return Object.fromEntries(filled.map(([name, list]) => [name, [...list]])) as never;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The step as one call of a meta-tool sees it: while a step runs, the conversation grows. */
export function duringCall(
  step: Step,
  context: { readonly abortSignal?: AbortSignal } | undefined,
  loadingTools: LoadingCalls,
): Step {
  noteCall(step.state);
  const permissions = step.permissions.until(context?.abortSignal);
  const known = originOfCall(context, step.origin);
  // The steps that follow have the ids as well, where nothing else gave them.
  step.state.origin = known;
  const origin: PlacedOrigin = { ...known, place: placeIn(step.origin)?.ofCall(context) };
  return {
    ...step,
    calls: callsIn(conversationOf(step.args), loadingTools),
    permissions,
    allowance: newAllowance(),
    origin,
  };
}

/** The sentence for a request that has nothing to find: all is forbidden, or there are no tools, which looks the same. */
export async function nothingToFind({ catalog, permissions, state }: Step): Promise<string | undefined> {
  if (!catalog.isComplete) return undefined;
  const { permitted, left } = await permissions.inSearch().choose(catalog.entries, 1, 'search');
  if (permitted.length + left > 0 || permissions.isAborted) return undefined;
  return prompts.noTools((await state.base)?.isUnknown === true);
}

/** @throws ToolSearchError `meta-tool-clash` for a tool with a name of a meta-tool: one would silently replace the other. */
export function refuseClash(
  tools: Readonly<Record<string, unknown>>,
  names: readonly string[],
  fixed: readonly string[] = [],
): void {
  for (const name of [...names, ...fixed]) {
    if (!Object.hasOwn(tools, name)) continue;
    const remedy = fixed.includes(name)
      ? `, and the provider's tool search can have no other name. Only one processor of an agent can use it: give the others mode: 'load'.`
      : '. Give the meta-tools of this processor other names with metaTools.search.name, metaTools.load.name and metaTools.unload.name.';
    throw stepError(
      'meta-tool-clash',
      `The agent already has a tool called "${name}", its own or another ToolSearchProcessor's${remedy}`,
    );
  }
}
