import { createTool, isProviderDefinedTool, type Tool, type ToolExecutionContext } from '@mastra/core/tools';
import { given } from '../util/record.ts';

/**
 * Any Mastra tool. Mastra's `Tool` is invariant in its type parameters, so only `any` lets one record hold different tools;
 * this alias is the only place with `any`.
 *
 * @example
 * ```ts
 * const isRead = (tool: MastraTool) => tool.id.startsWith('get_');
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type MastraTool = Tool<any, any, any, any, any, any, any>;

/**
 * A Mastra tool with any type parameters. The interface names none, because TypeScript would otherwise infer the types of a
 * tool that is written inline from the expected type instead of from the tool.
 *
 * @example
 * ```ts
 * import { createTool } from '@mastra/core/tools';
 *
 * const clock: MastraToolLike = createTool({ id: 'clock', description: 'The time.', execute: async () => Date.now() });
 * ```
 */
export interface MastraToolLike {
  readonly id: string;
  readonly description: string;
  readonly inputSchema?: object | undefined;
  readonly execute?: object | undefined;
}

/**
 * A tool of the AI SDK.
 *
 * @example
 * ```ts
 * import { z } from 'zod';
 *
 * const clock: AiSdkToolLike = { description: 'The time.', inputSchema: z.object({}), execute: async () => Date.now() };
 * ```
 */
export interface AiSdkToolLike {
  readonly description?: unknown;
  readonly inputSchema: object;
  readonly execute?: object | undefined;
}

/**
 * A provider's own tool, such as web search.
 *
 * @example
 * ```ts
 * const webSearch: ProviderToolLike = { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} };
 * ```
 */
export interface ProviderToolLike {
  readonly type: 'provider' | 'provider-defined';
  readonly id: `${string}.${string}`;
  readonly name?: string | undefined;
  readonly args: object;
}

/**
 * What can be searched and loaded: tools of Mastra, of the AI SDK and of providers.
 *
 * @example
 * ```ts
 * import { createTool } from '@mastra/core/tools';
 *
 * const clock: AnyTool = createTool({ id: 'clock', description: 'The time.', execute: async () => Date.now() });
 * new ToolSearchProcessor({ tools: { clock } });
 * ```
 */
export type AnyTool = MastraToolLike | AiSdkToolLike | ProviderToolLike;

/** What Mastra hands to `execute` as its second argument. */
export type ToolContext = ToolExecutionContext<unknown, unknown>;

/** The global symbol that Mastra's own `Tool` class sets, so that tools of a second installed copy are recognised. */
export const MASTRA_TOOL_MARKER: unique symbol = Symbol.for('mastra.core.tool.Tool') as never;

export function isMastraTool(value: unknown): value is MastraTool {
  return typeof value === 'object' && value !== null && MASTRA_TOOL_MARKER in value;
}

/** Whether the value can be offered to a model at all: a Mastra tool, an AI SDK tool or a provider's own tool. */
export function isTool(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (isMastraTool(value) || isProviderDefinedTool(value)) return true;
  const fields = value as Record<string, unknown>;
  return typeof fields['execute'] === 'function' || isObject(fields['inputSchema']) || isObject(fields['parameters']);
}

/** Whether the provider runs the tool itself (as for web search); Mastra passes such a tool through. */
export function isProviderTool(value: unknown): boolean {
  return isProviderDefinedTool(value);
}

/**
 * The tool as Mastra's loop wants it. Raw AI SDK tools returned by a processor would pass through without span,
 * Mastra instance or writer, so they are wrapped; Mastra's and the providers' tools stay as they are.
 */
export function toMastraTool(name: string, value: object): MastraTool {
  if (isMastraTool(value) || isProviderDefinedTool(value)) return value as MastraTool;
  const source = value as AiSdkTool;
  const wrapped = createTool({
    ...source,
    id: name,
    description: source.description ?? '',
    inputSchema: source.inputSchema ?? source.parameters,
    ...(source.needsApproval === undefined ? {} : { requireApproval: source.needsApproval }),
    ...(typeof source.execute === 'function' ? { execute: adaptExecute(source) } : {}),
  } as never) as MastraTool;
  // createTool drops these fields.
  const { metadata, _meta, annotations } = source;
  return Object.assign(wrapped, given({ metadata, _meta, annotations }));
}

/** A copy that keeps the prototype, so that it is still a Mastra tool, and leaves the caller's object untouched. */
export function copyTool(tool: MastraTool, changes: Partial<MastraTool>): MastraTool {
  // Mastra reads every tool in every step. It reads an object made by a spread several times as fast as one made by
  // `Object.assign`.
  if (Object.getPrototypeOf(tool) === Object.prototype) return { ...tool, ...changes } as MastraTool;
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object), tool, changes) as MastraTool;
}

interface AiSdkTool {
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly parameters?: unknown;
  readonly needsApproval?: unknown;
  readonly metadata?: unknown;
  readonly _meta?: unknown;
  readonly annotations?: unknown;
  readonly execute?: (input: unknown, options: object) => unknown;
}

/** AI SDK tools take the call's id, messages and signal; Mastra keeps the first two under `agent`. */
function adaptExecute(tool: AiSdkTool): (input: unknown, context: ToolContext | undefined) => Promise<unknown> {
  return async (input, context) =>
    tool.execute?.(input, {
      toolCallId: context?.agent?.toolCallId ?? '',
      messages: context?.agent?.messages ?? [],
      abortSignal: context?.abortSignal,
      requestContext: context?.requestContext,
    });
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The trimmed description of a tool; empty where the description is missing or cannot be read. */
export function descriptionOf(tool: object): string {
  try {
    const { description } = tool as { description?: unknown };
    return typeof description === 'string' ? description.trim() : '';
  } catch {
    return '';
  }
}
