import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { agentKey } from '../catalog/names.ts';
import type { Reporter } from '../events.ts';
import type { Policy } from '../policy.ts';
import { notAvailable } from '../prompts.ts';
import { providerSchema } from './provider-schema.ts';
import { runResumed, type ToolOwner } from './resumed-call.ts';
import { copyTool, isProviderTool, type MastraTool, type ToolContext } from './tool.ts';
import { mayHaveWaited, whatTheLoopReads } from './waiting-call.ts';

/**
 * Up to so many constructor tools, all of them are handed to Mastra before each run, to be converted as the agent's
 * own tools are (about 10 to 18 µs a tool). Above it only the loaded ones are, and a tool that is loaded in the
 * middle of a run is dressed up here.
 */
export const CONVERT_ALL_UP_TO = 500;

type Execute = (input: unknown, context: unknown) => Promise<unknown>;

/** One run of an agent: made when Mastra asks for tools, completed by the run's first step. */
interface Run {
  readonly requestContext: RequestContext | undefined;
  /** Known from the first step on. After a restart a resumed call runs before any step. */
  isLoaded?: (name: string) => boolean;
  agentId?: Promise<string>;
}

/** Ties a tool that comes back from Mastra to what was handed over. */
interface Mark {
  readonly owner: Handover;
  readonly name: string;
  /** Absent for stand-ins, which serve all runs. */
  readonly run?: Run;
  readonly kind: 'converted' | 'stand-in' | 'probe' | 'resolved';
  /** The stand-in as it was handed over: another object comes back when the agent has hooks. */
  standIn?: object;
}

/** A tool as it came back from Mastra: converted, with the agent's hooks around it. */
interface HandedTool {
  readonly mark: Mark;
  readonly tool: object;
}

const MARK = Symbol('mastra-tool-search');

/** In the context of a stand-in's call. */
const STEP = Symbol('mastra-tool-search.step');

/** Mastra's conversion copies no symbol, but it keeps the `onOutput` function: marks of converted tools hang on it. */
const marks = new WeakMap<object, Mark>();

/** Tools that a processor sent as they are: meta-tools and loaded tools that carry no mark. */
const sent = new WeakSet<object>();

/** Remembers what a processor sends. */
export function markSent(tools: Iterable<unknown>): void {
  for (const tool of tools) if (typeof tool === 'object' && tool !== null) sent.add(tool);
}

const PROBE = 'mastra_tool_search_probe';

/** What a step received, taken apart. */
export interface SeparatedTools {
  /** The agent's own tools and other processors', in order. */
  readonly own: Record<string, unknown>;
  /** What this processor handed over, by the name the model calls. */
  readonly handed: { get(name: string): HandedTool | undefined };
}

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

  /** @param processor - the one that agents have, by which theirs is found when a call is resumed. */
  constructor(policy: Policy, reporter: Reporter, processor: object) {
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
   */
  async offer(
    entries: readonly CatalogEntry[],
    loadedNames: () => Promise<readonly string[]>,
    resolved: readonly CatalogEntry[],
    requestContext: RequestContext | undefined,
  ): Promise<Record<string, MastraTool>> {
    const run: Run = { requestContext };
    const offered: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    const convertAll = entries.length <= CONVERT_ALL_UP_TO;
    const loaded = new Set(convertAll && resolved.length === 0 ? [] : await loadedNames());
    for (const entry of entries) {
      const isWanted = convertAll || loaded.has(entry.name);
      offered[entry.name] = isWanted ? this.#convertible(entry, run) : this.#standIn(entry);
    }
    if (!convertAll) offered[PROBE] = this.#probe(run);
    for (const entry of resolved) {
      if (!this.#policy.isOpen) offered[entry.name] = this.#guardResolved(entry, run);
      else if (loaded.has(entry.name)) offered[entry.name] = entry.tool;
    }
    return offered as Record<string, MastraTool>;
  }

  /** Takes apart what a step received, and tells the guards of this run what is loaded. */
  separate(tools: Readonly<Record<string, unknown>> | undefined, isLoaded: (name: string) => boolean): SeparatedTools {
    const received = tools ?? {};
    const own: Record<string, unknown> = {};
    const converted = new Map<string, HandedTool>();
    // Object.keys, as it costs half of Object.entries, and stand-ins only on demand: there may be thousands.
    for (const key of Object.keys(received)) {
      const tool = received[key];
      const mark = markOf(tool);
      if (mark?.owner !== this) {
        own[key] = tool;
        continue;
      }
      if (mark.run) mark.run.isLoaded = isLoaded;
      if (mark.kind === 'resolved') own[key] = tool;
      else if (mark.kind !== 'stand-in') converted.set(mark.name, { mark, tool: tool as object });
    }
    const standIn = (name: string): HandedTool | undefined => {
      const tool = received[name] ?? received[agentKey(name)];
      const mark = markOf(tool);
      return mark?.owner === this && mark.name === name ? { mark, tool: tool as object } : undefined;
    };
    return { own, handed: { get: (name) => converted.get(name) ?? standIn(name) } };
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
    if (isProviderTool(tool)) return { ...tool, [MARK]: this.#mark(entry, run, 'converted') } as MastraTool;
    const onOutput = (output: never): unknown => tool.onOutput?.(output);
    marks.set(onOutput, this.#mark(entry, run, 'converted'));
    return copyTool(tool, {
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
    mark.standIn = { ...whatTheLoopReads(entry.tool), [MARK]: mark, execute };
    this.#standIns.set(entry, mark.standIn);
    return mark.standIn;
  }

  #probe(run: Run): MastraTool {
    const onOutput = (): void => {};
    marks.set(onOutput, { owner: this, name: PROBE, run, kind: 'probe' });
    return createTool({
      id: PROBE,
      description: 'Tells the id of the agent. Never sent to a model.',
      onOutput,
      execute: async (_input, context) => context.agent?.agentId ?? '',
    });
  }

  #guardResolved(entry: CatalogEntry, run: Run): object {
    const marked = { ...entry.tool, [MARK]: this.#mark(entry, run, 'resolved') };
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
      const allowed =
        (await this.#policy.allows(entry, 'active', run.requestContext)) &&
        (isFresh || (await this.#policy.allows(entry, 'load', run.requestContext)));
      if (!allowed) {
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

/** Whether a ToolSearchProcessor handed this tool over or sent it: then it is not for another one to withhold. */
export function isHandled(tool: unknown): boolean {
  const mark = markOf(tool);
  if (mark) return mark.kind !== 'resolved';
  return typeof tool === 'object' && tool !== null && sent.has(tool);
}

/** Of a stand-in's call: Mastra's, with the step where a step makes it. */
interface StandInContext {
  readonly [STEP]?: StepInfo;
  readonly requestContext: RequestContext | undefined;
}

function markOf(tool: unknown): Mark | undefined {
  if (typeof tool !== 'object' || tool === null) return undefined;
  const marked = tool as { readonly [MARK]?: Mark; readonly onOutput?: unknown };
  if (marked[MARK]) return marked[MARK];
  return typeof marked.onOutput === 'function' ? marks.get(marked.onOutput) : undefined;
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
