import type { RequestContext } from '@mastra/core/request-context';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import type { CatalogEntry } from './entry.ts';
import { isLazyTool, lazyToolOf, resolveLazyTool, type ToolStub } from './lazy-tool.ts';
import { isProviderTool, isTool, type MastraTool, toMastraTool } from './tool.ts';

/** A definition that was asked for. */
interface Resolution {
  /** Undefined as long as nobody knows, and where it failed. */
  entry?: CatalogEntry;
  /** Ends when it is known; never rejects. */
  readonly done: Promise<void>;
}

type Resolutions = Map<ToolStub, Resolution>;

/** Resolves the lazy tools of catalogs, each once in a run. What fails is reported, and not tried again in that run. */
export class LazyTools {
  readonly #timeout: number;
  readonly #reporter: Reporter;
  readonly #runs = new WeakMap<object, Resolutions>();

  /** @param timeout - milliseconds that one lazy tool may take. */
  constructor(timeout: number, reporter: Reporter) {
    this.#timeout = timeout;
    this.#reporter = reporter;
  }

  /** The entry with its definition; undefined for a lazy tool that was not resolved in this run. */
  ready(entry: CatalogEntry, run: object): CatalogEntry | undefined {
    const stub = lazyToolOf(entry.tool);
    return stub ? this.#runs.get(run)?.get(stub)?.entry : entry;
  }

  /** Resolves those that are lazy tools, at the same time. Returns the names of those that have no definition. */
  async failing(
    entries: readonly CatalogEntry[],
    run: object,
    requestContext: RequestContext | undefined,
    origin?: EventOrigin,
  ): Promise<ReadonlySet<string>> {
    const waiting = entries.flatMap((entry) => {
      const stub = lazyToolOf(entry.tool);
      return stub ? [this.#of(stub, entry, run, requestContext, origin).done] : [];
    });
    if (waiting.length > 0) await Promise.all(waiting);
    return new Set(entries.filter((entry) => !this.ready(entry, run)).map(({ name }) => name));
  }

  /**
   * The definition for a call that belongs to no step.
   *
   * @throws what resolving it throws, which is reported.
   */
  async forCall(
    { name, tool }: Pick<CatalogEntry, 'name' | 'tool'>,
    requestContext?: RequestContext,
  ): Promise<MastraTool> {
    const stub = lazyToolOf(tool);
    return stub ? this.#definition(stub, name, requestContext) : tool;
  }

  #of(
    stub: ToolStub,
    entry: CatalogEntry,
    run: object,
    requestContext: RequestContext | undefined,
    origin: EventOrigin | undefined,
  ): Resolution {
    const ofRun: Resolutions = this.#runs.get(run) ?? new Map();
    this.#runs.set(run, ofRun);
    const known = ofRun.get(stub);
    if (known) return known;
    const resolution: Resolution = {
      done: this.#definition(stub, entry.name, requestContext, origin).then(
        (tool) => {
          resolution.entry = { ...entry, tool };
        },
        () => {},
      ),
    };
    ofRun.set(stub, resolution);
    return resolution;
  }

  async #definition(
    stub: ToolStub,
    name: string,
    requestContext: RequestContext | undefined,
    origin?: EventOrigin,
  ): Promise<MastraTool> {
    try {
      const tool: unknown = await resolveLazyTool(stub, requestContext, this.#timeout);
      if (!isTool(tool) || isLazyTool(tool) || isProviderTool(tool)) {
        throw new TypeError(`resolve() of "${name}" did not return a tool of Mastra or of the AI SDK`);
      }
      return toMastraTool(name, tool);
    } catch (error) {
      this.#reporter.report({ type: 'stub-failed', toolName: name, error }, origin);
      throw error;
    }
  }
}
