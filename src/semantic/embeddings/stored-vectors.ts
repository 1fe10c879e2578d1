import { createHash } from 'node:crypto';
import { Lru } from '../../kit.ts';
import { Batches, type Embedder } from './embedder.ts';
import { unitVector } from './unit-vector.ts';

/**
 * The part that is used of a Mastra vector store (`MastraVector`): LibSQLVector, PgVector, QdrantVector and so on.
 * Metadata filters have to know `$in`.
 *
 * @example
 * ```ts
 * import { LibSQLVector } from '@mastra/libsql';
 *
 * const vector: VectorStoreLike = new LibSQLVector({ id: 'tools', url: 'file:tools.db' });
 * ```
 */
export interface VectorStoreLike {
  /** Throws for an index that does not exist. */
  describeIndex(params: { indexName: string }): Promise<{ readonly dimension: number }>;
  /** Changes nothing when the index exists. */
  createIndex(params: { indexName: string; dimension: number; metric?: 'cosine' }): Promise<unknown>;
  /** Replaces the rows that have one of the ids. */
  upsert(params: {
    indexName: string;
    vectors: number[][];
    ids?: string[];
    metadata?: Record<string, unknown>[];
  }): Promise<unknown>;
  /** The nearest rows, best first. */
  query(params: {
    indexName: string;
    queryVector: number[];
    topK?: number;
    filter?: Record<string, { $in: string[] }>;
  }): Promise<readonly VectorStoreRow[]>;
}

/**
 * A row of a vector store, as it is found.
 *
 * @example
 * ```ts
 * const row: VectorStoreRow = { id: 'send_email', score: 0.8 };
 * ```
 */
export interface VectorStoreRow {
  readonly id: string;
  readonly score: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Ids in one filter: what every engine takes. */
const MAX_FILTER = 1_000;
/** Rows that are looked up at once. */
const LOOKUP = 200;
/** Rows that are known to be in the store. */
const MAX_KNOWN = 50_000;
/** The field that filters ask for: not every engine filters by id. */
const FIELD = 'document';

/**
 * Documents as rows of one index of a vector store.
 *
 * A row's id is a hash of the model's name and the text, so the same document is one row for all catalogs, tenants and
 * processes, and nobody writes what is there. A row holds nothing but that hash and the vector. Whoever asks, asks for
 * the ids of its own catalog, and whatever else the store returns is dropped: no catalog sees another's tools.
 */
export class StoredVectors {
  readonly #store: VectorStoreLike;
  readonly #indexName: string;
  readonly #embedder: Embedder;
  readonly #model: string;
  readonly #batches: Batches;
  readonly #known = new Lru<true>(MAX_KNOWN);
  /** The last fill: one runs after the other, so that catalogs with the same documents embed them once. */
  #lastFill: Promise<unknown> = Promise.resolve();

  constructor(store: VectorStoreLike, indexName: string, embedder: Embedder, model: string) {
    this.#store = store;
    this.#indexName = indexName;
    this.#embedder = embedder;
    this.#model = model;
    this.#batches = new Batches(() => embedder.limits());
  }

