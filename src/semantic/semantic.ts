import { createHash } from 'node:crypto';
import {
  bestFirst,
  checkOption,
  consoleContext,
  type EmbeddingContext,
  type EmbedOptions,
  type IncrementalIndex,
  Lru,
  messageOf,
  type NamesOf,
  nextTurn,
  refuseUnknownOptions,
  type ToolDocument,
  type ToolQuery,
  type ToolScorer,
  type VectorCache,
  type VectorCacheEntry,
} from '../kit.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import {
  Batches,
  checkSize,
  createEmbedder,
  documentText,
  type Embedder,
  embedOptionNames,
  QueryVectors,
  unitVector,
} from './embedder.ts';
import { Lexicon } from './lexicon.ts';

/**
 * The options of `semanticScorer`.
 *
 * @example
 * ```ts
 * const options: SemanticScorerOptions = { embed: async (texts) => texts.map(() => [1, 0]), minSimilarity: 0.3 };
 * semanticScorer(options);
 * ```
 */
export interface SemanticScorerOptions extends EmbedOptions {
  /** Keeps vectors beyond this process. With a function as `embed`, `model` has to be given then. */
  readonly cache?: VectorCache;
  /**
   * Tools whose cosine with the query is not above it do not match, 0 up to below 1. What "unrelated" measures is a
   * matter of the model: look at the scores of a few searches before raising it.
   *
   * @default 0.2
   */
  readonly minSimilarity?: number;
}

const optionNames: NamesOf<SemanticScorerOptions> = { ...embedOptionNames, cache: true, minSimilarity: true };

/**
 * Ranks by the cosine between the embeddings of the query and of each tool's name, title, keywords, description and
 * parameter names, in this process. Finds "make a ticket" where tools say create_issue; is weak at identifiers,
 * abbreviations and typos, so it is best as a part of `hybridScorer`.
 *
 * The catalog is embedded at its first search, each distinct text once. A query that is a tool's name, in any spelling,
 * ranks that tool first, with a score of 1.
 *
 * @throws ToolSearchError `invalid-option` for an option of the wrong type or range.
 *
 * @example
 * ```ts
 * import { semanticScorer } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 *
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * new ToolSearchProcessor({ tools, search: { scorer: semanticScorer({ embed }) } });
 * ```
 */
export function semanticScorer(options: SemanticScorerOptions): ToolScorer {
  return scorerOf(options, false);
}

/** As {@link semanticScorer}, with an index that is there at once: its vectors come as they are embedded. */
export function growingSemanticScorer(options: SemanticScorerOptions): ToolScorer {
  return scorerOf(options, true);
}

const NAME = 'semantic';

/** @throws ToolSearchError `invalid-option` */
function scorerOf(options: SemanticScorerOptions, grows: boolean): ToolScorer {
  const embedder = createEmbedder(options);
  refuseUnknownOptions('semanticScorer', options, optionNames);
  const minSimilarity = checkedMinSimilarity(options.minSimilarity);
  const source = new DocumentVectors(embedder, checkedCache(options.cache, embedder));
  const queries = new QueryVectors(embedder);
  return {
    name: NAME,
    givesConfidence: false,
    async index(documents, context: EmbeddingContext = consoleContext): Promise<IncrementalIndex> {
      const texts = documents.map(documentText);
      const vectors = texts.map((): Float32Array | undefined => undefined);
      const index = semanticIndex(documents, vectors, queries, minSimilarity);
      const report = (error: unknown): void => context.report({ scorer: NAME, error });
      let missing = texts.length;
      const fill = async (): Promise<void> => {
        const coming = source.of(texts, report).map(async (vector, id) => {
          const known = vectors[id];
          vectors[id] = await vector;
          if (!known) missing--;
        });
        await Promise.all(coming);
      };
      if (!grows) return fill().then(() => index);
      const breaker = new CircuitBreaker();
      const begun = performance.now();
      let first = 0;
      let isRunning = false;
      const tell = (state: 'pending' | 'ready'): void => {
        const ms = Math.round(performance.now() - begun);
        context.embedding?.({ state, tools: texts.length, missing: first, ms });
      };
      const grow = async (): Promise<void> => {
        isRunning = true;
        try {
          await fill();
          if (first > 0) tell('ready');
        } catch (error) {
          breaker.failed();
          report(error);
        }
        isRunning = false;
      };
      void grow();
      // Vectors that are known are there after this turn.
      await nextTurn();
      first = missing;
      if (missing > 0) tell('pending');
      return {
        ...index,
        // Begins anew where some failed, after a pause.
        isPending() {
          if (missing > 0 && !isRunning && !breaker.isOpen('')) void grow();
          return missing > MAX_MISSING * texts.length;
        },
      };
    },
  };
}

