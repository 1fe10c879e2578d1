import { namesOf, refuseUnknownOptions } from '../util/check.ts';
import { lazyRegex } from '../util/text.ts';
import type { ToolScorer } from './scorer.ts';
import { bestFirst } from './scorer.ts';
import { checkWeights } from './weights.ts';

/**
 * The options of `tieredScorer`.
 *
 * @example
 * ```ts
 * const options: TieredScorerOptions = { weights: { descriptionContains: 0 } };
 * tieredScorer(options);
 * ```
 */
export interface TieredScorerOptions {
  /** Points that a keyword earns; the highest that applies counts. */
  readonly weights?: Partial<TieredWeights>;
}

/**
 * Points that a keyword earns in each tier of `tieredScorer`.
 *
 * @example
 * ```ts
 * const names: TieredWeights = { partEquals: 10, partContains: 5, nameContains: 3, descriptionContains: 0 };
 * tieredScorer({ weights: names });
 * ```
 */
export interface TieredWeights {
  /** A part of the name is the keyword. @default 10 */
  readonly partEquals: number;
  /** A part of the name contains it. @default 5 */
  readonly partContains: number;
  /** The full name contains it, across its parts. @default 3 */
  readonly nameContains: number;
  /** The description contains it, or one of the tool's keywords or search hints does. @default 2 */
  readonly descriptionContains: number;
}

const EINO_WEIGHTS: TieredWeights = { partEquals: 10, partContains: 5, nameContains: 3, descriptionContains: 2 };
/** Splits at underscores, before a capital after a small letter, and before a capital with a small letter after it. */
const NAME_BREAKS = lazyRegex(String.raw`_+|(?<=\p{Ll})(?=\p{Lu})|(?<=[^_])(?=\p{Lu}\p{Ll})`, 'u');

/**
 * Ranks as Eino's tool search does: per keyword the best of four tiers, summed over the keywords, case ignored. Nothing
 * is stemmed or corrected, so the results can be predicted from the names.
 *
 * @throws ToolSearchError `invalid-option` for an unknown option, or a weight that is no finite number of at least 0.
 *
 * @example
 * ```ts
 * new ToolSearchProcessor({ tools, search: { scorer: tieredScorer() } });
 * ```
 */
export function tieredScorer(options: TieredScorerOptions = {}): ToolScorer {
  refuseUnknownOptions('tieredScorer', options, { weights: namesOf(EINO_WEIGHTS) });
  checkWeights('weights', options.weights);
  const { partEquals, partContains, nameContains, descriptionContains } = { ...EINO_WEIGHTS, ...options.weights };
  return {
    name: 'tiered',
    givesConfidence: false,
    keepsTail: true,
    index(documents) {
      const tools = documents.map(({ name, description, keywords, hints = [] }) => {
        const whole = name.toLowerCase();
        const parts = name.split(NAME_BREAKS()).map((part) => part.toLowerCase());
        const text = [description, ...keywords, ...hints].join('\n').toLowerCase();
        const scoreOf = (keyword: string): number =>
          Math.max(
            parts.includes(keyword) ? partEquals : 0,
            parts.some((part) => part !== keyword && part.includes(keyword)) ? partContains : 0,
            whole.includes(keyword) ? nameContains : 0,
            text.includes(keyword) ? descriptionContains : 0,
          );
        return { name, scoresOf: (words: readonly string[]) => words.map((word) => scoreOf(word.toLowerCase())) };
      });
      return {
        search({ keywords, required }) {
          const matches = tools
            .filter(({ scoresOf }) => scoresOf(required).every((score) => score > 0))
            .map(({ name, scoresOf }) => ({ name, score: scoresOf(keywords).reduce((sum, score) => sum + score, 0) }));
          return bestFirst(matches.filter(({ score }) => score > 0));
        },
      };
    },
  };
}
