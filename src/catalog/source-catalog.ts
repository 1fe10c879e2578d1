import type { RequestContext } from '@mastra/core/request-context';
import type { Reporter } from '../events/reporter.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import { Lru } from '../util/lru.ts';
import { Catalog } from './catalog.ts';
import { DocumentCache, type GroupOf } from './documents.ts';
import type { CandidateAnswer, CatalogEntry } from './entry.ts';
import { type SourceCall, SourceClient } from './source-client.ts';
import { type LastTools, SourceRun } from './source-run.ts';
import { ToolProblems } from './tool-problems.ts';
import type { ToolSource } from './tool-source.ts';

/**
 * The catalog of a run over a source: the tools that the run has met. It grows, in all of its views at once.
 */
export class SourceCatalog extends Catalog {
  readonly #run: SourceRun;
  readonly #documents: DocumentCache;
  /** Names that the agent itself has. */
  readonly #without: ReadonlySet<string>;

  constructor(run: SourceRun, documentCache: DocumentCache, without: ReadonlySet<string> = new Set()) {
    super(new Map(), new Map(), documentCache);
    this.#run = run;
    this.#documents = documentCache;
    this.#without = without;
  }

  override get size(): number {
    return [...this.entries].length;
  }

  override get entries(): Iterable<CatalogEntry> {
    return [...this.#run.entries.values()].filter(({ name }) => !this.#without.has(name));
  }

  override get names(): Iterable<string> {
    return [...this.entries].map(({ name }) => name);
  }

  override *spellings(): Iterable<string> {
    yield* this.names;
  }

  override get spellingCount(): number {
    return this.size;
  }

  override spellingsOf(name: string): readonly string[] {
    return [name];
  }

  override get(name: string): CatalogEntry | undefined {
    return this.#without.has(name) ? undefined : this.#run.entries.get(name);
  }

  override without(names: readonly string[]): Catalog {
    return names.length === 0 ? this : new SourceCatalog(this.#run, this.#documents, new Set(names));
  }

  /** The source ranks its own tools alone. */
  override withSent(): Catalog {
    return this;
  }

  override restrictedTo(visible: ReadonlySet<CatalogEntry>): Catalog {
    const entries = new Map([...visible].map((entry) => [entry.name, entry]));
    return new Catalog(entries, new Map(), this.#documents);
  }

  override reach(names: Iterable<string>, call: SourceCall = {}): Promise<void> {
    return this.#run.reach(
      [...names].filter((name) => !this.#without.has(name)),
      call,
    );
  }

  override isUnreachable(name: string): boolean {
    return this.#run.isUnreachable(name);
  }

  override async near(name: string, call: SourceCall): Promise<Catalog> {
    const entries = await this.#run.near(name, call);
    return this.restrictedTo(new Set(entries.filter((entry) => !this.#without.has(entry.name))));
  }

  override async candidates(query: ToolQuery, limit: number, call: SourceCall): Promise<CandidateAnswer> {
    const { found, isAll } = await this.#run.search(query, limit, call);
    return { found: found.filter(({ name }) => !this.#without.has(name)), isAll };
  }
}

/** Tools that are kept for the time when the source is down. */
const MAX_LAST_TOOLS = 1_000;

/** Settings that catalogs of runs share. */
export interface SourceSettings {
  readonly reservedNames: readonly string[];
  readonly groupOf: GroupOf;
  /** Milliseconds that one call of the source may take. */
  readonly timeout: number;
}

/** Makes the catalog of each run over a source. */
export class SourceCatalogs {
  readonly #client: SourceClient;
  readonly #settings: SourceSettings;
  readonly #documentCache: DocumentCache;
  readonly #lastTools: LastTools = new Lru(MAX_LAST_TOOLS);

  constructor(source: ToolSource, settings: SourceSettings, reporter: Reporter) {
    this.#client = new SourceClient(source, settings.timeout, reporter);
    this.#settings = settings;
    this.#documentCache = new DocumentCache(new ToolProblems(reporter), new Map(), settings.groupOf);
  }

  /** The catalog of a run, which has met no tool yet. */
  catalog(requestContext: RequestContext | undefined): Catalog {
    const { reservedNames, timeout } = this.#settings;
    const settings = { reservedNames, timeout, requestContext };
    const run = new SourceRun(this.#client, settings, this.#documentCache, this.#lastTools);
    return new SourceCatalog(run, this.#documentCache);
  }
}