/** The share of tools without a vector above which words rank alone. */
const MAX_MISSING = 0.1;

/** @throws ToolSearchError `invalid-option` for what no cosine can be compared to. */
export function checkedMinSimilarity(value: number = 0.2): number {
  const isOne = typeof value === 'number' && value >= 0 && value < 1;
  checkOption(isOne, 'minSimilarity', value, 'a number from 0 up to below 1');
  return value;
}

/** @throws ToolSearchError `invalid-option` for a cache without methods, or one that could not tell models apart. */
function checkedCache(cache: VectorCache | undefined, { model }: Embedder): VectorCache | undefined {
  if (cache === undefined) return undefined;
  const isCache = typeof cache?.get === 'function' && typeof cache.set === 'function';
  checkOption(isCache, 'cache', cache, 'an object with get and set');
  checkOption(model !== undefined, 'model', undefined, 'the name of the embedding model where there is a cache');
  return cache;
}

/** The closest tools whose cosines show what is unrelated to a query. */
const CLOSEST = 50;

/** @param vectors - of the documents, undefined where there is none yet; shared with the other catalogs that have the same texts. */
function semanticIndex(
  documents: readonly ToolDocument[],
  vectors: readonly (Float32Array | undefined)[],
  queries: QueryVectors,
  minSimilarity: number,
): IncrementalIndex {
  const lexicon = new Lexicon(documents);
  const known = new WeakMap<ToolQuery, Float32Array>();

  async function cosinesWith(query: ToolQuery): Promise<Float32Array> {
    const cosines = known.get(query);
    if (cosines) return cosines;
    const first = vectors.find((vector) => vector !== undefined);
    if (query.keywords.length === 0 || !first) return new Float32Array();
    const wanted = await queries.of(query);
    checkSize(wanted, first.length);
    const compared = Float32Array.from(vectors, (vector) => (vector ? cosine(wanted, vector) : 0));
    known.set(query, compared);
    return compared;
  }

  return {
    async search(query) {
      const cosines = await cosinesWith(query);
      const allowed = lexicon.matching(query.required);
      const named = lexicon.named(query.keywords);
      const matches = documents.map(({ name }, id) => ({ name, score: named.has(name) ? 1 : (cosines[id] ?? 0) }));
      return bestFirst(matches.filter(({ score }, id) => score > minSimilarity && (allowed?.has(id) ?? true)));
    },
    async closest(query, names) {
      const cosines = await cosinesWith(query);
      const counted = names ? cosines.filter((_, id) => names.has(documents[id]?.name ?? '')) : cosines.slice();
      return [...counted.sort().reverse().subarray(0, CLOSEST)];
    },
  };
}

/** The cosine of two unit vectors of one size. */
function cosine(first: Float32Array, second: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < first.length; at++) sum += (first[at] as number) * (second[at] as number);
  return Math.min(1, Math.max(-1, sum));
}

/** Vectors that are kept in this process, over all catalogs. */
const MAX_VECTORS = 20_000;

/** Receives what a cache failed to do. The work goes on without it. */
type Report = (error: Error) => void;

