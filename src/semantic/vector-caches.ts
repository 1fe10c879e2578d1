import { hash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOption } from '../errors.ts';
import type { VectorCache } from '../kit.ts';
import { must, type OptionTable, readOptions } from '../util/check.ts';
import { chunks } from './embedder.ts';

/**
 * Keeps vectors in a file, so that a restart does not embed the catalog again. Vectors are appended and never removed.
 * Processes may share the file; each reads it once, so it sees what the others have added at its next start. A new file
 * can be read by its owner alone. A vector of 384 numbers takes 2 KB.
 *
 * @param file - the path. Missing folders are made.
 * @throws ToolSearchError `invalid-option`.
 *
 * @example
 * ```ts
 * import { fileVectorCache } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 *
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * new ToolSearchProcessor({ tools, search: { embedder: { embed, cache: fileVectorCache('./vectors.txt') } } });
 * ```
 */
export function fileVectorCache(file: string): VectorCache {
  checkOption(typeof file === 'string' && file !== '', 'file', file, 'the path of a file');
  let known: Promise<Map<string, string>> | undefined;
  return {
    async get(keys) {
      known ??= readLines(file);
      known.catch(() => (known = undefined));
      const vectors = await known;
      return keys.map((key) => decoded(vectors.get(key)));
    },
    async set(entries) {
      await mkdir(path.dirname(path.resolve(file)), { recursive: true });
      // The line break comes first, so that a truncated line spoils only itself.
      const lines = entries.map(({ key, vector }) => `\n${JSON.stringify(key)} ${encoded(vector)}`);
      // Vectors tell something of the tools' texts, so only the file's owner may read them.
      await appendFile(file, lines.join(''), { mode: 0o600 });
      const vectors = await known;
      for (const { key, vector } of entries) vectors?.set(key, encoded(vector));
    },
  };
}

async function readLines(file: string): Promise<Map<string, string>> {
  let text = '';
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const vectors = new Map<string, string>();
  for (const line of text.split('\n')) {
    const end = line.lastIndexOf(' ');
    try {
      vectors.set(String(JSON.parse(line.slice(0, end))), line.slice(end + 1));
    } catch {
      // An empty line, or one that was cut off.
    }
  }
  return vectors;
}

/** The numbers as base64 of 32-bit floats. */
function encoded(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** Returns undefined for a truncated text. */
function decoded(text = ''): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 > 0) return undefined;
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/**
 * The methods of a Mastra vector store (`MastraVector`) that are used: LibSQLVector, PgVector, QdrantVector and so on
 * have them. The store's metadata filters have to know `$in`.
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
    includeVector?: boolean;
  }): Promise<readonly VectorStoreRow[]>;
}

/**
 * A row that a vector store has found.
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
  /** Present if the query asked for vectors. */
  readonly vector?: readonly number[];
}

/**
 * The options of `storeVectorCache`.
 *
 * @example
 * ```ts
 * const options = (vector: VectorStoreLike): StoreVectorCacheOptions => ({ vector, indexName: 'tool_vectors' });
 * ```
 */
export interface StoreVectorCacheOptions {
  /** A vector store of Mastra that returns vectors (`includeVector`), such as LibSQLVector or PgVector. */
  readonly vector: VectorStoreLike;
  /**
   * The name of the store's index. A missing index is made. Each embedding model needs its own; processes and tenants
   * may share it.
   */
  readonly indexName: string;
}

const storeOptions: OptionTable<StoreVectorCacheOptions> = {
  vector: { isRequired: true, check: must('a vector store of Mastra, e.g. new LibSQLVector(…)', isStore) },
  indexName: {
    isRequired: true,
    check: must('the name of an index', (value) => typeof value === 'string' && value !== ''),
  },
};

function isStore(value: unknown): boolean {
  const methods = ['describeIndex', 'createIndex', 'upsert', 'query'] as const;
  return methods.every((method) => typeof (value as Partial<VectorStoreLike> | null)?.[method] === 'function');
}

