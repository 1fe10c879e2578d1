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
/** Number of a thread's latest messages that are searched for waiting calls. */
const LATEST = 10;

/** The new messages of runs, by request context. A DurableAgent begins a run more than once. */
const inputs = new WeakMap<object, Conversation>();

/** Remembers the messages of a new run. A run that resumes, for example after an approval, brings no messages. */
export function noteInput(requestContext: RequestContext | undefined, messages: Conversation): void {
  if (requestContext) inputs.set(requestContext, messages);
}

/** What {@link RunBegin} needs of the processor. */
type RunBeginParts = Pick<
  StepParts,
  'registration' | 'catalogs' | 'policy' | 'features' | 'registry' | 'requests' | 'options'
> & { readonly bridge: RegisteredBridge | undefined };

/**
 * Returns the tools that Mastra may need in a run, or for a resumed call. Mastra asks for them before the first step.
 * Only the request context then identifies the run, so no state of the request is opened yet.
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
   * Returns the tools to register with Mastra.
   *
   * @param resolved - the tools that the agent resolved for the run, by their keys.
   */
  async tools(resolved: Readonly<Record<string, unknown>>, args: HookArgs): Promise<Record<string, MastraTool>> {
    const { registration, catalogs, features } = this.#parts;
    const base = await catalogs.begin(args.requestContext);
    const { catalog } = catalogs.split(resolved, base, resolved);
    for (const feature of features) await feature.beginRun?.(catalog, args.requestContext);
    // The agent's own tool wins over a tool of the constructor, under its key and under the name that Mastra makes of
    // the key.
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
    // A copy of the record of 10,000 tools would take a tenth of the time that a run costs.
    return Object.assign(tools, this.#parts.bridge?.proxyTool({ catalog, own: resolved }, args.requestContext));
  }

  async #loadedNames(catalog: Catalog, args: HookArgs): Promise<readonly string[]> {
    const { registry, requests, policy } = this.#parts;
    const pinned = [...this.#parts.options.alwaysLoaded].map((name) => catalog.nameOf(name));
    // Loaded tools cannot be read before the first step, which may bring the Mastra instance.
    if (registry.wantsMastra) return pinned;
    // The request context may not have the thread yet.
    const { requestContext } = args;
    const state = requests.outside(requestContext);
    const permissions = policy.permissionsOfStep(state, { requestContext });
    const calls = args.messages && callsIn(args.messages, this.#parts.options.loadingTools);
    const loaded = await registry.entries(state, catalog, calls, args, permissions);
    return [...pinned, ...loaded.map(({ name }) => name)];
  }

  /**
   * Fetches the tools with which a run over a source begins: the pinned tools, those that the thread has loaded, and
   * those with waiting calls. Only these are registered, and Mastra runs a waiting call only through a registered tool.
   *
   * @param own - the names of the agent's own tools.
   * @returns replacements for tools with waiting calls that the source did not return.
   */
  async #fetch(catalog: Catalog, args: HookArgs, own: ReadonlySet<string>): Promise<readonly CatalogEntry[]> {
    const { requestContext, messages } = args;
    const { registry, requests } = this.#parts;
    const { alwaysLoaded, timeouts, loadingTools } = this.#parts.options;
    if (!messages) await this.#isKnown(requestContext);
    const state = requests.outside(requestContext);
    // Loaded tools cannot be read before the first step, which may bring the Mastra instance.
    const stored = registry.wantsMastra || registry.readsConversation ? [] : await registry.loaded(state);
    const calls = callsIn(messages ?? (await recall(requestContext, timeouts.store)), loadingTools);
    const shown = registry.readsConversation ? registry.namesShown(calls) : [];
    const waiting = [...pendingCalls(calls)].filter((name) => !own.has(name) && !this.#metaNames.includes(name));
    const scope = (): string | undefined => threadScopeOf({ requestContext });
    await catalog.reach([...alwaysLoaded, ...stored, ...shown, ...waiting], { scope });
    return waiting.filter((name) => !catalog.get(name)).map(absent);
  }

  /**
   * Waits until the request context identifies the run, or until it is clear that it never will. Mastra queries its
   * storage at the same time, so the run is not delayed.
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
    // The context would throw later as well.
    return true;
  }
}

/** Returns the end of the conversation: the new messages of the run, or the latest messages of its thread in Memory. */
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

/**
 * Replaces a tool with a waiting call that the source did not return. The call then fails with a message for the model.
 */
function absent(name: string): CatalogEntry {
  const execute = async (): Promise<never> => {
    throw new Error(prompts.gone(name));
  };
  const tool = { [MASTRA_TOOL_MARKER]: true, id: name, description: '', execute } as unknown as MastraTool;
  return { name, key: name, tool, description: '', isResolved: false };
}
