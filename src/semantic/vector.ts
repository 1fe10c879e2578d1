import { hash } from 'node:crypto';
import {
  bestFirst,
  checkOption,
  consoleContext,
  type EmbedOptions,
  must,
  type OptionTable,
  readOptions,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import {
  chunks,
  createEmbedder,
  documentText,
  EmbeddedTexts,
  embedOptions,
  type Keeper,
  QueryVectors,
  refusedError,
  unitVector,
} from './embedder.ts';
import { Lexicon } from './lexicon.ts';
import { minSimilarityOption } from './semantic.ts';

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
    includeVector?: boolean;
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
  /** Where it was asked for. */
  readonly vector?: readonly number[];
}

/**
 * The options of `vectorScorer`.
 *
 * @example
 * ```ts
 * const options = (vector: VectorStoreLike, embed: EmbedFunction): VectorScorerOptions => ({
 *   vector,
 *   indexName: 'tools',
 *   embed,
 *   model: 'my-model-2',
 * });
 * ```
 */
export interface VectorScorerOptions extends EmbedOptions {
  /** A vector store of Mastra, such as LibSQLVector or PgVector. */
  readonly vector: VectorStoreLike;
  /**
   * The index in it, created at the first search unless it is there. One for each embedding model; catalogs, tenants
   * and processes can share it.
   */
  readonly indexName: string;
  /**
   * Matches of one search at most. The others are cut, so it should be well above what a search returns and the
   * permissions may take away.
   *
   * @default 50
   */
  readonly topK?: number;
  /**
   * Rows whose score is not above it do not match, 0 up to below 1. On the store's scale, which is the cosine for most.
   *
   * @default 0.2
   */
  readonly minSimilarity?: number;
}

/** Which index of which store. */
export const storeOptions: OptionTable<Pick<VectorScorerOptions, 'vector' | 'indexName'>> = {
  vector: { isRequired: true, check: must('a vector store of Mastra, e.g. new LibSQLVector(…)', isStore) },
  indexName: {
    isRequired: true,
    check: must('the name of an index', (value) => typeof value === 'string' && value !== ''),
  },
};

const optionTable: OptionTable<VectorScorerOptions, 'batchSize' | 'concurrency' | 'topK' | 'minSimilarity'> = {
  ...embedOptions,
  ...storeOptions,
  ...minSimilarityOption,
  topK: { ...embedOptions.batchSize, default: 50 },
};

/** Rows that are remembered to be in the store. */
const MAX_KNOWN = 50_000;

/**
 * Ranks as `semanticScorer` does, with the vectors in a Mastra vector store: for catalogs beyond one process.
 *
 * At the first search of a catalog, the documents that the store does not have are embedded and stored, by a hash of
 * their content: a second process, or a second tenant with the same tools, writes nothing. Rows hold that hash and the
 * vector, no text, and nobody sees a row that is not of its own catalog. Rows of tools that are gone stay. To get rid
 * of them, delete the index: the next process fills it again, or this one after a search that fails.
 *
 * @throws ToolSearchError `invalid-option` for an option of the wrong type or range.
 *
 * @example
 * ```ts
 * import { vectorScorer } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 * import { LibSQLVector } from '@mastra/libsql';
 *
 * const vector = new LibSQLVector({ id: 'tools', url: 'file:tools.db' });
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * const scorer = vectorScorer({ vector, indexName: 'tools', embed });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function vectorScorer(options: VectorScorerOptions): ToolScorer {
  const settings = readOptions('vectorScorer', options, optionTable);
  const { vector, indexName, topK, minSimilarity } = settings;
  const embedder = createEmbedder(settings);
  const { model } = embedder;
  checkOption(model !== undefined, 'model', model, 'the name of the embedding model, since vectors are kept');
  const rows = new VectorRows(vector, indexName);
  const embedded = new EmbeddedTexts<true>(embedder, MAX_KNOWN);
  const queries = new QueryVectors(embedder);
  return {
    name: 'vector',
    givesConfidence: false,
    async index(documents, context = consoleContext) {
      const lexicon = new Lexicon(documents);
      // Documents with the same text share a row, for all catalogs, tenants and processes.
      const tools = documents.map((document) => {
        const text = documentText(document);
        return { name: document.name, text, row: rowIdOf(`${model}\n${text}`) };
      });
      // In one order everywhere, so that processes that write the same rows at once wait for each other without deadlock.
      const texts = tools.map(({ row, text }) => [row, text] as const).sort(([one], [other]) => (one < other ? -1 : 1));
      const refused = (errors: readonly unknown[]): void =>
        context.report({ scorer: 'vector', error: refusedError(errors) });
      const fill = async (): Promise<void> => void (await Promise.all(embedded.of(texts, storedIn(rows, refused))));
      let isFilled = true;
      await fill();

      const search = async (query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly ToolMatch[]> => {
        const { keywords, required } = query;
        const matching = lexicon.matching(required);
        const wanted = tools.filter(({ name }, id) => (matching?.has(id) ?? true) && (names?.has(name) ?? true));
        if (keywords.length === 0 || wanted.length === 0) return [];
        if (!isFilled) await fill();
        isFilled = true;
        const ids = new Set(wanted.map(({ row }) => row));
        const vector = await queries.of(query);
        const nearest = await rows.nearestAmong(ids, Array.from(vector), topK).catch((error: unknown) => {
          // The index may have been deleted: the next search looks, and fills it again.
          isFilled = false;
          embedded.forget(ids);
          throw error;
        });
        const best = bestFirst(nearest.map(({ id, score }) => ({ name: id, score }))).slice(0, topK);
        const scores = new Map(best.map(({ name, score }) => [name, score]));
        const named = lexicon.named(keywords);
        // More than 1 is only for stores whose scores are no cosines.
        const first = Math.max(1, ...scores.values());
        const matches = wanted.map(({ name, row }) => ({
          name,
          score: named.has(name) ? first : (scores.get(row) ?? 0),
        }));
        return bestFirst(matches.filter(({ score }) => score > minSimilarity));
      };

      return {
        search: (query) => search(query),
        // The best rows are the best of what may be seen.
        restrictedTo: (names) => ({ search: (query) => search(query, names) }),
      };
    },
  };
}

function isStore(value: unknown): boolean {
  const methods = ['describeIndex', 'createIndex', 'upsert', 'query'] as const;
  return methods.every((method) => typeof (value as Partial<VectorStoreLike> | null)?.[method] === 'function');
}

/** Ids in one filter: every engine accepts as many. */
const MAX_FILTER = 1_000;
const LOOKUP = 200;
/** The metadata field that filters use: not every engine filters by id. */
const FIELD = 'document';

