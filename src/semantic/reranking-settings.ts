import { invalidOption, type NamesOf, refuseUnknownOptions, type ToolScorer } from '../kit.ts';

/**
 * A tool that is ranked anew.
 *
 * @example
 * ```ts
 * const text = ({ name, text }: RerankCandidate) => `${name}: ${text}`;
 * ```
 */
export interface RerankCandidate {
  readonly name: string;
  /** The words of its name, its title, keywords, description and parameter names, bounded: what is embedded, too. */
  readonly text: string;
}

/**
 * Scores each candidate by its relevance to the query, higher is better, on any scale, in the order of the candidates.
 * `signal` is aborted when the time is up.
 *
 * @example
 * ```ts
 * import { type RerankingModel, rerank } from 'ai';
 *
 * const rerankedBy =
 *   (model: RerankingModel): RerankFunction =>
 *   async (query, candidates, { signal }) => {
 *     const documents = candidates.map(({ text }) => text);
 *     const { ranking } = await rerank({ model, query, documents, abortSignal: signal });
 *     const scores = new Map(ranking.map(({ originalIndex, score }) => [originalIndex, score]));
 *     return candidates.map((_, position) => scores.get(position) ?? 0);
 *   };
 * ```
 */
export type RerankFunction = (
  query: string,
  candidates: readonly RerankCandidate[],
  options: { readonly signal: AbortSignal },
) => readonly number[] | Promise<readonly number[]>;

/**
 * The options of `rerankingScorer`.
 *
 * @example
 * ```ts
 * const options: RerankingScorerOptions = { rerank: (query, candidates) => candidates.map(() => 0), candidates: 20 };
 * rerankingScorer(bm25Scorer(), options);
 * ```
 */
export interface RerankingScorerOptions {
  /** The judge of the candidates. Retries are its business. */
  readonly rerank: RerankFunction;
  /**
   * The first matches that are ranked anew, 2 or more.
   *
   * @default 30
   */
  readonly candidates?: number;
  /**
   * Milliseconds after which the first ranking stands. `Infinity` waits.
   *
   * @default 2_000
   */
  readonly timeout?: number;
  /**
   * What `rerank` counts against the first ranking, above 0, up to 1: with 1 it alone decides.
   *
   * @default 0.5
   */
  readonly weight?: number;
}

const optionNames: NamesOf<RerankingScorerOptions> = { rerank: true, candidates: true, timeout: true, weight: true };

/**
 * Scorers that show tools to a reranker. Inside another scorer one would be shown tools that a request may not see: the
 * first ranking, before the filter is asked, is of all of them.
 */
export const rerankingScorers: WeakSet<ToolScorer> = new WeakSet();

/** The options, all of them there. */
export type RerankingSettings = Required<RerankingScorerOptions>;

/** @throws ToolSearchError `invalid-option` for what is no scorer, or an option out of its range. */
export function resolveReranking(scorer: ToolScorer, options: RerankingScorerOptions): RerankingSettings {
  const isScorer = typeof scorer?.index === 'function' && typeof scorer.name === 'string';
  if (!isScorer) throw invalidOption('scorer', scorer, 'a ToolScorer, e.g. bm25Scorer()');
  if (rerankingScorers.has(scorer))
    throw invalidOption('scorer', 'rerankingScorer()', 'one that does not rerank itself');
  refuseUnknownOptions('rerankingScorer', options, optionNames);
  const { rerank, candidates = 30, timeout = 2_000, weight = 0.5 } = options;
  if (typeof rerank !== 'function')
    throw invalidOption('rerank', rerank, 'a function from a query and tools to scores');
  if (!(Number.isInteger(candidates) && candidates >= 2)) {
    throw invalidOption('candidates', candidates, 'a whole number of at least 2');
  }
  if (!(typeof timeout === 'number' && timeout > 0)) {
    throw invalidOption('timeout', timeout, 'milliseconds, above 0; Infinity waits');
  }
  if (!(typeof weight === 'number' && weight > 0 && weight <= 1)) {
    throw invalidOption('weight', weight, 'a number above 0, up to 1');
  }
  return { rerank, candidates, timeout, weight };
}
