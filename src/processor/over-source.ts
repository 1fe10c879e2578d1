import type { RequestContext } from '@mastra/core/request-context';
import { emptyCatalog } from '../catalog/build-catalog.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { Reporter } from '../events/reporter.ts';
import type { SearchCall, Searched, Searcher } from '../search/searcher.ts';
import type { SourceSet } from '../wings.ts';

/** Catalogs and searches of a processor over a source. Creating the processor starts loading their code, which is a wing. */
export class OverSource implements Searcher {
  readonly ranks = 'source';
  /** Each search may be a request to another service. */
  readonly maxQueries = 1;
  readonly #set: Promise<SourceSet>;
  readonly #name: string;
  readonly #reporter: Reporter;

  /** @param name - the name of the source, for events. */
  constructor(name: string, load: () => Promise<SourceSet>, reporter: Reporter) {
    this.#name = name;
    this.#reporter = reporter;
    this.#set = load();
    // Only avoids an unhandled rejection: each run reports the failure.
    this.#set.catch(() => {});
  }

  /** The catalog of a run. Never rejects: if the code cannot be loaded, the run continues without tools. */
  async catalog(requestContext: RequestContext | undefined, origin?: EventOrigin): Promise<Catalog> {
    try {
      return (await this.#set).catalog(requestContext);
    } catch (error) {
      this.#reporter.report({ type: 'source-failed', source: this.#name, operation: 'search', error }, origin);
      return emptyCatalog(this.#reporter);
    }
  }

  async search(call: SearchCall): Promise<Searched | undefined> {
    return (await this.#set).search(call as Parameters<SourceSet['search']>[0]);
  }

  async ready(): Promise<void> {}

  prepare(): void {}

  clear(): void {}
}
