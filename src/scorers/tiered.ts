import { type NamesOf, refuseUnknownOptions } from '../options/known-options.ts';
import { lazyRegex } from '../util/lazy-regex.ts';
import { bestFirst } from './ranking.ts';
import type { ToolMatch, ToolScorer } from './scorer.ts';
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
  /** The description contains it, or a keyword that its author or user gave. @default 2 */
  readonly descriptionContains: number;
}

const EINO_WEIGHTS: TieredWeights = { partEquals: 10, partContains: 5, nameContains: 3, descriptionContains: 2 };

const optionNames: NamesOf<TieredScorerOptions> = {
  weights: {
    partEquals: true,
    partContains: true,
    nameContains: true,
    descriptionContains: true,
  } satisfies NamesOf<TieredWeights>,
};

/**
 * Ranks as Eino's tool search does: per keyword the best of four tiers, summed over the keywords, case ignored.
 * Nothing is stemmed or corrected, so what it finds can be foretold by reading the names.
 *
 * @throws ToolSearchError `invalid-option` for an unknown option, or a weight that is no finite number of at least 0.
 *
 * @example
 * ```ts
 * new ToolSearchProcessor({ tools, search: { scorer: tieredScorer() } });
 * ```
 */
export function tieredScorer(options: TieredScorerOptions = {}): ToolScorer {
  refuseUnknownOptions('tieredScorer', options, optionNames);
  checkWeights('weights', options.weights);
  const weights: TieredWeights = { ...EINO_WEIGHTS, ...options.weights };

  return {
    name: 'tiered',
    givesConfidence: false,
    keepsTail: true,
    index(documents) {
      const entries = documents.map(({ name, description, keywords, hints = [] }) => ({
        name,
        nameText: name.toLowerCase(),
        parts: splitName(name),
        description: [description, ...keywords, ...hints].join('\n').toLowerCase(),
      }));

      const scoreOf = (entry: (typeof entries)[number], keyword: string): number => {
        let score = 0;
        if (entry.description.includes(keyword)) score = weights.descriptionContains;
        if (entry.nameText.includes(keyword)) score = Math.max(score, weights.nameContains);
        for (const part of entry.parts) {
          if (part === keyword) score = Math.max(score, weights.partEquals);
          else if (part.includes(keyword)) score = Math.max(score, weights.partContains);
        }
        return score;
      };

      return {
        search({ keywords, required }) {
          const wanted = keywords.map((keyword) => keyword.toLowerCase());
          const needed = required.map((keyword) => keyword.toLowerCase());
          const matches: ToolMatch[] = [];
          for (const entry of entries) {
            if (needed.some((keyword) => scoreOf(entry, keyword) === 0)) continue;
            const score = wanted.reduce((sum, keyword) => sum + scoreOf(entry, keyword), 0);
            if (score > 0) matches.push({ name: entry.name, score });
          }
          return bestFirst(matches);
        },
      };
    },
  };
}

/** Underscores, and before a capital that follows a small letter or starts a word after an acronym. */
const NAME_BREAKS = lazyRegex(String.raw`_+|(?<=\p{Ll})(?=\p{Lu})|(?<=[^_])(?=\p{Lu}\p{Ll})`, 'u');

function splitName(name: string): string[] {
  return name
    .split(NAME_BREAKS())
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}