  /** A UUID, the only form of id that every engine takes. */
  idOf(text: string): string {
    const hex = createHash('sha256').update(this.#model).update('\n').update(text).digest('hex');
    // Version 8: made by rules of one's own.
    const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
    return [...parts, hex.slice(20, 32)].join('-');
  }

  /** Sees to it that the texts, by their ids, are in the store. What was stored before a failure stays there. */
  fill(texts: ReadonlyMap<string, string>): Promise<void> {
    const fill = this.#lastFill.then(() => this.#fill(texts));
    this.#lastFill = fill.catch(() => {});
    return fill;
  }

  /** Believes no longer that rows are in the store. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#known.drop(id, true);
  }

  /** The nearest rows among these ids, at most `topK` of them and of every thousand ids, in no order. */
  async nearest(vector: Float32Array, ids: ReadonlySet<string>, topK: number): Promise<readonly VectorStoreRow[]> {
    const queryVector = Array.from(vector);
    if (ids.size > MAX_FILTER) {
      // Most rows may well be of this catalog; only if they are not, its ids have to be sent.
      const rows = await this.#query({ queryVector, topK: topK * 2 });
      const own = rows.filter(({ id }) => ids.has(id));
      if (own.length >= topK || rows.length < topK * 2) return own;
    }
    const found: VectorStoreRow[] = [];
    for (const some of chunks([...ids], MAX_FILTER)) {
      const filter = { [FIELD]: { $in: [...some] } };
      const rows = await this.#query({ queryVector, topK: Math.min(topK, some.length), filter });
      found.push(...rows.filter(({ id }) => ids.has(id)));
    }
    return found;
  }

  async #fill(texts: ReadonlyMap<string, string>): Promise<void> {
    const unknown = [...texts.keys()].filter((id) => !this.#known.get(id));
    if (unknown.length === 0) return;
    const size = await this.#sizeOfIndex();
    if (size !== undefined) await this.#lookUp(unknown, size);
    // In one order everywhere, so that processes that write the same rows at once wait for each other without deadlock.
    const missing = unknown.filter((id) => !this.#known.get(id)).sort();

    let creation: Promise<unknown> | undefined;
    await this.#batches.run(missing, async (ids) => {
      const embedded = await this.#embedder.embed(
        ids.map((id) => texts.get(id) ?? ''),
        'document',
      );
      const vectors = embedded.map((vector) => Array.from(unitVector(vector)));
      const dimension = vectors[0]?.length ?? 0;
      for (const vector of vectors) this.#checkSize(vector.length, size ?? dimension);
      if (size === undefined) {
        creation ??= this.#create(dimension);
        await creation;
      }
      const metadata = ids.map((id) => ({ [FIELD]: id }));
      await this.#store.upsert({ indexName: this.#indexName, vectors, ids: [...ids], metadata });
      for (const id of ids) this.#known.set(id, true);
    });
  }

  async #create(dimension: number): Promise<void> {
    try {
      await this.#store.createIndex({ indexName: this.#indexName, dimension, metric: 'cosine' });
    } catch (error) {
      // Of processes that create it at once, some engines let all but one fail.
      if ((await this.#sizeOfIndex()) === undefined) throw error;
    }
  }

  /** @throws Error for a vector that does not go into the index. */
  #checkSize(length: number, size: number): void {
    if (length === size) return;
    throw new Error(
      `The index "${this.#indexName}" has vectors of ${size} numbers, and "embed" returned one of ${length}. ` +
        'Give another model another "indexName".',
    );
  }

  /** The size of the index; undefined when there is none yet, or none that can be described: creating it will tell. */
  async #sizeOfIndex(): Promise<number | undefined> {
    try {
      const { dimension } = await this.#store.describeIndex({ indexName: this.#indexName });
      return dimension >= 1 ? dimension : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Notes which rows are there. Not every engine can list rows without a vector, so this asks for the nearest to any
   * vector among the ids, as many as there are.
   */
  async #lookUp(ids: readonly string[], size: number): Promise<void> {
    const queryVector = new Array<number>(size).fill(1 / Math.sqrt(size));
    for (const some of chunks(ids, LOOKUP)) {
      const rows = await this.#query({ queryVector, topK: some.length, filter: { [FIELD]: { $in: [...some] } } });
      for (const { id } of rows) this.#known.set(id, true);
    }
  }

  /** Rows under the ids that they were given: some engines make ids of their own. */
  async #query(params: Omit<Parameters<VectorStoreLike['query']>[0], 'indexName'>): Promise<readonly VectorStoreRow[]> {
    const rows = await this.#store.query({ indexName: this.#indexName, ...params });
    // A row that is none must not cost the others.
    return rows
      .filter((row) => typeof row?.score === 'number')
      .map(({ id, score, metadata }) => ({ id: String(metadata?.[FIELD] ?? id), score }));
  }
}

function chunks<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
