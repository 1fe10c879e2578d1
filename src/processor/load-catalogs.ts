import type { RequestContext } from '@mastra/core/request-context';
import { Catalog } from '../catalog/catalog.ts';
import { DocumentCache, type GroupOf } from '../catalog/document-cache.ts';
import { ToolProblems } from '../catalog/tool-problems.ts';
import type { ToolSource } from '../catalog/tool-source.ts';
import type { ToolsFunction } from '../catalog/tools-function.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/** Makes the catalog of each run. */
export interface CatalogMaker {
  /** Never rejects. */
  catalog(requestContext: RequestContext | undefined, origin?: EventOrigin): MaybePromise<Catalog>;
}

/** Settings that catalogs of runs share. */
interface CatalogSettings {
  readonly reservedNames: readonly string[];
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly groupOf: GroupOf;
  /** Milliseconds that the function, or one call of the source, may take. */
  readonly timeout: number;
}

/** Loads the code that makes catalogs of a function or of a source, which is a chunk of the package, for the first run. */
export function loadCatalogs(
  tools: ToolsFunction | ToolSource,
  settings: CatalogSettings,
  reporter: Reporter,
): CatalogMaker {
  let loading: Promise<CatalogMaker> | undefined;
  const load = async (): Promise<CatalogMaker> => {
    if (typeof tools !== 'function') {
      const { SourceCatalogs } = await import('../catalog/source-catalog.ts');
      return new SourceCatalogs(tools, settings, reporter);
    }
    const { FunctionCatalogs } = await import('../catalog/tools-function.ts');
    return new FunctionCatalogs(tools, settings, reporter);
  };
  return {
    catalog: async (requestContext, origin) => {
      try {
        loading ??= load();
        return await (await loading).catalog(requestContext, origin);
      } catch (error) {
        // The next run tries again.
        loading = undefined;
        reporter.report({ type: 'tools-failed', error }, origin);
        return new Catalog(new Map(), new Map(), new DocumentCache(new ToolProblems(reporter), new Map()), true);
      }
    },
  };
}
