import {
  bestFirst,
  consoleContext,
  type IncrementalIndex,
  invalidOption,
  type NamesOf,
  refuseUnknownOptions,
  type ToolDocument,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import { documentText } from './embeddings/document-text.ts';
import { DocumentVectors, type VectorCache } from './embeddings/document-vectors.ts';
import { createEmbedder, type EmbedOptions, embedOptionNames } from './embeddings/embedder.ts';
import { QueryVectors } from './embeddings/query-vectors.ts';
import { checkSize, cosine } from './embeddings/unit-vector.ts';
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
  const embedder = createEmbedder(options);
  refuseUnknownOptions('semanticScorer', options, optionNames);
  const minSimilarity = checkedMinSimilarity(options.minSimilarity);
  const documentVectors = new DocumentVectors(embedder, options.cache);
  const queryVectors = new QueryVectors(embedder);
  const name = 'semantic';
  return {
    name,
    givesConfidence: false,
    async index(documents, { report } = consoleContext) {
      const texts = documents.map(documentText);
      const vectors = await documentVectors.of(texts, (error) => report({ scorer: name, error }));
      return new SemanticIndex(documents, vectors, queryVectors, minSimilarity);
    },
  };
}

/** @throws ToolSearchError `invalid-option` for what is no cosine to cut at. */
export function checkedMinSimilarity(value: unknown = 0.2): number {
  if (typeof value === 'number' && value >= 0 && value < 1) return value;
  throw invalidOption('minSimilarity', value, 'a number from 0 up to below 1');
}

/** The tools whose cosines tell what is unrelated to a query. */
const CLOSEST = 50;

class SemanticIndex implements IncrementalIndex {
  readonly #documents: readonly ToolDocument[];
  /** Shared with the other catalogs that have the same texts. */
  readonly #vectors: readonly Float32Array[];
  readonly #queries: QueryVectors;
  readonly #minSimilarity: number;
  readonly #lexicon: Lexicon;
  /** The cosine of each document with a query. */
  readonly #cosines = new WeakMap<ToolQuery, Float32Array>();

  constructor(
    documents: readonly ToolDocument[],
    vectors: readonly Float32Array[],
    queries: QueryVectors,
    minSimilarity: number,
  ) {
    this.#documents = documents;
    this.#vectors = vectors;
    this.#queries = queries;
    this.#minSimilarity = minSimilarity;
    this.#lexicon = new Lexicon(documents);
  }

  async search(query: ToolQuery): Promise<readonly ToolMatch[]> {
    const { keywords, required } = query;
    const cosines = await this.#cosinesWith(query);
    const allowed = this.#lexicon.matching(required);
    const named = new Set(this.#lexicon.named(keywords));
    const matches: ToolMatch[] = [];
    for (const [id, { name }] of this.#documents.entries()) {
      if (allowed && !allowed.has(id)) continue;
      const score = named.has(id) ? 1 : (cosines[id] ?? 0);
      if (score > this.#minSimilarity) matches.push({ name, score });
    }
    return bestFirst(matches);
  }

  async closest(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly number[]> {
    const cosines = await this.#cosinesWith(query);
    const counted = names ? cosines.filter((_, id) => names.has(this.#documents[id]?.name ?? '')) : cosines.slice();
    return [...counted.sort().reverse().subarray(0, CLOSEST)];
  }

  async #cosinesWith(query: ToolQuery): Promise<Float32Array> {
    const known = this.#cosines.get(query);
    if (known) return known;
    const [first] = this.#vectors;
    if (query.keywords.length === 0 || !first) return new Float32Array();
    const wanted = await this.#queries.of(query);
    checkSize(wanted, first.length);
    const cosines = Float32Array.from(this.#vectors, (vector) => cosine(wanted, vector));
    this.#cosines.set(query, cosines);
    return cosines;
  }
}
