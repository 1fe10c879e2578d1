import {
  type Catalog,
  type CatalogEntry,
  MemoryCatalog,
  type NamesToGuess,
  namesIn,
  type OwnTool,
  type SourceCall,
  type ToolDocument,
  type ToolProblems,
  type ToolQuery,
} from '../kit.ts';
import type { SourceAnswer } from './answers.ts';
import type { SourceRun } from './source-run.ts';

/** Candidates that an unknown name is compared with. */
const MAX_NEAR = 48;
/** Unknown names looked up per call: each costs a search of the source. */
const MAX_NAMES = 5;

/** The catalog of a run over a source. It grows with each answer of the source, and so do its views. */
export class SourceCatalog implements Catalog {
  readonly isComplete = false;
  readonly #run: SourceRun;
  /** Names of the agent's own tools, which this view hides. */
  readonly #without: ReadonlySet<string>;

  constructor(run: SourceRun, without: ReadonlySet<string> = new Set()) {
    this.#run = run;
    this.#without = without;
  }

  get problems(): ToolProblems {
    return this.#run.shared.documentCache.problems;
  }

  get entries(): readonly CatalogEntry[] {
    return [...this.#run.entries.values()].filter(({ name }) => !this.#without.has(name));
  }

  get size(): number {
    return this.entries.length;
  }

  get(name: string): CatalogEntry | undefined {
    return this.#without.has(name) ? undefined : this.#run.entries.get(name);
  }

  nameOf(spelling: string): string {
    return spelling;
  }

  spellingsOf(name: string): readonly string[] {
    return [name];
  }

  spellings(): readonly string[] {
    return namesIn(this);
  }

  get spellingCount(): number {
    return this.size;
  }

  readDocument(entry: CatalogEntry): ToolDocument {
    return this.#run.shared.documentCache.read(entry);
  }

  /** Empty: over a source, only the candidates of one search can be compared for copies. */
  copiesOf(): readonly CatalogEntry[] {
    return [];
  }

  reach(names: Iterable<string>, call: SourceCall = {}): Promise<void> {
    return this.#run.reach(
      [...names].filter((name) => !this.#without.has(name)),
      call,
    );
  }

  failedToReach(name: string): boolean {
    return this.#run.failedToReach(name);
  }

  catalogsFor(names: readonly string[], call: SourceCall): Promise<readonly NamesToGuess[]> {
    return Promise.all(
      names.slice(0, MAX_NAMES).map(async (name) => {
        const answer = await this.#run.searchWords(name, MAX_NEAR, call).catch(() => undefined);
        const entries = answer?.found.flatMap((candidate) => this.get(candidate.name) ?? []);
        return { catalog: this.restrictedTo(entries ?? []), names: [name] };
      }),
    );
  }

  /** The result keeps the order of `visible`. */
  restrictedTo(visible: Iterable<CatalogEntry>): MemoryCatalog {
    const entries = new Map([...visible].map((entry) => [entry.name, entry]));
    return new MemoryCatalog(entries, new Map(), this.#run.shared.documentCache);
  }

  withoutOwn(own: readonly OwnTool[]): SourceCatalog {
    return own.length === 0 ? this : new SourceCatalog(this.#run, new Set(own.map(([key]) => key)));
  }

  /** No change: a source ranks only its own tools. */
  withSent(): this {
    return this;
  }

  /** No change: the options forbid request tools together with a source. */
  withResolved(): this {
    return this;
  }

  /**
   * The candidates of the source for a query, best first. Each is an entry of this catalog.
   *
   * @throws the source's error, after it was reported.
   */
  async candidates(query: ToolQuery, limit: number, call: SourceCall): Promise<SourceAnswer> {
    const { found, isAll } = await this.#run.search(query, limit, call);
    return { found: found.filter(({ name }) => this.get(name)), isAll };
  }
}
