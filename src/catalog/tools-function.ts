import type { RequestContext } from '@mastra/core/request-context';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import { inTime } from '../util/timeout.ts';
import { buildCatalog, type ListedTool, listedTools } from './build-catalog.ts';
import { DocumentCache, type GroupOf } from './documents.ts';
import type { ToolStub } from './lazy-tool.ts';
import { MemoryCatalog } from './memory.ts';
import type { AnyTool } from './tool.ts';
import { ToolProblems } from './tool-problems.ts';

/**
 * Tools by name, or by server and name.
 *
 * @example
 * ```ts
 * import { z } from 'zod';
 *
 * const byServer: ToolRecord = { office: tools, clock: { description: 'The time.', inputSchema: z.object({}) } };
 * new ToolSearchProcessor({ tools: byServer });
 * ```
 */
export type ToolRecord = Record<string, AnyTool | ToolStub | Record<string, AnyTool | ToolStub>>;

/**
 * The tools of one run.
 *
 * @example
 * ```ts
 * const ofUser: ToolsFunction = ({ requestContext }) => (requestContext?.get('isAdmin') ? tools : {});
 * new ToolSearchProcessor({ tools: ofUser });
 * ```
 */
export type ToolsFunction = (args: { requestContext?: RequestContext }) => ToolRecord | Promise<ToolRecord>;

/** Settings that catalogs of runs share. */
interface FunctionSettings {
  readonly reservedNames: readonly string[];
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly groupOf?: GroupOf;
  /** Milliseconds that the function may take. */
  readonly timeout: number;
}

/** A catalog, with the tools that it was made of. */
interface Made {
  readonly list: readonly ListedTool[];
  readonly catalog: MemoryCatalog;
}

/** Makes the catalog of each run, where `tools` is a function. */
export class FunctionCatalogs {
  readonly #resolve: ToolsFunction;
  readonly #settings: FunctionSettings;
  readonly #reporter: Reporter;
  readonly #documentCache: DocumentCache;
  /**
   * Cache: catalogs by their first tool and by their last, as one of the two may be every user's. A catalog is used again
   * only for exactly the same tools: others are another user's.
   */
  readonly #made = new WeakMap<object, Made>();

  constructor(resolve: ToolsFunction, settings: FunctionSettings, reporter: Reporter) {
    this.#resolve = resolve;
    this.#settings = settings;
    this.#reporter = reporter;
    this.#documentCache = new DocumentCache(new ToolProblems(reporter), settings.keywords, settings.groupOf);
  }

  /** The catalog of a run. Never throws: where the function fails, the run goes on without its tools. */
  async catalog(requestContext: RequestContext | undefined, origin?: EventOrigin): Promise<MemoryCatalog> {
    try {
      const resolved = (async () => this.#resolve(requestContext ? { requestContext } : {}))();
      return this.#catalogOf(listedTools(await inTime(resolved, this.#settings.timeout)));
    } catch (error) {
      this.#reporter.report({ type: 'tools-failed', error }, origin);
      return new MemoryCatalog(new Map(), new Map(), this.#documentCache, true);
    }
  }

  #catalogOf(list: readonly ListedTool[]): MemoryCatalog {
    const keys = [list[0]?.tool, list.at(-1)?.tool].filter((tool) => typeof tool === 'object' && tool !== null);
    for (const key of keys) {
      const made = this.#made.get(key);
      if (made && areSame(made.list, list)) return made.catalog;
    }
    const catalog = buildCatalog(list, this.#settings.reservedNames, this.#documentCache, ({ message }, name) => {
      this.#documentCache.problems.refused(name, message);
    });
    for (const key of keys) this.#made.set(key, { list, catalog });
    return catalog;
  }
}

function areSame(first: readonly ListedTool[], second: readonly ListedTool[]): boolean {
  return (
    first.length === second.length &&
    first.every(({ key, tool }, position) => key === second[position]?.key && tool === second[position]?.tool)
  );
}
