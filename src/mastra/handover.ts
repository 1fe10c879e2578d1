import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { agentKey } from '../catalog/names.ts';
import type { Reporter } from '../events.ts';
import type { Asker, Policy } from '../policy.ts';
import { notAvailable } from '../prompts.ts';
import { MARK, type Mark, markByOutput, type Run } from './marks.ts';
import { providerSchema } from './provider-schema.ts';
import { runResumed, type ToolOwner } from './resumed-call.ts';
import { type HandedTool, type SeparatedTools, Separation } from './separation.ts';
import { copyTool, isProviderTool, type MastraTool, type ToolContext } from './tool.ts';
import { mayHaveWaited, whatTheLoopReads } from './waiting-call.ts';

/**
 * Up to so many constructor tools, all of them are handed to Mastra before each run, to be converted as the agent's
 * own tools are (about 10 to 18 µs a tool). Above it only the loaded ones are, and a tool that is loaded in the
 * middle of a run is dressed up here.
 */
export const CONVERT_ALL_UP_TO = 500;

type Execute = (input: unknown, context: unknown) => Promise<unknown>;

/** In the context of a stand-in's call. */
const STEP = Symbol('mastra-tool-search.step');

const PROBE = 'mastra_tool_search_probe';

/**
 * Passes tools through Mastra's own conversion.
 *
 * Mastra asks a processor for loaded tools at the start of every run (`getLoadedToolsForRequestContext`), converts
 * them like the agent's own and merges them into the tools of every step. Only there do tools get the agent's id,
 * its hooks, its tracing policy and the provider's schema. So everything that may be loaded is handed over, and each
 * step takes it out again and adds only what is loaded and allowed.
 */
export class Handover {
  readonly #policy: Policy;
  readonly #reporter: Reporter;
  readonly #owner: ToolOwner;
  readonly #standIns = new WeakMap<CatalogEntry, object>();
  readonly #separation = new Separation(this);
  readonly #convertAllUpTo: number;

  /**
   * @param processor - the one that agents have, by which theirs is found when a call is resumed.
   * @param convertAllUpTo - so many constructor tools; infinite where all of them are sent, as deferred ones.
   */
  constructor(policy: Policy, reporter: Reporter, processor: object, convertAllUpTo: number = CONVERT_ALL_UP_TO) {
    this.#convertAllUpTo = convertAllUpTo;
    this.#policy = policy;
    this.#reporter = reporter;
    this.#owner = { processor };
  }

  useMastra(mastra: Mastra): void {
    this.#owner.mastra = mastra;
  }

  /**
   * The tools for Mastra to convert.
   *
   * @param entries - the constructor's tools, without those whose name the agent itself uses.
   * @param loadedNames - what is known to be loaded; not asked where nothing depends on it.
   * @param resolved - the agent's own searchable tools. All of them are guarded where there is a filter; without one
   * only the loaded ones are returned, as they are.
   * @param catalog - for the run's first step, where it was resolved for this run.
   */
  async offer(
    entries: readonly CatalogEntry[],
    loadedNames: () => Promise<readonly string[]>,
    resolved: readonly CatalogEntry[],
    requestContext: RequestContext | undefined,
    catalog?: Catalog,
  ): Promise<Record<string, MastraTool>> {
    const run: Run = { requestContext, catalog };
    const offered: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    const convertAll = entries.length <= this.#convertAllUpTo;
    const loaded = new Set(convertAll && resolved.length === 0 ? [] : await loadedNames());
    const keys = new Set<string>();
    for (const entry of entries) {
      // Mastra leaves it as it is, and nothing would tell it from the agent's own.
      if (isProviderTool(entry.tool)) continue;
      // Two names that Mastra would make one end the run there: the second tool stays as it is.
      const key = agentKey(entry.name);
      if (keys.has(key)) continue;
      keys.add(key);
      const isWanted = convertAll || loaded.has(entry.name);
      offered[entry.name] = isWanted ? this.#convertible(entry, run) : this.#standIn(entry);
    }
    if (!convertAll || catalog) offered[PROBE] = this.#probe(run);
    for (const entry of resolved) this.#offerResolved(entry, run, loaded.has(entry.name), offered);
    return offered as Record<string, MastraTool>;
  }

  /** As {@link Separation.separate}. */
  separate(
    request: object,
    tools: Readonly<Record<string, unknown>> | undefined,
    isLoaded: (name: string) => boolean,
  ): SeparatedTools {
    return this.#separation.separate(request, tools, isLoaded);
  }

