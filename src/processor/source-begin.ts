import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { MASTRA_TOOL_MARKER, type MastraTool } from '../catalog/tool.ts';
import { callsIn, pendingCalls, type ToolCall } from '../loaded/conversation/calls.ts';
import { loadsInConversation } from '../loaded/conversation/loads.ts';
import type { Conversation } from '../loaded/conversation/messages.ts';
import { hasProcessor, isDurable } from '../mastra/durable-agents.ts';
import { Spare } from '../mastra/spare.ts';
import * as prompts from '../meta-tools/prompts.ts';
import { asRecord } from '../util/record.ts';
import { read } from '../util/request-context.ts';
import { inTime } from '../util/timeout.ts';
import { identifyRequest, threadScopeOf } from './request/identity.ts';
import { createRequestState } from './request/request-state.ts';
import type { ProcessorServices } from './services.ts';

/** Milliseconds between two looks. */
const INTERVAL = 5;
/** The latest messages of a thread, among which a call may wait. */
const LATEST = 10;

/** What is known of a run before its first step. */
interface Beginning {
  readonly requestContext?: RequestContext | undefined;
  readonly messages?: Conversation | undefined;
}

/** The messages that runs brought with them, by their request contexts. A DurableAgent begins more than once. */
const inputs = new WeakMap<object, Conversation>();

/** Remembers the messages of a run that begins: a run that goes on, as after an approval, brings none. */
export function noteInput(requestContext: RequestContext | undefined, messages: Conversation): void {
  if (requestContext) inputs.set(requestContext, messages);
}

/** Makes the carrier for the tools that runs find later, which is the same for all runs. */
export function useSpare({ handover, spareName, reporter }: ProcessorServices): void {
  handover.spare ??= new Spare(spareName, reporter);
}

/**
 * Fetches the tools of a source that a run begins with: what is pinned, what its thread has loaded, and what it has
 * called and waits for. Only those are handed over, and a call that waits runs through no other.
 *
 * @param own - the names of the agent's own tools.
 * @returns what stands for tools whose calls wait, and that the source did not bring.
 */
export async function begin(
  catalog: Catalog,
  { requestContext, messages }: Beginning,
  own: ReadonlySet<string>,
  services: ProcessorServices,
): Promise<readonly CatalogEntry[]> {
  const { options, registry, requests } = services;
  useSpare(services);
  if (!messages) await isKnown(requestContext, services);
  const state = createRequestState(requests.scopeOf({ requestContext }));
  // The first step may find the Mastra instance.
  const stored = registry.wantsMastra || registry.readsConversation ? [] : await registry.loaded(state);
  const calls = callsIn(messages ?? (await conversationOf(requestContext, options.timeouts.store)));
  const shown = registry.readsConversation ? namesShown(calls, services) : [];
  const waiting = [...pendingCalls(calls)].filter((name) => !own.has(name) && !isMetaTool(name, services));
  await catalog.reach?.([...options.alwaysLoaded, ...stored, ...shown, ...waiting], {
    scope: threadScopeOf({ requestContext }),
  });
  return waiting.filter((name) => !catalog.get(name)).map(absent);
}

function isMetaTool(name: string, { options: { metaTools, call } }: ProcessorServices): boolean {
  return [...Object.values(metaTools.names), metaTools.unloadName, call?.name].includes(name);
}

function namesShown(calls: readonly ToolCall[], { options }: ProcessorServices): readonly string[] {
  return loadsInConversation(calls, { ...options.loadingTools, withMissed: true }).map(({ name }) => name);
}

/**
 * Waits until the request context tells whose run it is, or until it is clear that it never will. Mastra asks its storage
 * at the same time, so that no run waits longer for it.
 */
async function isKnown(requestContext: RequestContext | undefined, services: ProcessorServices): Promise<void> {
  if (!requestContext || isTold(requestContext) || !(await isToldLater(requestContext, services))) return;
  const end = performance.now() + services.options.timeouts.store;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    if (isTold(requestContext)) return;
  }
}

function isTold(requestContext: RequestContext): boolean {
  try {
    return inputs.has(requestContext) || identifyRequest({ requestContext }).threadId !== undefined;
  } catch {
    // It throws later as well.
    return true;
  }
}

/** Whether Memory may tell later than the run begins whose it is. Of a DurableAgent's run it told before. */
async function isToldLater(requestContext: RequestContext, { handover }: ProcessorServices): Promise<boolean> {
  const { agents } = handover;
  const later = agents.filter((agent) => !isDurable(agent) && (agent.hasOwnMemory?.() ?? true));
  const own = await Promise.all(later.map((agent) => hasProcessor({ agent }, 'tool-search', requestContext)));
  return agents.length === 0 || own.includes(true);
}

/** The end of the conversation: what the run brought, else what Memory has of its thread. */
async function conversationOf(requestContext: RequestContext | undefined, timeout: number): Promise<Conversation> {
  const input = requestContext && inputs.get(requestContext);
  if (input) return input;
  try {
    const told = asRecord(read(requestContext, 'MastraMemory'));
    const state = asRecord((told?.['runState'] as (() => unknown) | undefined)?.());
    const { memory, threadId, resourceId } = (state ?? {}) as unknown as RunState;
    if (!memory || !threadId) return [];
    const asked = { threadId, ...(resourceId ? { resourceId } : {}), perPage: LATEST, orderBy: NEWEST_FIRST };
    const { messages } = await inTime(memory.recall(asked), timeout);
    return messages;
  } catch {
    return [];
  }
}

const NEWEST_FIRST = { field: 'createdAt', direction: 'DESC' } as const;

/** What Mastra keeps of a run with Memory. */
interface RunState {
  readonly memory?: { recall(asked: object): Promise<{ readonly messages: Conversation }> };
  readonly threadId?: string;
  readonly resourceId?: string;
}

/** Stands for a tool whose call waits, and that the source did not bring: the model is told so, and nothing runs. */
function absent(name: string): CatalogEntry {
  const execute = async (): Promise<never> => {
    throw new Error(prompts.gone(name));
  };
  const tool = { [MASTRA_TOOL_MARKER]: true, id: name, description: '', execute } as unknown as MastraTool;
  return { name, key: name, tool, description: '', isResolved: false };
}
