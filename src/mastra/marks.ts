import type { Mastra } from '@mastra/core/mastra';
import type { ToolContext } from '../catalog/tool.ts';
import type { EventOrigin } from '../events/origin.ts';

/** Runs a tool, as Mastra's loop calls it. */
export type Execute = (input: unknown, context: unknown) => Promise<unknown>;

/**
 * Identifies a tool that Mastra returns as one that a processor registered. Another copy of this package may read the
 * mark.
 */
export interface Mark {
  readonly name: string;
  /**
   * - `converted`: registered with its definition. Deferred tools are.
   * - `proxy`: converted by Mastra without its definition.
   * - `light-proxy`: not converted; one object for all runs.
   * - `resolved`: one of the agent's own searchable tools, guarded.
   * - `alias`: a resolved tool under another name, for resumed calls.
   */
  readonly kind: 'converted' | 'proxy' | 'light-proxy' | 'resolved' | 'alias';
  /**
   * Runs a call of a proxy tool or converted tool for the latest step that sent the tool. Undefined before the first
   * such step. A resumed call belongs to no step.
   */
  execute?: Execute;
  /** For a resolved tool: asks the latest step whether a tool is loaded. */
  isLoaded?: (name: string) => boolean;
  /** The settings of the run. The proxy tool is asked for them once. */
  settings?: Promise<RunSettings | undefined>;
}

/** The settings of a run, as far as Mastra gives them to the call of a converted tool. */
export interface RunSettings {
  readonly agentId?: string;
  readonly mastra?: Mastra | undefined;
  readonly model?: unknown;
  readonly memory?: unknown;
  readonly workspace?: unknown;
  readonly runId?: string;
  readonly threadId?: string;
  readonly resourceId?: string;
}

/** The settings of the run, from the context that Mastra gives a call of a converted tool. */
export function settingsOf(context: unknown): RunSettings {
  const { agent, mastra, memory, workspace, ...call } = (context ?? {}) as ToolContext & RunSettings;
  const settings = {
    ...{ agentId: agent?.agentId, mastra, memory, workspace, runId: call.runId },
    ...{ threadId: agent?.threadId ?? call.threadId, resourceId: agent?.resourceId ?? call.resourceId },
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value)) as RunSettings;
}

export function idsIn({ mastra: _, model: __, memory: ___, workspace: ____, ...ids }: RunSettings): EventOrigin {
  return ids;
}

/** The origin of a call's events: that of its step, completed by the context of the call. */
export function originOfCall(context: unknown, step: EventOrigin = {}): EventOrigin {
  return { ...idsIn(settingsOf(context)), ...step };
}

/**
 * The abort signals of program calls that have reached their tool. A hook of the agent may answer a call before that.
 */
const begun = new WeakSet<object>();

/** Notes that a call has reached its tool. */
export function noteBegun(signal: unknown): void {
  if (typeof signal === 'object' && signal !== null) begun.add(signal);
}

export function hasBegun(signal: AbortSignal): boolean {
  return begun.has(signal);
}

export const MARK: unique symbol = Symbol.for('mastra-tool-search.mark') as never;

/** Key in the context of a lightweight proxy's call: the function with which the step runs the tool. */
export const RUN: unique symbol = Symbol.for('mastra-tool-search.run') as never;

/** Key in the context of a call: the settings of its run, if Mastra gave the tool none. */
export const KNOWN: unique symbol = Symbol.for('mastra-tool-search.known') as never;

/** State that all copies of this package in one process share. */
interface Shared {
  /** Tools that a processor sent: meta-tools and loaded tools. */
  readonly sent: WeakSet<object>;
  /**
   * Registered tools that a processor removed from a step, kept for later processors, by the request's message list.
   */
  readonly hiddenTools: WeakMap<object, RegisteredTools>;
}

/** A tool as it came back from Mastra, with the agent's hooks around it. */
export interface RegisteredTool {
  readonly mark: Mark;
  readonly tool: object;
}