/**
 * The vectors of documents by their content: a text is embedded once for all catalogs that have it, even when they ask
 * for it at once, and not at all when the cache has it.
 */
class DocumentVectors {
  readonly #embedder: Embedder;
  readonly #cache: VectorCache | undefined;
  readonly #batches: Batches;
  readonly #cached = new Lru<Promise<Float32Array>>(MAX_VECTORS);
  /** Numbers of each vector, once there is one. */
  #size: number | undefined;

  constructor(embedder: Embedder, cache: VectorCache | undefined) {
    this.#embedder = embedder;
    this.#cache = cache;
    this.#batches = new Batches(() => embedder.limits());
  }

  /**
   * A unit vector for each text, all of one size. What was embedded before a failure is kept for the next time.
   *
   * They reject with what `embed` threw, or an Error for a vector without a direction.
   */
  of(texts: readonly string[], report: Report): readonly Promise<Float32Array>[] {
    const wanted = new Map<string, string>();
    // Begins when all that is wanted is known.
    const work = Promise.resolve().then(() => this.#find(wanted, report));
    return texts.map((text) => {
      const key = this.#keyOf(text);
      const cached = this.#cached.get(key);
      if (cached !== undefined) return cached;
      wanted.set(key, text);
      const vector = work.then((found) => found.get(key) as Float32Array);
      this.#cached.set(key, vector);
      vector.catch(() => this.#cached.drop(key, vector));
      return vector;
    });
  }

  /** The vectors of texts by their keys: those of the cache, the others from the model. */
  async #find(wanted: ReadonlyMap<string, string>, report: Report): Promise<ReadonlyMap<string, Float32Array>> {
    const found = await this.#fromCache([...wanted.keys()], report);
    const missing = [...wanted].filter(([key]) => !found.has(key));
    await this.#batches.run(missing, async (batch) => {
      const texts = batch.map(([, text]) => text);
      const vectors = await this.#embedder.embed(texts, 'document');
      const entries = batch.map(([key], at): VectorCacheEntry => {
        const vector = vectors[at] ?? [];
        const unit = unitVector(vector);
        this.#size ??= unit.length;
        checkSize(unit, this.#size);
        found.set(key, unit);
        // Known even if a later batch fails.
        this.#cached.set(key, Promise.resolve(unit));
        return { key, vector: Array.from(vector) };
      });
      try {
        await this.#cache?.set(entries);
      } catch (error) {
        report(cacheFault('set', entries.length, error));
      }
    });
    return found;
  }

  /** The usable vectors of the cache, by their keys. What goes wrong is reported. */
  async #fromCache(keys: readonly string[], report: Report): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    if (!this.#cache || keys.length === 0) return found;
    const faults: unknown[] = [];
    const attempt = (task: () => void): void => {
      try {
        task();
      } catch (error) {
        faults.push(error);
      }
    };
    try {
      const vectors = await this.#cache.get(keys);
      for (const [at, key] of keys.entries()) {
        const vector = vectors[at];
        if (vector !== undefined && vector !== null) attempt(() => found.set(key, unitVector(vector)));
      }
    } catch (error) {
      report(cacheFault('get', keys.length, error));
    }
    const sizes = [...found.values()].map(({ length }) => length).sort((one, other) => one - other);
    // The median is the size of most: one vector of another size must not decide for all.
    this.#size ??= sizes[sizes.length >> 1];
    for (const [key, unit] of found) {
      attempt(() => checkSize(unit, this.#size ?? unit.length));
      if (unit.length !== this.#size) found.delete(key);
    }
    if (faults.length > 0) report(cacheFault('get', faults.length, faults.at(-1)));
    return found;
  }

  #keyOf(text: string): string {
    return `${this.#embedder.model ?? ''}:${createHash('sha256').update(text).digest('hex')}`;
  }
}

function cacheFault(operation: 'get' | 'set', count: number, cause: unknown): Error {
  return new Error(`"cache" failed to ${operation} ${count} vectors: ${messageOf(cause)}`, { cause });
}
