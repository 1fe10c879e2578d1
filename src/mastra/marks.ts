import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';

/** One run of an agent: made when Mastra asks for tools, completed by the run's first step. */
export interface Run {
  readonly requestContext: RequestContext | undefined;
  /** The tools that were resolved for this run, besides the agent's own. */
  readonly catalog?: Catalog | undefined;
  /** Known from the first step on. After a restart a resumed call runs before any step. */
  isLoaded?: (name: string) => boolean;
  agentId?: Promise<string>;
}

/** Ties a tool that comes back from Mastra to what was handed over. */
export interface Mark {
  /** Of the processor. */
  readonly owner: object;
  readonly name: string;
  /** Absent for stand-ins, which serve all runs. */
  readonly run?: Run;
  readonly kind: 'converted' | 'stand-in' | 'probe' | 'resolved' | 'alias';
  /** The stand-in as it was handed over: another object comes back when the agent has hooks. */
  standIn?: object;
}

export const MARK: unique symbol = Symbol('mastra-tool-search');

/** Mastra's conversion copies no symbol, but it keeps the `onOutput` function: marks of converted tools hang on it. */
const marks = new WeakMap<object, Mark>();

/** Tools that a processor sent as they are: meta-tools and loaded tools that carry no mark. */
const sent = new WeakSet<object>();

/** Marks a converted tool, by the function that it gets as `onOutput`. */
export function markByOutput(onOutput: object, mark: Mark): void {
  marks.set(onOutput, mark);
}

/** Remembers what a processor sends. */
export function markSent(tools: Iterable<unknown>): void {
  for (const tool of tools) if (typeof tool === 'object' && tool !== null) sent.add(tool);
}

export function markOf(tool: unknown): Mark | undefined {
  if (typeof tool !== 'object' || tool === null) return undefined;
  const marked = tool as { readonly [MARK]?: Mark; readonly onOutput?: unknown };
  if (marked[MARK]) return marked[MARK];
  return typeof marked.onOutput === 'function' ? marks.get(marked.onOutput) : undefined;
}

/** Whether a ToolSearchProcessor handed this tool over or sent it: then it is not for another one to withhold. */
export function isHandled(tool: unknown): boolean {
  const mark = markOf(tool);
  if (mark) return mark.kind !== 'resolved';
  return typeof tool === 'object' && tool !== null && sent.has(tool);
}
