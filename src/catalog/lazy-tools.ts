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
 * A tool whose definition is fetched on demand. Searches read the fields below; loading or calling the tool resolves it,
 * once per run.
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
  /** Further words that find the tool. */
  readonly keywords?: readonly string[];
  /** The names of its parameters. */
  readonly parameters?: readonly string[];
  /** Returns the tool. `timeouts.tools` bounds it. */
  readonly resolve: (args: { requestContext?: RequestContext }) => AnyTool | Promise<AnyTool>;
}

/** Whether a value is a lazy tool: it has `resolve` and `id`, and none of the fields of a tool. */
export function isLazyTool(value: unknown): value is ToolStub {
  const fields = asRecord(value);
  if (!fields || typeof fields['resolve'] !== 'function' || typeof fields['id'] !== 'string') return false;
  return fields['execute'] === undefined && fields['inputSchema'] === undefined && !(MASTRA_TOOL_MARKER in fields);
}

/** Whether a value can be searched: it is a tool, or a lazy tool. */
export function isSearchable(value: unknown): value is AnyTool | ToolStub {
  return isTool(value) || isLazyTool(value);
}

/** Timeout in milliseconds for a proxy that is called outside a run. */
const TIMEOUT = 10_000;

const lazyTools = new WeakMap<object, ToolStub>();
/** Cache: proxies by lazy tool. One proxy per lazy tool lets its document be cached across requests. */
const proxies = new WeakMap<ToolStub, MastraTool>();

/** The lazy tool behind a proxy; undefined for any other tool. */
export function lazyToolOf(tool: object): ToolStub | undefined {
  return lazyTools.get(tool);
}

/**
 * Calls `resolve`, within `timeout` milliseconds.
 *
 * @throws what `resolve` throws or rejects with.
 */
export function resolveLazyTool(
  stub: ToolStub,
  requestContext: RequestContext | undefined,
  timeout: number,
): Promise<AnyTool> {
  return inTime((async () => stub.resolve(requestContext ? { requestContext } : {}))(), timeout);
}

/**
 * The catalog's proxy of a lazy tool. Searches and the filter read the proxy; it is never sent. Where the proxy is called,
 * as by a run that resumes after a restart, it resolves and runs the tool.
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
    // A resumed run asks the proxy: a call must not skip the approval that the real tool requires.
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

/** Whether a request may use the definition that a lazy tool resolves to. Never rejects. */
type AcceptsDefinition = (
  definition: Pick<CatalogEntry, 'name' | 'tool'>,
  asker: { readonly requestContext?: RequestContext | undefined; readonly origin?: EventOrigin | undefined },
) => Promise<boolean>;

/** Resolves lazy tools, each once per run. A failure is reported, and not retried in that run. */
export class LazyTools {
  readonly #timeout: number;
  readonly #reporter: Reporter;
  readonly #runs = new WeakMap<object, Map<ToolStub, Resolution>>();

  readonly #accepts: AcceptsDefinition | undefined;

  /**
   * @param timeout - milliseconds that one lazy tool may take.
   * @param accepts - whether a definition may be used. It reports refused definitions itself.
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

  /** Resolves the lazy tools among the entries in parallel. Returns the names of those that failed. */
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
   * The definition for a call outside any step.
   *
   * @throws what resolving the tool throws, after it was reported.
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
