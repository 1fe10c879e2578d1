import type { RequestContext } from '@mastra/core/request-context';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { asRecord } from '../util/record.ts';
import { inTime } from '../util/timeout.ts';
import type { CatalogEntry } from './catalog.ts';
import { UNKNOWN_INPUT } from './document.ts';
import {
  type AnyTool,
  isProviderTool,
  isTool,
  MASTRA_TOOL_MARKER,
  type MastraTool,
  type ToolContext,
  toMastraTool,
} from './tool.ts';

/**
 * A tool whose definition comes on demand. It is searched by what it has here, and resolved when it is loaded or called,
 * once in a run.
 *
 * @example
 * ```ts
 * const stub: ToolStub = {
 *   id: 'send_email',
 *   description: 'Send an email.',
 *   parameters: ['to', 'subject', 'body'],
 *   resolve: async () => (await mcp.listTools())['mail_send_email']!,
 * };
 * new ToolSearchProcessor({ tools: { send_email: stub } });
 * ```
 */
export interface ToolStub {
  /** The name that the model calls. */
  readonly id: string;
  readonly description: string;
  /** Other words for the tool. */
  readonly keywords?: readonly string[];
  /** The names of its parameters. */
  readonly parameters?: readonly string[];
  /** Returns the tool. `timeouts.tools` bounds it. */
  readonly resolve: (args: { requestContext?: RequestContext }) => AnyTool | Promise<AnyTool>;
}

/** Whether a value is a lazy tool: it has a `resolve`, and nothing that makes it a tool. */
export function isLazyTool(value: unknown): value is ToolStub {
  const fields = asRecord(value);
  if (!fields || typeof fields['resolve'] !== 'function' || typeof fields['id'] !== 'string') return false;
  return fields['execute'] === undefined && fields['inputSchema'] === undefined && !(MASTRA_TOOL_MARKER in fields);
}

/** Whether a value can be searched: it is a tool, or a lazy tool. */
export function isSearchable(value: unknown): value is AnyTool | ToolStub {
  return isTool(value) || isLazyTool(value);
}

/** Milliseconds that a proxy waits by itself, where no run bounds it. */
const TIMEOUT = 10_000;

const lazyTools = new WeakMap<object, ToolStub>();
/** Cache: proxies by lazy tool, so that a lazy tool that comes again with the next request is not read again. */
const proxies = new WeakMap<ToolStub, MastraTool>();

/** The lazy tool behind a proxy; undefined for any other tool. */
export function lazyToolOf(tool: object): ToolStub | undefined {
  return lazyTools.get(tool);
}

/**
 * Asks a lazy tool for its tool, in so many milliseconds.
 *
 * @throws what `resolve` throws, whichever way it does.
 */
export function resolveLazyTool(
  stub: ToolStub,
  requestContext: RequestContext | undefined,
  timeout: number,
): Promise<AnyTool> {
  return inTime((async () => stub.resolve(requestContext ? { requestContext } : {}))(), timeout);
}

/**
 * The proxy that stands in the catalog for a lazy tool. Searches read it and the filter is asked about it; it is never sent.
 * Called, as by a run that goes on after a restart, it runs the tool itself.
 */
export function proxyOfLazyTool(name: string, stub: ToolStub): MastraTool {
  const known = proxies.get(stub);
  if (known) return known;
  const { id, description, keywords, parameters: given } = stub;
  const parameters = Array.isArray(given) ? given.filter((each): each is string => typeof each === 'string') : [];
  const resolve = async (context: unknown): Promise<MastraTool> =>
    toMastraTool(name, await resolveLazyTool(stub, ((context ?? {}) as ToolContext).requestContext, TIMEOUT));
  const proxy = {
    [MASTRA_TOOL_MARKER]: true,
    id,
    description,
    inputSchema:
      given === undefined
        ? UNKNOWN_INPUT
        : {
            ...UNKNOWN_INPUT,
            properties: Object.fromEntries(parameters.map((each) => [each, {}])),
            required: parameters,
          },
    metadata: { keywords },
    execute: async (input: unknown, context: unknown) =>
      (await resolve(context)).execute?.(input as never, context as never),
    // Asked by a run that is recovered: a call must not run without the approval that its tool wants.
    requireApproval: async (input: unknown, context: unknown) => {
      const { requireApproval } = await resolve(context);
      return typeof requireApproval === 'function'
        ? requireApproval(input as never, context as never)
        : requireApproval;
    },
  } as unknown as MastraTool;
  lazyTools.set(proxy, stub);
  proxies.set(stub, proxy);
  return proxy;
}