/**
 * Keeps vectors in a Mastra vector store, shared by all processes. A row has a vector, and a hash of the model's name
 * and the text, but no text.
 *
 * @throws ToolSearchError `invalid-option`.
 *
 * @example
 * ```ts
 * import { storeVectorCache } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 * import { LibSQLVector } from '@mastra/libsql';
 *
 * const cache = storeVectorCache({ vector: new LibSQLVector({ id: 'tools', url: 'file:tools.db' }), indexName: 'tool_vectors' });
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * new ToolSearchProcessor({ tools, search: { embedder: { embed, cache } } });
 * ```
 */
export function storeVectorCache(options: StoreVectorCacheOptions): VectorCache {
  const { vector, indexName } = readOptions('storeVectorCache', options, storeOptions);
  const rows = new VectorRows(vector, indexName);
  let size: number | undefined;
  return {
    async get(keys) {
      size ??= await rows.size();
      const found = size === undefined ? undefined : await rows.read(keys.map(rowIdOf), size);
      return keys.map((key) => found?.get(rowIdOf(key)));
    },
    async set(entries) {
      size ??= await rows.size();
      await rows.put(
        entries.map(({ key }) => rowIdOf(key)),
        entries.map((entry) => entry.vector),
        size,
      );
    },
  };
}

/** Most ids in one filter. */
const LOOKUP = 200;
/** The metadata field that filters use: not every engine filters by id. */
const FIELD = 'document';

/** A UUID of version 8 (custom), from the hash of a text: the only form of id that every engine accepts. */
function rowIdOf(text: string): string {
  const hex = hash('sha256', text, 'hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** The rows of one index, by the ids that they were stored with: some engines replace ids by their own. */
class VectorRows {
  readonly #store: VectorStoreLike;
  readonly #indexName: string;
  /** The creation of the index; cleared when the index turns out to be missing. */
  #creation: Promise<void> | undefined;

  constructor(store: VectorStoreLike, indexName: string) {
    this.#store = store;
    this.#indexName = indexName;
  }

  /** The length of the index's vectors; undefined if there is no index, or it cannot be described. */
  async size(): Promise<number | undefined> {
    try {
      const { dimension } = await this.#store.describeIndex({ indexName: this.#indexName });
      return dimension >= 1 ? dimension : undefined;
    } catch {
      this.#creation = undefined;
      return undefined;
    }
  }

  /** @param size - the length of the index's vectors. If it is undefined, the index is created. */
  async put(ids: readonly string[], vectors: readonly ArrayLike<number>[], size: number | undefined): Promise<void> {
    const dimension = size ?? vectors[0]?.length;
    if (dimension === undefined) return;
    const other = vectors.find(({ length }) => length !== dimension);
    if (other)
      throw new Error(
        `The index "${this.#indexName}" has vectors of ${dimension} numbers, and "embed" returned one of ${other.length}. ` +
          'Give another model another "indexName".',
      );
    if (size === undefined) {
      this.#creation ??= this.#create(dimension);
      await this.#creation;
    }
    await this.#store.upsert({
      indexName: this.#indexName,
      vectors: vectors.map((vector) => Array.from(vector)),
      ids: [...ids],
      metadata: ids.map((id) => ({ [FIELD]: id })),
    });
  }

  async #create(dimension: number): Promise<void> {
    try {
      await this.#store.createIndex({ indexName: this.#indexName, dimension, metric: 'cosine' });
    } catch (error) {
      // If several processes create the index at once, some engines let only one succeed.
      if ((await this.size()) === undefined) throw error;
    }
  }

  /**
   * The stored vectors of these ids. Not every engine can list rows without a query vector, so this asks for the rows
   * nearest to an arbitrary vector, filtered by id.
   *
   * @param size - the length of the index's vectors.
   */
  async read(ids: readonly string[], size: number): Promise<Map<string, readonly number[]>> {
    const queryVector = new Array<number>(size).fill(1 / Math.sqrt(size));
    const found = new Map<string, readonly number[]>();
    for (const some of chunks(ids, LOOKUP)) {
      const rows = await this.#store.query({
        ...{ indexName: this.#indexName, queryVector, topK: some.length },
        ...{ filter: { [FIELD]: { $in: [...some] } }, includeVector: true },
      });
      for (const row of rows) if (row?.vector) found.set(String(row.metadata?.[FIELD] ?? row.id), row.vector);
    }
    return found;
  }
}