/** A UUID of version 8 (custom), the only form of id that every engine accepts, by the hash of a text. */
export function rowIdOf(text: string): string {
  const hex = hash('sha256', text, 'hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** Unit vectors as rows by the ids of their texts. Rows that are there are not written again. */
function storedIn(rows: VectorRows, refused: Keeper<true>['refused']): Keeper<true> {
  let size: number | undefined;
  return {
    async find(ids) {
      size = await rows.size();
      const found = size === undefined ? [] : await rows.read(ids, size);
      return new Map(found.map(({ id }) => [id, true]));
    },
    async keep(ids, vectors) {
      await rows.put(ids, vectors.map(unitVector), size);
      return ids.map(() => true);
    },
    refused,
  };
}

/**
 * The rows of one index of a vector store, by the ids that they were stored with: some engines make ids of their own. A
 * catalog asks for the ids of its own documents, and other rows that the store returns are dropped: no catalog sees
 * another's tools.
 */
export class VectorRows {
  readonly #store: VectorStoreLike;
  readonly #indexName: string;
  /** The last creation of the index, until it is seen to be missing. */
  #creation: Promise<void> | undefined;

  constructor(store: VectorStoreLike, indexName: string) {
    this.#store = store;
    this.#indexName = indexName;
  }

  /** The size of the index's vectors; undefined without an index, or where it cannot be described. */
  async size(): Promise<number | undefined> {
    try {
      const { dimension } = await this.#store.describeIndex({ indexName: this.#indexName });
      return dimension >= 1 ? dimension : undefined;
    } catch {
      this.#creation = undefined;
      return undefined;
    }
  }

  /** @param size - of the index's vectors; without one, the index is created. */
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
      // Of processes that create it at once, some engines let all but one fail.
      if ((await this.size()) === undefined) throw error;
    }
  }

  /**
   * The rows of these ids that are there, with their vectors where the store returns them. Not every engine can list rows
   * without a vector, so this asks for the nearest to any vector among the ids, as many as there are.
   *
   * @param size - of the index's vectors.
   */
  async read(ids: readonly string[], size: number, includeVector = false): Promise<readonly VectorStoreRow[]> {
    const anyVector = new Array<number>(size).fill(1 / Math.sqrt(size));
    const found: VectorStoreRow[] = [];
    for (const some of chunks(ids, LOOKUP))
      found.push(...(await this.#nearest(anyVector, some.length, some, includeVector)));
    return found;
  }

  /** The nearest rows among these ids, at most `topK` of them and of every thousand ids, in no order. */
  async nearestAmong(ids: ReadonlySet<string>, vector: number[], topK: number): Promise<readonly VectorStoreRow[]> {
    if (ids.size > MAX_FILTER) {
      // Most rows may be of this catalog; its ids are sent only if they are not.
      const rows = await this.#nearest(vector, topK * 2);
      const own = rows.filter(({ id }) => ids.has(id));
      if (own.length >= topK || rows.length < topK * 2) return own;
    }
    const found: VectorStoreRow[] = [];
    for (const some of chunks([...ids], MAX_FILTER)) {
      const rows = await this.#nearest(vector, Math.min(topK, some.length), some);
      found.push(...rows.filter(({ id }) => ids.has(id)));
    }
    return found;
  }

  /** @param ids - those that may be found; all without it. */
  async #nearest(
    queryVector: number[],
    topK: number,
    ids?: readonly string[],
    includeVector = false,
  ): Promise<readonly VectorStoreRow[]> {
    const rows = await this.#store.query({
      ...{ indexName: this.#indexName, queryVector, topK },
      ...(ids && { filter: { [FIELD]: { $in: [...ids] } } }),
      ...(includeVector && { includeVector }),
    });
    // A row without a score must not cost the others.
    return rows
      .filter((row) => typeof row?.score === 'number')
      .map(({ id, score, metadata, vector }) => ({
        ...{ id: String(metadata?.[FIELD] ?? id), score },
        ...(vector && { vector }),
      }));
  }
}
