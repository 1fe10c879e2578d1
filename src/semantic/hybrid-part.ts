import {
  type IncrementalIndex,
  inTime,
  type MatchExplanation,
  type MaybePromise,
  type ScorerContext,
  type ToolDocument,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

/**
 * One of a hybrid's scorers over one catalog. After a failure or a delay it rests a while, for that query or for all;
 * then the next search tries it again, its index too if that had failed.
 */
export class HybridPart {
  readonly name: string;
  readonly #scorer: ToolScorer;
  readonly #documents: readonly ToolDocument[];
  /** Makes the first index from another part's; then that one is let go. */
  #update: (() => Promise<IncrementalIndex | undefined>) | undefined;
  readonly #context: ScorerContext;
  readonly #timeout: number;
  #index: Promise<IncrementalIndex> | undefined;
  /** The index, once it is built. */
  #built: IncrementalIndex | undefined;
  /** Indexes of what requests may see, by the names, made of the index that is there. */
  #restricted = new WeakMap<ReadonlySet<string>, MaybePromise<ToolIndex>>();
  #isBuilding = false;
  /** The build takes longer than its time: nobody waits for it any more, but it may still end well. */
  #isLate = false;
  readonly #breaker = new CircuitBreaker();

  /** @param update - makes the index out of one for other documents, or cannot. */
  constructor(
    scorer: ToolScorer,
    documents: readonly ToolDocument[],
    context: ScorerContext,
    timeout: number,
    update?: () => Promise<IncrementalIndex | undefined>,
  ) {
    this.name = scorer.name;
    this.#scorer = scorer;
    this.#documents = documents;
    this.#update = update;
    this.#context = context;
    this.#timeout = timeout;
  }

  isResting(query: ToolQuery): boolean {
    return this.#isLate || this.#breaker.isOpen(wordsOf(query));
  }

  /** Whether its index rates matches; undefined while there is none. */
  get givesConfidence(): boolean | undefined {
    return this.#built && this.#built.confidence !== undefined;
  }

  /** Builds the index. */
  async prepare(): Promise<void> {
    await this.#attempt(() => this.#indexed());
  }

  /** @param names - those that may be found; all without it. */
  search(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly ToolMatch[]> {
    return this.#attempt(async () => {
      const matches: unknown = await (await this.#indexOf(names)).search(query);
      if (!Array.isArray(matches)) throw new Error('its search() did not return an array of matches');
      return matches.filter((match: Partial<ToolMatch> | null | undefined) => {
        return typeof match?.name === 'string' && (names?.has(match.name) ?? true);
      });
    }, query);
  }

  /** The confidence of names that the last search ranked, best first; an empty list where there is none. */
  async confidence(
    query: ToolQuery,
    ranked: readonly string[],
    names?: ReadonlySet<string>,
  ): Promise<readonly number[]> {
    const confidences = await (await this.#indexOf(names)).confidence?.(query, ranked);
    return Array.isArray(confidences) ? confidences : [];
  }

  /** The cosines of the tools closest to a query, whether they match or not; undefined of what compares no meanings. */
  async closest(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly number[] | undefined> {
    return (await this.#indexed()).closest?.(query, names);
  }

  /** This part for other documents. Its index is made from this one's, where that can be updated. */
  updated(documents: readonly ToolDocument[], added: readonly ToolDocument[], removed: readonly string[]): HybridPart {
    const index = this.#index;
    return new HybridPart(this.#scorer, documents, this.#context, this.#timeout, async () =>
      (await index)?.update?.(added, removed),
    );
  }

  /** The explanation from the index that is there; none where that fails. */
  async explain(query: ToolQuery, name: string, names?: ReadonlySet<string>): Promise<MatchExplanation | undefined> {
    try {
      const index = this.#index && (await this.#indexOf(names));
      return await index?.explain?.(query, name);
    } catch {
      return undefined;
    }
  }

  /** @param query - what is asked; without an index it is not at fault. */
  async #attempt<Value>(task: () => Promise<Value>, query?: ToolQuery): Promise<Value> {
    try {
      const value = await this.#inTime(task());
      this.#breaker.worked();
      return value;
    } catch (error) {
      this.#breaker.failed(this.#built && query && wordsOf(query));
      throw error;
    }
  }

  async #indexOf(names: ReadonlySet<string> | undefined): Promise<ToolIndex> {
    const index = await this.#indexed();
    if (!names || !index.restrictedTo) return index;
    const restricted = this.#restricted.get(names) ?? index.restrictedTo(names);
    this.#restricted.set(names, restricted);
    return restricted;
  }

  /** The index, or the build under way. One that failed is built anew. */
  #indexed(): Promise<IncrementalIndex> {
    if (this.#index !== undefined) return this.#index;
    const build = this.#build();
    this.#index = build;
    this.#restricted = new WeakMap();
    this.#isBuilding = true;
    build.then(
      (index) => {
        this.#built = index;
        this.#ended();
      },
      (error: unknown) => {
        this.#index = undefined;
        if (this.#ended()) {
          this.#breaker.failed();
          this.#context.report({ scorer: this.name, error });
        }
      },
    );
    return build;
  }

  async #build(): Promise<IncrementalIndex> {
    const update = this.#update;
    this.#update = undefined;
    try {
      const updated = await update?.();
      if (updated) return updated;
    } catch (error) {
      this.#context.report({ scorer: this.name, error });
    }
    return this.#scorer.index(this.#documents, this.#context);
  }

  /** The build has ended; true if it was late, so that nobody else hears of its end. */
  #ended(): boolean {
    const wasLate = this.#isLate;
    this.#isBuilding = false;
    this.#isLate = false;
    if (wasLate) this.#breaker.end();
    return wasLate;
  }

  #inTime<Value>(work: Promise<Value>): Promise<Value> {
    return inTime(work, this.#timeout, () => {
      this.#isLate = this.#isBuilding;
      const what = this.#isBuilding ? 'building its index' : 'its search';
      return new Error(`${what} takes longer than ${this.#timeout} ms`);
    });
  }
}

function wordsOf({ keywords }: ToolQuery): string {
  return keywords.join(' ');
}
