import {
  bestFirst,
  invalidOption,
  type NamesOf,
  refuseUnknownOptions,
  type ToolDocument,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import { documentText } from './embeddings/document-text.ts';
import { createEmbedder, type EmbedOptions, embedOptionNames } from './embeddings/embedder.ts';
import { QueryVectors } from './embeddings/query-vectors.ts';
import { StoredVectors, type VectorStoreLike } from './embeddings/stored-vectors.ts';
import { Lexicon } from './lexicon.ts';
import { checkedMinSimilarity } from './semantic.ts';

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

const optionNames: NamesOf<VectorScorerOptions> = {
  ...embedOptionNames,
  vector: true,
  indexName: true,
  topK: true,
  minSimilarity: true,
};

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
  const embedder = createEmbedder(options);
  refuseUnknownOptions('vectorScorer', options, optionNames);
  const { vector, indexName, topK = 50 } = options;
  for (const method of ['describeIndex', 'createIndex', 'upsert', 'query'] as const) {
    if (typeof vector?.[method] === 'function') continue;
    throw invalidOption('vector', vector, 'a vector store of Mastra, e.g. new LibSQLVector(…)');
  }
  if (typeof indexName !== 'string' || indexName === '') {
    throw invalidOption('indexName', indexName, 'the name of an index');
  }
  if (!Number.isInteger(topK) || topK < 1) throw invalidOption('topK', topK, 'a whole number of at least 1');
  if (embedder.model === undefined) {
    throw invalidOption('model', undefined, 'the name of the embedding model, since vectors are kept');
  }
  const minSimilarity = checkedMinSimilarity(options.minSimilarity);
  const stored = new StoredVectors(vector, indexName, embedder, embedder.model);
  const queries = new QueryVectors(embedder);
  return {
    name: 'vector',
    givesConfidence: false,
    async index(documents) {
      const index = new VectorIndex(documents, stored, queries, topK, minSimilarity);
      await index.fill();
      return index;
    },
  };
}

class VectorIndex implements ToolIndex {
  readonly #documents: readonly ToolDocument[];
  readonly #stored: StoredVectors;
  readonly #queries: QueryVectors;
  readonly #topK: number;
  readonly #minSimilarity: number;
  readonly #lexicon: Lexicon;
  /** Row ids by document number, and their texts. Documents with the same text share a row. */
  readonly #rows: readonly string[];
  readonly #texts: ReadonlyMap<string, string>;
  #isFilled = false;

  constructor(
    documents: readonly ToolDocument[],
    stored: StoredVectors,
    queries: QueryVectors,
    topK: number,
    minSimilarity: number,
  ) {
    this.#documents = documents;
    this.#stored = stored;
    this.#queries = queries;
    this.#topK = topK;
    this.#minSimilarity = minSimilarity;
    this.#lexicon = new Lexicon(documents);
    const texts = documents.map(documentText);
    this.#rows = texts.map((text) => stored.idOf(text));
    this.#texts = new Map(this.#rows.map((id, position) => [id, texts[position] ?? '']));
  }

  async fill(): Promise<void> {
    await this.#stored.fill(this.#texts);
    this.#isFilled = true;
  }

  search(query: ToolQuery): Promise<readonly ToolMatch[]> {
    return this.#search(query);
  }

  /** The best rows are the best of what may be seen. */
  restrictedTo(names: ReadonlySet<string>): ToolIndex {
    return { search: (query) => this.#search(query, names) };
  }

  async #search(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly ToolMatch[]> {
    const { keywords, required } = query;
    const matching = this.#lexicon.matching(required);
    const isWanted = (id: number): boolean =>
      (matching?.has(id) ?? true) && (names?.has(this.#documents[id]?.name ?? '') ?? true);
    const ids = new Set(this.#rows.filter((_, id) => isWanted(id)));
    if (keywords.length === 0 || ids.size === 0) return [];
    if (!this.#isFilled) await this.fill();
    const scores = await this.#scores(await this.#queries.of(query), ids);

    const named = new Set(this.#lexicon.named(keywords));
    // More than 1 is only for stores whose scores are no cosines.
    const first = Math.max(1, ...scores.values());
    const matches: ToolMatch[] = [];
    for (const [id, { name }] of this.#documents.entries()) {
      if (!isWanted(id)) continue;
      const score = named.has(id) ? first : (scores.get(this.#rows[id] ?? '') ?? 0);
      if (score > this.#minSimilarity) matches.push({ name, score });
    }
    return bestFirst(matches);
  }

  /** Scores by row id, of the best rows alone. */
  async #scores(vector: Float32Array, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    try {
      const rows = await this.#stored.nearest(vector, ids, this.#topK);
      const best = [...rows].sort((first, second) => second.score - first.score || (first.id < second.id ? -1 : 1));
      return new Map(best.slice(0, this.#topK).map(({ id, score }) => [id, score]));
    } catch (error) {
      // Somebody may have deleted the index: the next search looks, and fills it again.
      this.#isFilled = false;
      this.#stored.forget(ids);
      throw error;
    }
  }
}
