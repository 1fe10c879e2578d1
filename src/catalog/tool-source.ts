import type { RequestContext } from '@mastra/core/request-context';
import type { Reporter } from '../reporter.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { inTime } from '../util/timeout.ts';
import { Catalog, catalogOf } from './catalog.ts';
import { CatalogReporter } from './catalog-reporter.ts';
import { type ListedTool, listedTools } from './listed-tools.ts';
import type { AnyTool } from './tool.ts';

/** Tools by name, or by server and name. */
export type ToolRecord = Record<string, AnyTool | Record<string, AnyTool>>;

/** The tools of one run. */
export type ToolsFunction = (args: { requestContext?: RequestContext }) => MaybePromise<ToolRecord>;

/** Settings that catalogs of runs share. */
interface SourceSettings {
  readonly reservedNames: readonly string[];
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  /** Milliseconds that the function may take. */
  readonly timeout: number;
}

/** A catalog with what it was made of. */
interface Made {
  readonly list: readonly ListedTool[];
  readonly catalog: Catalog;
}

/** Makes the catalogs of runs, where `tools` is a function. */
export class ToolSource {
  readonly #resolve: ToolsFunction;
  readonly #settings: SourceSettings;
  readonly #reporter: Reporter;
  readonly #catalogReporter: CatalogReporter;
  /**
   * By the first tool and by the last: one of them may be every user's. A catalog is used again only for exactly the
   * same tools: others are another user's.
   */
  readonly #made = new WeakMap<object, Made>();

  constructor(resolve: ToolsFunction, settings: SourceSettings, reporter: Reporter) {
    this.#resolve = resolve;
    this.#settings = settings;
    this.#reporter = reporter;
    this.#catalogReporter = new CatalogReporter(reporter, settings.keywords);
  }

  /** Never throws: without its tools, the run goes on with the rest. */
  async catalog(requestContext: RequestContext | undefined): Promise<Catalog> {
    try {
      const resolved = (async () => this.#resolve(requestContext ? { requestContext } : {}))();
      return this.#catalogOf(listedTools(await inTime(resolved, this.#settings.timeout)));
    } catch (error) {
      this.#reporter.report({ type: 'tools-failed', error });
      return new Catalog(new Map(), new Map(), this.#catalogReporter, true);
    }
  }

  #catalogOf(list: readonly ListedTool[]): Catalog {
    const keys = [list[0]?.tool, list.at(-1)?.tool].filter((tool) => typeof tool === 'object' && tool !== null);
    for (const key of keys) {
      const made = this.#made.get(key);
      if (made && areSame(made.list, list)) return made.catalog;
    }
    const catalog = catalogOf(list, this.#settings.reservedNames, this.#catalogReporter, ({ message }, name) => {
      this.#catalogReporter.refused(name, message);
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
