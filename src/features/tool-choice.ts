import type { CatalogEntry } from '../catalog/catalog.ts';
import { isProviderTool } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import type { Loader } from '../meta-tools/loading.ts';
import type { StepMode } from '../modes/mode.ts';
import type { RequestState } from '../step/request.ts';
import { forcedName, type SentTools, type Step } from '../step/step.ts';
import { Memory } from '../util/memory.ts';
import { echo } from '../util/text.ts';
import type { Feature } from './feature.ts';

/** The catalog tool that the `toolChoice` of a request forces the model to call. */
interface Forced {
  /** The name in `toolChoice`, which may also be the record key of the tool. */
  readonly called: string;
  /** Undefined if the request may not use the tool, or no such tool exists. */
  readonly entry?: CatalogEntry;
}

type Obstacle = 'denied' | 'noRoom' | 'failed' | 'notFound';

const NO_LOAD = { type: 'load', by: 'request', loaded: [], alreadyLoaded: [], notFound: [], denied: [] } as const;

/** Handles a `toolChoice` that names a catalog tool: the tool is loaded, or called through a bridge. */
export class ToolChoice implements Feature {
  readonly #loader: Loader;
  readonly #reporter: Reporter;
  /** The result of `active`, which is not called for a step that sends the whole catalog. */
  readonly #forced = new WeakMap<Step, Forced | undefined>();
  /** Names already reported as not sent: Mastra keeps `toolChoice` for all steps of a run; one report a request is enough. */
  readonly #refused = new Memory<Set<string>, RequestState>(() => new Set());

  constructor(loader: Loader, reporter: Reporter) {
    this.#loader = loader;
    this.#reporter = reporter;
  }

  async active(step: Step, mode: StepMode): Promise<void> {
    const forced = await this.#find(step, mode);
    this.#forced.set(step, forced);
    step.tools.forced = forced?.entry;
  }

  /**
   * Replaces `toolChoice` by the name under which the tool is sent, or by `'auto'` if the tool is not sent. Providers refuse a
   * request whose `toolChoice` names a tool that the request does not contain.
   */
  async finish(sent: SentTools, step: Step): Promise<SentTools> {
    const forced = this.#forced.has(step) ? this.#forced.get(step) : await this.#find(step, undefined);
    if (!forced) return sent;
    const { called, entry } = forced;
    const toolName = entry && Object.hasOwn(sent.tools, entry.name) ? entry.name : entry && step.mode.bridge;
    if (toolName === called) return sent;
    if (toolName !== undefined) return { ...sent, toolChoice: { type: 'tool', toolName } };
    if (entry) this.#refuse(forced, 'denied', step);
    return { ...sent, toolChoice: 'auto' };
  }

  /**
   * Finds the forced tool, and loads it if the mode has `loadsForced`. Undefined if `toolChoice` forces no tool, or one
   * outside the catalog that the step has: Mastra handles that. An unknown name is treated like the name of a forbidden
   * tool, so that the answer of the provider does not distinguish them.
   *
   * @param mode - undefined if the whole catalog is sent.
   */
  async #find(step: Step, mode: StepMode | undefined): Promise<Forced | undefined> {
    const { own, catalog, permissions, tools } = step;
    const called = forcedName(step.args.toolChoice);
    if (called === undefined || Object.hasOwn(own, called) || mode?.metaNames.includes(called)) return undefined;
    await catalog.reach([called], { ...permissions.asker, origin: step.origin });
    const entry = catalog.get(called);
    if (!entry) {
      // Another processor of the agent may have added the tool.
      if (Object.hasOwn(step.args.tools ?? {}, called)) return undefined;
      return this.#refuse({ called }, catalog.failedToReach(called) ? 'failed' : 'notFound', step);
    }
    const forced = { called, entry };
    if (!mode || tools.isResident(entry.name)) return forced;
    const isLoaded = tools.isLoaded(entry.name);
    const allowed = await permissions.allowed([entry], isLoaded ? ['active'] : ['load', 'active']);
    if (allowed.length === 0) return this.#refuse(forced, 'denied', step);
    const failing = await this.#loader.unusable(allowed, step);
    // A provider-defined tool cannot be called through a bridge.
    if (failing.size > 0 || (mode.bridge && isProviderTool(entry.tool))) return this.#refuse(forced, 'failed', step);
    if (!mode.loadsForced || isLoaded) return forced;

    const start = performance.now();
    const { loaded } = await this.#loader.byName([entry.name], step);
    if (loaded.length === 0) return this.#refuse(forced, 'noRoom', step);
    this.#reporter.report({ ...NO_LOAD, loaded, ms: performance.now() - start }, step.origin);
    return forced;
  }

  #refuse({ called, entry }: Forced, obstacle: Obstacle, { state }: Step): Forced {
    const name = entry?.name ?? echo(called);
    const reported = this.#refused.of(state);
    if (!reported.has(name)) {
      reported.add(name);
      this.#reporter.report({ ...NO_LOAD, [obstacle]: [name], ms: 0 }, state.origin);
    }
    return { called };
  }
}
