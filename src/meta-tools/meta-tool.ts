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

/** The validated options that the meta-tools read. */
export interface MetaToolOptions extends Readonly<SearchServices['options']> {
  readonly metaTools: ResolvedMetaTools;
  readonly topK: number;
  readonly autoLoad: boolean;
  readonly useMessage: boolean | 'fallback';
  /** How to recognize calls of meta-tools in a conversation. */
  readonly loadingTools: LoadingCalls;
  readonly pending?: ((request: { readonly requestContext?: RequestContext }) => readonly string[]) | undefined;
}

/** All parts of a processor that its meta-tools use. Each meta-tool takes only the parts that it needs. */
export interface MetaToolParts extends SearchServices {
  readonly options: MetaToolOptions;
  readonly loader: Loader;
  readonly forms: Forms;
  readonly registry: Registry;
  readonly groups: Groups;
  /** The learner of a request; undefined if learning is off, or the request has no scope. */
  readonly learnerOf: (state: Step['state']) => Learner | undefined;
  /** The skills that match the queries; absent if the option `skills` is off. Never rejects. */
  readonly skillsFor?: ((queries: readonly string[], step: Step) => Promise<readonly FoundSkill[]>) | undefined;
}

/** A skill that matches a search. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
  /** The tools of the skill that the request may find. */
  readonly tools: readonly string[];
}

/** Learning, as the searches and calls of one request use it. */
export interface Learner {
  readonly reranker: Reranker;
  noteShown(query: string, shown: readonly RankedMatch[]): void;
  /** Records a successful call of a catalog tool that no message shows. */
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
  /** Absent if the result is that of another tool. */
  readonly result?: JsonSchema;
  /** Reads the fields of a call leniently, whatever the model sent. */
  readonly read: (fields: Readonly<Record<string, unknown>>) => Input;
  readonly execute: (input: Input, context: ToolContext | undefined) => Promise<Result>;
}

/** Creates a Mastra tool. Its schema accepts any input: a refused call costs a turn, and teaches less than a result. */
export function createMetaTool<Input, Result>(metaTool: MetaTool<Input, Result>): MastraTool {
  const { name, description, parameters, result, read, execute } = metaTool;
  return createTool({
    id: name,
    description,
    inputSchema: standardSchema(parameters, (value) => read(asObject(value))),
    ...(result ? { outputSchema: standardSchema(result, (value) => value) } : {}),
    execute,
    // Mastra's types allow zod and plain JSON schemas; at run time Mastra accepts any Standard Schema.
  } as never) as MastraTool;
}

/** The part of the Standard Schema interface, with its JSON schema side, that Mastra uses. */
function standardSchema(schema: JsonSchema, read: (value: unknown) => unknown): object {
  // A copy, since Mastra may mutate the schema.
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

/** The fields of an object, or of JSON text of an object; no fields for anything else. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return asRecord(typeof value === 'string' ? parseJson(value) : value) ?? {};
}

/** Reads a list of texts leniently: `["a"]`, `"a"` or `'["a"]'`. Undefined without a value. */
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

/** The distinct queries of a call; empty if there is no text. */
export function queriesIn(value: unknown): string[] {
  const texts = typeof value === 'number' ? [String(value)] : (readTexts(value) ?? []);
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** The fields of a result that hold lists. Empty lists are left out, as @mastra/core does. */
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

/** The step with the conversation as of one call of a meta-tool: the conversation grows while the step runs. */
export function duringCall(
  step: Step,
  context: { readonly abortSignal?: AbortSignal } | undefined,
  loadingTools: LoadingCalls,
): Step {
  noteCall(step.state);
  const permissions = step.permissions.until(context?.abortSignal);
  const known = originOfCall(context, step.origin);
  // Later steps reuse the ids, which only a call may have provided.
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

/** The sentence for a request that can find no tool. An empty catalog and a fully forbidden one get the same sentence. */
export async function nothingToFind({ catalog, permissions, state }: Step): Promise<string | undefined> {
  if (!catalog.isComplete) return undefined;
  const { permitted, left } = await permissions.inSearch().choose(catalog.entries, 1, 'search');
  if (permitted.length + left > 0 || permissions.isAborted) return undefined;
  return prompts.noTools((await state.base)?.isUnknown === true);
}

/** @throws ToolSearchError `meta-tool-clash` for a tool named like a meta-tool: one would silently replace the other. */
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