/** The registered tools of a request, by the name that the model calls. */
export type RegisteredTools = ReadonlyMap<string, RegisteredTool>;

const SHARED = Symbol.for('mastra-tool-search.shared');
const place = globalThis as { [SHARED]?: Shared };
const shared: Shared = place[SHARED] ?? { sent: new WeakSet(), hiddenTools: new WeakMap() };
place[SHARED] = shared;

/** Marks a tool that Mastra converts: the conversion copies no symbol, but it keeps this function. */
export function markedOutput(onOutput: ((output: never) => unknown) | undefined, mark: Mark): object {
  return Object.assign((output: never): unknown => onOutput?.(output), { [MARK]: mark });
}

export function markSent(tools: Iterable<unknown>): void {
  for (const tool of tools) if (typeof tool === 'object' && tool !== null) shared.sent.add(tool);
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
    // A getter of the tool has thrown.
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
  return typeof tool === 'object' && tool !== null && shared.sent.has(tool);
}

/** The tools that a step received, separated by origin. */
export interface SeparatedTools {
  /**
   * The tools of the agent and of other processors, and those that an earlier ToolSearchProcessor sends in this step.
   */
  readonly own: Record<string, unknown>;
  /** Tools that any ToolSearchProcessor registered. */
  readonly registered: RegisteredTools;
  /** Whether a ToolSearchProcessor registered or guards any of the tools. */
  readonly hasMarks: boolean;
}

/** The tools of a request's last step, reused while the next steps receive the same tools. */
interface LastStep extends SeparatedTools {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
}

const lastSteps = new WeakMap<object, LastStep>();

/**
 * Separates registered tools from the others, regardless of the instance that registered them: with a new processor for
 * each request, the instance that registered the tools has no step of its own. A later processor finds the registered
 * tools by the message list. A step that receives the same tools as the last step of its request gets the same result.
 */
export function separate(
  request: object,
  tools: Readonly<Record<string, unknown>> | undefined,
  messageList: object | undefined,
): SeparatedTools {
  const received = tools ?? {};
  const last = lastSteps.get(request);
  const now = Object.keys(received);
  // Compares references, because reading the tools would take longer.
  const isStill = ({ keys, values }: LastStep): boolean =>
    now.length === keys.length && now.every((key, at) => key === keys[at] && received[key] === values[at]);
  const step = last && isStill(last) ? last : takeApart(received);
  lastSteps.set(request, step);
  const registered = messageList ? withTaken(step.registered, messageList) : step.registered;
  return { own: step.own, registered, hasMarks: step.hasMarks };
}

/** The registered tools, including those that earlier processors removed from the step. */
function withTaken(registered: RegisteredTools, messageList: object): RegisteredTools {
  const taken = shared.hiddenTools.get(messageList);
  if (!taken || taken === registered) {
    if (registered.size > 0) shared.hiddenTools.set(messageList, registered);
    return registered;
  }
  if (registered.size === 0) return taken;
  const all = new Map([...taken, ...registered]);
  shared.hiddenTools.set(messageList, all);
  return all;
}

function takeApart(received: Readonly<Record<string, unknown>>): LastStep {
  // Without a prototype, because a tool may be called "__proto__".
  const own: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const registered = new Map<string, RegisteredTool>();
  let hasMarks = false;
  const keys = Object.keys(received);
  // Each tool is read once, because a getter may return another tool each time.
  const values = keys.map((key) => received[key]);
  for (const [at, key] of keys.entries()) {
    const tool = values[at];
    const mark = markOf(tool);
    hasMarks ||= mark !== undefined;
    if (!mark || mark.kind === 'resolved' || shared.sent.has(tool as object)) own[key] = tool;
    else if (mark.kind !== 'alias') registered.set(mark.name, { mark, tool: tool as object });
  }
  return { keys, values, own, registered, hasMarks };
}