  /**
   * The form in which a loaded tool is sent: converted by Mastra where it was handed over, dressed up where only a
   * stand-in was, else as it is.
   */
  sendable(entry: CatalogEntry, { handed }: SeparatedTools, model: unknown, step: StepInfo): unknown {
    const known = handed.get(entry.name);
    if (known?.mark.kind === 'converted') return known.tool;
    if (known?.mark.kind === 'stand-in') return this.#dressUp(entry, known, handed.get(PROBE), model, step);
    if (entry.isResolved || this.#policy.isOpen || typeof entry.tool.execute !== 'function') return entry.tool;
    return copyTool(entry.tool, { execute: this.#guarded(entry, step) as never });
  }

  #convertible(entry: CatalogEntry, run: Run): MastraTool {
    const { tool } = entry;
    const onOutput = (output: never): unknown => tool.onOutput?.(output);
    markByOutput(onOutput, this.#mark(entry, run, 'converted'));
    return copyTool(tool, {
      // Mastra may keep it under another key; a resumed call is found by the id then.
      id: entry.name,
      onOutput: onOutput as never,
      ...(typeof tool.execute === 'function' ? { execute: this.#guarded(entry, run) as never } : {}),
    });
  }

  /**
   * Costs Mastra next to nothing to merge, and comes back with the agent's hooks around its `execute`. One for all
   * runs: the step that calls it says in the context which it is.
   */
  #standIn(entry: CatalogEntry): object {
    const known = this.#standIns.get(entry);
    if (known) return known;
    const execute: Execute = (input, context) => {
      const call = (context ?? {}) as StandInContext;
      if (call[STEP]) return this.#guarded(entry, call[STEP])(input, call);
      // A call that is resumed after a restart belongs to no step.
      return this.#guarded(entry, call, () => runResumed(entry, input, call, this.#owner))(input, call);
    };
    const mark: Mark = { owner: this, name: entry.name, kind: 'stand-in' };
    mark.standIn = { id: entry.name, ...whatTheLoopReads(entry.tool), [MARK]: mark, execute };
    this.#standIns.set(entry, mark.standIn);
    return mark.standIn;
  }

  #probe(run: Run): MastraTool {
    const onOutput = (): void => {};
    markByOutput(onOutput, { owner: this, name: PROBE, run, kind: 'probe' });
    return createTool({
      id: PROBE,
      description: 'Tells the id of the agent. Never sent to a model.',
      onOutput,
      execute: async (_input, context) => context.agent?.agentId ?? '',
    });
  }

  /** Under the key, where Mastra has the tool, and under a name by which Mastra would not find it for a resumed call. */
  #offerResolved(entry: CatalogEntry, run: Run, isLoaded: boolean, offered: Record<string, unknown>): void {
    const { name, key, tool } = entry;
    if (!this.#policy.isOpen) offered[key] = this.#guardResolved(entry, run, 'resolved');
    if (name === agentKey(key)) {
      if (isLoaded) offered[key] ??= tool;
    } else if (isLoaded || name !== entry.tool.id) {
      offered[name] = { ...this.#guardResolved(entry, run, 'alias'), id: name };
    }
  }

  #guardResolved(entry: CatalogEntry, run: Run, kind: Mark['kind']): object {
    const marked = { ...entry.tool, [MARK]: this.#mark(entry, run, kind) };
    return typeof entry.tool.execute === 'function' ? { ...marked, execute: this.#guarded(entry, run) } : marked;
  }

  #mark(entry: CatalogEntry, run: Run, kind: Mark['kind']): Mark {
    return { owner: this, name: entry.name, run, kind };
  }

  /** Asks again right before the tool runs: a right may have been withdrawn since it was sent, or while it waited. */
  #guarded(entry: CatalogEntry, run: Pick<Run, 'requestContext' | 'isLoaded'>, execute?: Execute): Execute {
    const { name, tool } = entry;
    return async (input, context) => {
      const isFresh = run.isLoaded?.(name) && !mayHaveWaited(tool, context);
      const { abortSignal } = (context ?? {}) as Asker;
      if (!(await this.#policy.allowsCall(entry, isFresh ? ['active'] : ['active', 'load'], { ...run, abortSignal }))) {
        this.#reporter.report({ type: 'call-denied', toolName: name });
        throw new Error(notAvailable(name));
      }
      return execute ? execute(input, context) : tool.execute?.(input as never, context as never);
    };
  }

  /** A tool above the limit, loaded in the middle of a run: what Mastra's conversion leaves out is added here. */
  #dressUp(
    entry: CatalogEntry,
    standIn: HandedTool,
    probe: HandedTool | undefined,
    model: unknown,
    step: StepInfo,
  ): MastraTool {
    const { tool, name } = entry;
    const inputSchema = providerSchema(tool, name, model);
    const hooked = (standIn.tool as { execute: Execute }).execute;
    return copyTool(tool, {
      ...(inputSchema ? { inputSchema } : {}),
      ...(typeof tool.execute === 'function'
        ? {
            execute: (async (input: unknown, context?: ToolContext) => {
              const agent = context?.agent && { ...context.agent, agentId: await agentId(context, standIn, probe) };
              return hooked(input, {
                ...context,
                [STEP]: step,
                ...(agent ? { agent, toolCallId: agent.toolCallId, messages: agent.messages } : {}),
              });
            }) as never,
          }
        : {}),
    });
  }
}

/** What a guard needs when a tool was not handed over. */
export interface StepInfo {
  readonly requestContext: RequestContext | undefined;
  readonly isLoaded: (name: string) => boolean;
}

/** Of a stand-in's call: Mastra's, with the step where a step makes it. */
interface StandInContext {
  readonly [STEP]?: StepInfo;
  readonly requestContext: RequestContext | undefined;
}

/**
 * Only converted tools know the agent's id, so the probe is asked, once a run. Not where the agent has hooks: they
 * would take it for a call of the model, and the id stays empty, as it is in @mastra/core.
 */
async function agentId(context: ToolContext, standIn: HandedTool, probe: HandedTool | undefined): Promise<string> {
  const known = context.agent?.agentId;
  if (known || !probe || standIn.tool !== standIn.mark.standIn) return known ?? '';
  const { execute } = probe.tool as { execute: Execute };
  const { run } = probe.mark;
  const call = { toolCallId: PROBE, messages: [], skipToolSpan: true, requestContext: context.requestContext };
  const asked = run?.agentId ?? execute({}, call).then(String, () => '');
  if (run) run.agentId = asked;
  return asked;
}
