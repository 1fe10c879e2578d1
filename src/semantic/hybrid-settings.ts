import { invalidOption, type NamesOf, refuseUnknownOptions, type ToolScorer } from '../kit.ts';
import { type Fusion, fusedRanks, fusedScores } from './fusion.ts';
import { rerankingScorers } from './reranking-settings.ts';

/**
 * The options of `hybridScorer`.
 *
 * @example
 * ```ts
 * const options: HybridScorerOptions = { weights: [0.7, 0.3], timeout: 2_000 };
 * hybridScorer([bm25Scorer(), tieredScorer()], options);
 * ```
 */
export interface HybridScorerOptions {
  /**
   * What is fused: the parts' scores, or their ranks alone, for parts whose scores say nothing.
   *
   * @default 'scores'; with a `k` 'ranks'
   */
  readonly fusion?: 'scores' | 'ranks';
  /**
   * The weight of each part, above 0, in the order of the parts. Only their proportion counts. A better embedding model
   * deserves more than the default.
   *
   * @default 0.85 for the first part, with ranks 0.75; the others share the rest
   */
  readonly weights?: readonly number[];
  /**
   * Smoothing of the ranks: with a larger `k`, the first ones count less against the later ones. 0 or more. With ranks
   * only.
   *
   * @default 5
   */
  readonly k?: number;
  /**
   * Milliseconds after which a search goes on without a part. `Infinity` waits. A part that is still building its index
   * takes part as soon as it has one: an index of many embeddings may take longer than a model should wait.
   *
   * @default 30_000
   */
  readonly timeout?: number;
}

const optionNames: NamesOf<HybridScorerOptions> = { fusion: true, weights: true, k: true, timeout: true };

/** The weight of the first part, against all others together. Its scale: `fusion`. */
const FIRST_WEIGHT = { scores: 0.85, ranks: 0.75 };

/** How a hybrid's rankings become one. */
export interface FusionSettings {
  readonly fuse: Fusion;
  readonly weights: readonly number[];
  readonly timeout: number;
}

/** @throws ToolSearchError `invalid-option` for less than two parts, what is no scorer, or an option out of its range. */
export function resolveHybrid(
  parts: readonly ToolScorer[],
  options: HybridScorerOptions,
): { readonly scorers: readonly ToolScorer[]; readonly settings: FusionSettings } {
  const scorers = checkedParts(parts);
  if (typeof options !== 'object' || options === null) throw invalidOption('options', options, 'an object');
  refuseUnknownOptions('hybridScorer', options, optionNames);
  const fusion = checkedFusion(options);
  const { k = 5, timeout = 30_000 } = options;
  if (!(typeof k === 'number' && Number.isFinite(k) && k >= 0)) throw invalidOption('k', k, 'a number of at least 0');
  const isTime = typeof timeout === 'number' && timeout > 0;
  if (!isTime) throw invalidOption('timeout', timeout, 'milliseconds, above 0; Infinity waits');
  const weights = checkedWeights(options.weights, scorers.length) ?? defaultWeights(fusion, scorers.length);
  const fuse: Fusion = fusion === 'ranks' ? (rankings) => fusedRanks(rankings, k) : fusedScores;
  return { scorers, settings: { fuse, weights, timeout } };
}

function checkedParts(parts: readonly ToolScorer[]): readonly ToolScorer[] {
  if (!Array.isArray(parts) || parts.length < 2) throw invalidOption('parts', parts, 'an array of two scorers or more');
  for (const [position, part] of parts.entries()) {
    const isScorer = typeof part?.index === 'function' && typeof part.name === 'string';
    if (!isScorer) throw invalidOption(`parts[${position}]`, part, 'a ToolScorer, e.g. bm25Scorer()');
    if (rerankingScorers.has(part)) {
      throw invalidOption(`parts[${position}]`, 'rerankingScorer()', 'a scorer; have it rerank the hybrid');
    }
  }
  return [...parts];
}

function checkedFusion({ fusion, k }: HybridScorerOptions): 'scores' | 'ranks' {
  if (fusion !== undefined && fusion !== 'scores' && fusion !== 'ranks') {
    throw invalidOption('fusion', fusion, "'scores' or 'ranks'");
  }
  if (fusion === 'scores' && k !== undefined) throw invalidOption('k', k, "left out with fusion 'scores'");
  return fusion ?? (k === undefined ? 'scores' : 'ranks');
}

function checkedWeights(weights: unknown, count: number): readonly number[] | undefined {
  if (weights === undefined) return undefined;
  if (!Array.isArray(weights) || weights.length !== count) {
    throw invalidOption('weights', weights, `an array with one number for each of the ${count} parts`);
  }
  for (const [position, weight] of weights.entries()) {
    if (typeof weight === 'number' && Number.isFinite(weight) && weight > 0) continue;
    throw invalidOption(`weights[${position}]`, weight, 'a number above 0');
  }
  return [...weights];
}

function defaultWeights(fusion: 'scores' | 'ranks', count: number): readonly number[] {
  const first = FIRST_WEIGHT[fusion];
  return Array.from({ length: count }, (_, position) => (position === 0 ? first : (1 - first) / (count - 1)));
}
