/** Runs a tool, as Mastra's loop calls it. */
export type Execute = (input: unknown, context: unknown) => Promise<unknown>;

/**
 * Ties a tool that comes back from Mastra to what was registered. Another instance may read it, and another copy of
 * this package.
 */
export interface Mark {
  readonly name: string;
  /**
   * - `converted`: with its definition, as deferred tools are sent.
   * - `proxy`: converted by Mastra without its definition.
   * - `light-proxy`: not converted; one object for all runs.
   * - `resolved`: one of the agent's own searchable tools, guarded.
   * - `alias`: the same under another name, for calls that are resumed.
   */
  readonly kind: 'converted' | 'proxy' | 'light-proxy' | 'resolved' | 'alias';
  /** Runs a proxy tool or a converted tool for the step that sent it last. A call that is resumed belongs to no step. */
  execute?: Execute;
  /** The latest step's answer for a resolved tool. */
  isLoaded?: (name: string) => boolean;
  /** The lightweight proxy as it was registered: another object comes back when the agent has hooks. */
  lightProxy?: object;
  /** Asked through a proxy tool, once. */
  owner?: Promise<Owner>;
}

export const MARK: unique symbol = Symbol.for('mastra-tool-search.mark') as never;

/** The key in the context of a lightweight proxy's call that holds the function by which the step runs the tool. */
export const RUN: unique symbol = Symbol.for('mastra-tool-search.run') as never;

/** The key in the context of a call that holds the settings of its run, where Mastra gave the tool none. */
export const KNOWN: unique symbol = Symbol.for('mastra-tool-search.known') as never;

/** State that all copies of this package in one process share. */
interface Shared {
  /** Tools that a processor sent: meta-tools and loaded tools. */
  readonly sent: WeakSet<object>;
  /** Tools that a processor took out of a step, for the processors behind it, by the request's message list. */
  readonly hiddenTools: WeakMap<object, RegisteredTools>;
}

/** A tool as it came back from Mastra, with the agent's hooks around it. */
export interface RegisteredTool {
  readonly mark: Mark;
  readonly tool: object;
}

/** Tools by the name the model calls. */
export type RegisteredTools = ReadonlyMap<string, RegisteredTool>;

const SHARED = Symbol.for('mastra-tool-search.shared');
const place = globalThis as { [SHARED]?: Shared };
const shared: Shared = place[SHARED] ?? { sent: new WeakSet(), hiddenTools: new WeakMap() };
place[SHARED] = shared;
export const sent: Shared['sent'] = shared.sent;
export const hiddenTools: Shared['hiddenTools'] = shared.hiddenTools;

/** Marks a tool that Mastra converts: the conversion copies no symbol, but it keeps this function. */
export function markedOutput(onOutput: ((output: never) => unknown) | undefined, mark: Mark): object {
  return Object.assign((output: never): unknown => onOutput?.(output), { [MARK]: mark });
}

/** Remembers what a processor sends. */
export function markSent(tools: Iterable<unknown>): void {
  for (const tool of tools) if (typeof tool === 'object' && tool !== null) sent.add(tool);
}

export function markOf(tool: unknown): Mark | undefined {
  if (typeof tool !== 'object' || tool === null) return undefined;
  try {
    const { [MARK]: mark, onOutput } = tool as {
      readonly [MARK]?: Mark;
      readonly onOutput?: { readonly [MARK]?: Mark };
    };
    return mark ?? onOutput?.[MARK];
  } catch {
    // A getter that throws.
    return undefined;
  }
}

/** Whether a ToolSearchProcessor with a filter searches this tool of the agent, and sends or hides it. */
export function isSearched(tool: unknown): boolean {
  return markOf(tool)?.kind === 'resolved';
}

/** Whether a ToolSearchProcessor registered or sent this tool: then no other processor hides it. */
export function isHandled(tool: unknown): boolean {
  const mark = markOf(tool);
  if (mark) return mark.kind !== 'resolved';
  return typeof tool === 'object' && tool !== null && sent.has(tool);
}

/** The agent that a tool belongs to. Only a tool that Mastra converted receives it. */
export interface Owner {
  readonly agentId: string;
  readonly mastra?: unknown;
  /** Settings of the run. */
  readonly settings?: object;
}

/** The tools that are change detectors, each with the function that makes a record report to it. */
export const watchers: WeakMap<object, Watch> = new WeakMap();

type Watch = <Tools extends Record<string, unknown>>(tools: Tools, received: object | undefined) => Tools;

/**
 * The tools of a step, which tell their detectors what is done with them; the same record where there is none. The code
 * of detectors is a chunk of the package, which is there where one is.
 *
 * @param received - the tools that the step received.
 */
export function watched<Tools extends Record<string, unknown>>(tools: Tools, received: object | undefined): Tools {
  for (const tool of Object.values(tools)) {
    const watch = watchers.get(tool as object);
    if (watch) return watch(tools, received);
  }
  return tools;
}
