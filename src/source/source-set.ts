import type { RequestContext } from '@mastra/core/request-context';
import {
  type Catalog,
  DocumentCache,
  type GroupOf,
  type Reporter,
  type SearchCall,
  type Searched,
  ToolProblems,
  type ToolSource,
} from '../kit.ts';
import { searchSource } from './search.ts';
import { SourceCatalog } from './source-catalog.ts';
import { lastTools, type SharedSource, SourceRun } from './source-run.ts';

interface SourceSettings {
  readonly reservedNames: readonly string[];
  readonly groupOf: GroupOf;
  /** Milliseconds that one call of the source may take. */
  readonly timeout: number;
}

/** Makes a processor's catalogs over a source, and searches them. */
export class SourceSet {
  readonly #shared: SharedSource;

  constructor(source: ToolSource, { reservedNames, groupOf, timeout }: SourceSettings, reporter: Reporter) {
    const documentCache = new DocumentCache(new ToolProblems(reporter), new Map(), groupOf);
    this.#shared = { source, reporter, documentCache, reservedNames, timeout, lastTools: lastTools() };
  }

  /** The catalog of a run. */
  catalog(requestContext: RequestContext | undefined): Catalog {
    return new SourceCatalog(new SourceRun(this.#shared, requestContext));
  }

  /** Searches a catalog of this set. Returns undefined after a reported failure of the source. */
  search(call: SearchCall<SourceCatalog>): Promise<Searched | undefined> {
    return searchSource(call);
  }
}
