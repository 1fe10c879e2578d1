import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { agentKey } from '../catalog/names.ts';
import { MASTRA_TOOL_MARKER, type MastraTool } from '../catalog/tool.ts';
import { type Conversation, callsIn, pendingCalls } from '../loaded/conversation/conversation.ts';
import { identifyRequest, threadScopeOf } from '../loaded/identity.ts';
import { hasProcessor, isDurable } from '../mastra/durable-agents.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { RegisteredBridge } from '../modes/call/registered.ts';
import type { HookArgs } from '../step/request.ts';
import { asRecord, read } from '../util/record.ts';
import { inTime } from '../util/timeout.ts';
import type { StepParts } from './prepare-step.ts';

/** Milliseconds between two checks whether a run's thread is known. */
const INTERVAL = 5;
/** The latest messages of a thread, among which a call may wait. */
const LATEST = 10;

/** The messages that runs brought with them, by their request contexts. A DurableAgent begins more than once. */
const inputs = new WeakMap<object, Conversation>();

/** Remembers the messages of a run that begins: a run that goes on, as after an approval, brings none. */
export function noteInput(requestContext: RequestContext | undefined, messages: Conversation): void {
  if (requestContext) inputs.set(requestContext, messages);
}

/** What the begin of a run needs of the processor. */
type RunBeginParts = Pick<
  StepParts,
  'registration' | 'catalogs' | 'policy' | 'features' | 'registry' | 'requests' | 'options'
> & { readonly bridge: RegisteredBridge | undefined };

/**
 * Begins runs: Mastra asks for the tools that it may need in the run, or by a call that is resumed. No state is opened yet,
 * as only the request context says whose run it is.
 */
export class RunBegin {
  readonly #parts: RunBeginParts;
  readonly #metaNames: readonly string[];

  /** @param metaNames - the names of the processor's own tools. */
  constructor(parts: RunBeginParts, metaNames: readonly string[]) {
    this.#parts = parts;
    this.#metaNames = metaNames;
  }

