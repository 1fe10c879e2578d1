import { hash } from 'node:crypto';
import { checkOption, messageOf } from '../errors.ts';
import {
  bestFirst,
  consoleContext,
  type EmbeddingContext,
  type EmbedOptions,
  embedderOptions,
  type IncrementalIndex,
  type ToolDocument,
  type ToolQuery,
  type ToolScorer,
  type VectorCache,
} from '../kit.ts';
import { must, type OptionTable, readOptions } from '../util/check.ts';
import { nextTurn } from '../util/time-slices.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import {
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
  /** Keeps vectors beyond this process. A cache requires `model` if `embed` is a function. */
  readonly cache?: VectorCache;
  /**
   * A tool matches if its cosine with the query is above this; from 0 up to below 1. The cosine of unrelated texts
   * depends on the model: look at the scores of a few searches before raising it.
   *
   * @default 0.2
   */
  readonly minSimilarity?: number;
}

export const minSimilarityOption: OptionTable<Pick<SemanticScorerOptions, 'minSimilarity'>, 'minSimilarity'> = {
  minSimilarity: {
    default: 0.2,
    check: must('a number from 0 up to below 1', (value) => typeof value === 'number' && value >= 0 && value < 1),
  },
};

const optionTable: OptionTable<SemanticScorerOptions, 'batchSize' | 'concurrency' | 'minSimilarity'> = {
  ...embedOptions,
  cache: embedderOptions.cache,
  ...minSimilarityOption,
};

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

const NAME = 'semantic';
/** Size of the in-process vector cache, over all catalogs. */
const MAX_VECTORS = 20_000;

/**
 * @param grows - whether an index is usable at once, while vectors still come in. Otherwise it waits for all of them.
 * @throws ToolSearchError `invalid-option`
 */
export function scorerOf(options: SemanticScorerOptions, grows: boolean): ToolScorer {
  const settings = readOptions('semanticScorer', options, optionTable);
  const { cache, minSimilarity } = settings;
  const embedder = createEmbedder(settings);
  const { model } = embedder;
  const isNamed = model !== undefined || !cache;
  checkOption(isNamed, 'model', model, 'the name of the embedding model where there is a cache');
  const embedded = new EmbeddedTexts(embedder, MAX_VECTORS);
  const vectorsOf = unitVectors(cache);
  const queries = new QueryVectors(embedder);
  return {
    name: NAME,
    givesConfidence: false,
    async index(documents, context: EmbeddingContext = consoleContext): Promise<IncrementalIndex> {
      const texts = documents
        .map(documentText)
        .map((text) => [`${model ?? ''}:${hash('sha256', text)}`, text] as const);
      const vectors = texts.map((): Float32Array | undefined => undefined);
      /** Tools that have no vector because the model refuses their texts. */
      const refused = new Set<number>();
      const keeper = vectorsOf((error) => context.report({ scorer: NAME, error }));
      const fill = async (): Promise<void> => {
        const coming = embedded.of(texts, keeper);
        const failed = await Promise.allSettled(
          coming.map(async (vector, id) => {
            vectors[id] = await vector;
            if (!vectors[id]) refused.add(id);
          }),
        );
        const fault = failed.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
        if (fault) throw fault.reason;
      };
      const forgetMisfits = (size: number): boolean => {
        const misfits = vectors.flatMap((vector, id) => (vector && vector.length !== size ? [id] : []));
        for (const id of misfits) vectors[id] = undefined;
        embedded.forget(misfits.map((id) => texts[id]?.[0] ?? ''));
        return misfits.length > 0;
      };
      const names = documents.map(({ name }) => name);
      const isPending = grows ? await growing({ names, vectors, refused, fill }, context) : undefined;
      if (!grows) await fill();
      const queryVector = async (query: ToolQuery): Promise<Float32Array> => {
        const vector = await queries.of(query);
        // A cache may hold vectors of another length. The query's vector tells the model's length.
        if (forgetMisfits(vector.length) && !grows) await fill();
        return vector;
      };
      const index = semanticIndex(documents, vectors, queryVector, minSimilarity);
      return isPending ? { ...index, isPending } : index;
    },
  };
}

/** If a larger share of tools has no vector, a search does not use the vectors. */
const MAX_MISSING = 0.1;

/** An index whose vectors arrive while it is already in use. */
interface GrowingIndex {
  readonly names: readonly string[];
  readonly vectors: readonly (Float32Array | undefined)[];
  readonly refused: ReadonlySet<number>;
  fill(): Promise<void>;
}