/** The resolution of one lazy tool in one run. */
interface Resolution {
  /** The entry with its definition; undefined until it is resolved, and where that failed. */
  entry?: CatalogEntry;
  /** Resolves at its end; never rejects. */
  done?: Promise<void>;
}

/** Whether what a lazy tool resolves to may be used by a request. Never rejects. */
type AcceptsDefinition = (
  definition: Pick<CatalogEntry, 'name' | 'tool'>,
  asker: { readonly requestContext?: RequestContext | undefined; readonly origin?: EventOrigin | undefined },
) => Promise<boolean>;

/** Resolves the lazy tools of catalogs, each once in a run. What fails is reported, and not tried again in that run. */
export class LazyTools {
  readonly #timeout: number;
  readonly #reporter: Reporter;
  readonly #runs = new WeakMap<object, Map<ToolStub, Resolution>>();

  readonly #accepts: AcceptsDefinition | undefined;

  /**
   * @param timeout - milliseconds that one lazy tool may take.
   * @param accepts - whether a definition may be used. Reports itself one that may not.
   */
  constructor(timeout: number, reporter: Reporter, accepts?: AcceptsDefinition) {
    this.#timeout = timeout;
    this.#reporter = reporter;
    this.#accepts = accepts;
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
    const ofRun = this.#runs.get(run) ?? new Map<ToolStub, Resolution>();
    this.#runs.set(run, ofRun);
    await Promise.all(
      entries.map((entry) => {
        const stub = lazyToolOf(entry.tool);
        if (!stub) return undefined;
        const resolution = ofRun.get(stub) ?? {};
        ofRun.set(stub, resolution);
        resolution.done ??= this.#definition(stub, entry.name, requestContext, origin).then(
          (tool) => {
            resolution.entry = { ...entry, tool };
          },
          () => {},
        );
        return resolution.done;
      }),
    );
    return new Set(entries.filter((entry) => !this.ready(entry, run)).map(({ name }) => name));
  }

  /**
   * The definition for a call that belongs to no step.
   *
   * @throws what resolving it throws, which is reported.
   */
  async forCall({ name, tool }: Pick<CatalogEntry, 'name' | 'tool'>, context?: RequestContext): Promise<MastraTool> {
    const stub = lazyToolOf(tool);
    return stub ? this.#definition(stub, name, context) : tool;
  }

  async #definition(
    stub: ToolStub,
    name: string,
    requestContext: RequestContext | undefined,
    origin?: EventOrigin,
  ): Promise<MastraTool> {
    let definition: MastraTool;
    try {
      const tool: unknown = await resolveLazyTool(stub, requestContext, this.#timeout);
      if (!isTool(tool) || isLazyTool(tool) || isProviderTool(tool)) {
        throw new TypeError(`resolve() of "${name}" did not return a tool of Mastra or of the AI SDK`);
      }
      definition = toMastraTool(name, tool);
    } catch (error) {
      this.#reporter.report({ type: 'stub-failed', toolName: name, error }, origin);
      throw error;
    }
    const isAccepted = (await this.#accepts?.({ name, tool: definition }, { requestContext, origin })) ?? true;
    if (!isAccepted) throw new Error(`The definition of "${name}" is withheld`);
    return definition;
  }
}