  /**
   * The tools for Mastra.
   *
   * @param resolved - the tools that the agent resolved for the run, by their keys.
   */
  async tools(resolved: Readonly<Record<string, unknown>>, args: HookArgs): Promise<Record<string, MastraTool>> {
    const { registration, catalogs, features } = this.#parts;
    const base = await catalogs.begin(args.requestContext);
    const { catalog } = catalogs.split(resolved, base, resolved);
    for (const feature of features) await feature.beginRun?.(catalog, args.requestContext);
    // An agent's own tool wins over one of the constructor, under the name that Mastra will give it as well.
    const own = new Set(Object.keys(resolved).flatMap((key) => [key, agentKey(key)]));
    const absent = !base.isComplete ? await this.#fetch(base, args, own) : [];
    const offered: CatalogEntry[] = [];
    const guarded: CatalogEntry[] = [];
    for (const entry of absent.length > 0 ? [...catalog.entries, ...absent] : catalog.entries) {
      if (entry.isResolved) guarded.push(entry);
      else if (!own.has(entry.name) && !own.has(agentKey(entry.name))) offered.push(entry);
    }
    const loadedNames = (): Promise<readonly string[]> => this.#loadedNames(catalog, args);
    const tools = await registration.offer(base, offered, guarded, loadedNames, args.requestContext);
    return { ...tools, ...this.#parts.bridge?.proxyTool({ catalog, own: resolved }, args.requestContext) };
  }

  async #loadedNames(catalog: Catalog, args: HookArgs): Promise<readonly string[]> {
    const { registry, requests, policy } = this.#parts;
    const pinned = [...this.#parts.options.alwaysLoaded].map((name) => catalog.nameOf(name));
    // The first step may find the Mastra instance.
    if (registry.wantsMastra) return pinned;
    // The request context tells the thread, and may not know it yet.
    const { requestContext } = args;
    const state = requests.outside(requestContext);
    const permissions = policy.permissionsOfStep(state, { requestContext });
    const calls = args.messages && callsIn(args.messages, this.#parts.options.loadingTools);
    const loaded = await registry.entries(state, catalog, calls, args, permissions);
    return [...pinned, ...loaded.map(({ name }) => name)];
  }

  /**
   * Fetches the tools of a source that a run begins with: what is pinned, what its thread has loaded, and what it has
   * called and waits for. Only those are registered, and a call that waits runs through no other.
   *
   * @param own - the names of the agent's own tools.
   * @returns what replaces tools whose calls wait, and that the source did not bring.
   */
  async #fetch(catalog: Catalog, args: HookArgs, own: ReadonlySet<string>): Promise<readonly CatalogEntry[]> {
    const { requestContext, messages } = args;
    const { registry, requests } = this.#parts;
    const { alwaysLoaded, timeouts, loadingTools } = this.#parts.options;
    if (!messages) await this.#isKnown(requestContext);
    const state = requests.outside(requestContext);
    // The first step may find the Mastra instance.
    const stored = registry.wantsMastra || registry.readsConversation ? [] : await registry.loaded(state);
    const calls = callsIn(messages ?? (await recall(requestContext, timeouts.store)), loadingTools);
    const shown = registry.readsConversation ? registry.namesShown(calls) : [];
    const waiting = [...pendingCalls(calls)].filter((name) => !own.has(name) && !this.#metaNames.includes(name));
    const scope = (): string | undefined => threadScopeOf({ requestContext });
    await catalog.reach([...alwaysLoaded, ...stored, ...shown, ...waiting], { scope });
    return waiting.filter((name) => !catalog.get(name)).map(absent);
  }

  /**
   * Waits until the request context says whose run it is, or until it is clear that it never will. Mastra asks its
   * storage at the same time, so that no run waits longer for it.
   */
  async #isKnown(requestContext: RequestContext | undefined): Promise<void> {
    if (!requestContext || isKnownNow(requestContext) || !(await this.#isKnownLater(requestContext))) return;
    const end = performance.now() + this.#parts.options.timeouts.store;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
      if (isKnownNow(requestContext)) return;
    }
  }

  /** Whether Memory may set the thread after the run has begun. For a DurableAgent's run it is set before. */
  async #isKnownLater(requestContext: RequestContext): Promise<boolean> {
    const { agents } = this.#parts.registration;
    const later = agents.filter((agent) => !isDurable(agent) && (agent.hasOwnMemory?.() ?? true));
    const own = await Promise.all(later.map((agent) => hasProcessor({ agent }, 'tool-search', requestContext)));
    return agents.length === 0 || own.includes(true);
  }
}

function isKnownNow(requestContext: RequestContext): boolean {
  try {
    return inputs.has(requestContext) || identifyRequest({ requestContext }).threadId !== undefined;
  } catch {
    // It throws later as well.
    return true;
  }
}

/** The end of the conversation: what the run brought, else what Memory has of its thread. */
async function recall(requestContext: RequestContext | undefined, timeout: number): Promise<Conversation> {
  const input = requestContext && inputs.get(requestContext);
  if (input) return input;
  try {
    const memoryContext = asRecord(read(requestContext, 'MastraMemory'));
    const state = asRecord((memoryContext?.['runState'] as (() => unknown) | undefined)?.());
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

interface RunState {
  readonly memory?: { recall(asked: object): Promise<{ readonly messages: Conversation }> };
  readonly threadId?: string;
  readonly resourceId?: string;
}

/** Replaces a tool whose call waits, and that the source did not bring: the model reads so, and nothing runs. */
function absent(name: string): CatalogEntry {
  const execute = async (): Promise<never> => {
    throw new Error(prompts.gone(name));
  };
  const tool = { [MASTRA_TOOL_MARKER]: true, id: name, description: '', execute } as unknown as MastraTool;
  return { name, key: name, tool, description: '', isResolved: false };
}