/**
 * Begins to fill an index, and emits an event when vectors are pending and when they are ready.
 *
 * @returns whether too many vectors are missing among the tools that a request may see. If some failed, a call also
 * tries them again, after a pause.
 */
async function growing(
  { names, vectors, refused, fill }: GrowingIndex,
  context: EmbeddingContext,
): Promise<(visible?: ReadonlySet<string>) => boolean> {
  const breaker = new CircuitBreaker();
  const begun = performance.now();
  const missing = (): readonly number[] => vectors.flatMap((vector, id) => (vector || refused.has(id) ? [] : [id]));
  let first = 0;
  let isRunning = false;
  const tell = (state: 'pending' | 'ready'): void => {
    const ms = Math.round(performance.now() - begun);
    context.embedding?.({ state, tools: vectors.length, missing: first, ms });
  };
  const grow = async (): Promise<void> => {
    isRunning = true;
    try {
      await fill();
      if (first > 0) tell('ready');
    } catch (error) {
      breaker.failed();
      context.report({ scorer: NAME, error });
    }
    isRunning = false;
  };
  void grow();
  // Cached vectors arrive within this turn of the event loop.
  await nextTurn();
  first = missing().length;
  if (first > 0) tell('pending');
  return (visible) => {
    const left = missing();
    if (left.length > 0 && !isRunning && !breaker.isOpen('')) void grow();
    if (!visible || left.length === 0) return left.length > MAX_MISSING * vectors.length;
    // Hidden tools must not influence how the visible ones are ranked.
    const counted = left.filter((id) => visible.has(names[id] ?? ''));
    return counted.length > MAX_MISSING * visible.size;
  };
}

/** The count of closest tools whose cosines show which cosine is unrelated. */
const CLOSEST = 50;

/**
 * @param vectors - the vector of each document; undefined until it comes. Other catalogs with the same texts share the
 * vectors.
 */
function semanticIndex(
  documents: readonly ToolDocument[],
  vectors: readonly (Float32Array | undefined)[],
  queryVector: (query: ToolQuery) => Promise<Float32Array>,
  minSimilarity: number,
): IncrementalIndex {
  const lexicon = new Lexicon(documents);
  const known = new WeakMap<ToolQuery, Float32Array>();

  async function cosinesWith(query: ToolQuery): Promise<Float32Array> {
    const cosines = known.get(query);
    if (cosines) return cosines;
    if (query.keywords.length === 0 || !vectors.some((vector) => vector !== undefined)) return new Float32Array();
    const wanted = await queryVector(query);
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

/** The cosine of two unit vectors of the same length. */
function cosine(first: Float32Array, second: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < first.length; at++) sum += (first[at] as number) * (second[at] as number);
  return Math.min(1, Math.max(-1, sum));
}

/**
 * Reads and writes unit vectors in the cache, if there is one. A fault of the cache is reported, and the work goes on
 * without it.
 */
function unitVectors(cache: VectorCache | undefined): (report: (error: Error) => void) => Keeper {
  return (report) => {
    const fault = (operation: 'get' | 'set', count: number, cause: unknown): void =>
      report(new Error(`"cache" failed to ${operation} ${count} vectors: ${messageOf(cause)}`, { cause }));
    return {
      async find(keys) {
        const found = new Map<string, Float32Array>();
        const faults: unknown[] = [];
        try {
          const vectors = cache ? await cache.get(keys) : [];
          for (const [at, key] of keys.entries()) {
            try {
              if (vectors[at]) found.set(key, unitVector(vectors[at]));
            } catch (error) {
              faults.push(error);
            }
          }
        } catch (error) {
          fault('get', keys.length, error);
        }
        if (faults.length > 0) fault('get', faults.length, faults.at(-1));
        return found;
      },
      misfits(found, size) {
        const misfits = [...found].filter(([, { length }]) => length !== size);
        const [first] = misfits;
        if (first) {
          const cause = `they have ${first[1].length} numbers, and those of the model have ${size}. Give another model another name in "model".`;
          fault('get', misfits.length, cause);
        }
        return misfits.map(([key]) => key);
      },
      async keep(keys, vectors) {
        try {
          await cache?.set(keys.map((key, at) => ({ key, vector: Array.from(vectors[at] ?? []) })));
        } catch (error) {
          fault('set', keys.length, error);
        }
        return vectors.map(unitVector);
      },
      refused: (errors) => report(refusedError(errors)),
    };
  };
}
