import type { ToolMatch } from './scorer.ts';

/** What a ranking by cosines says of one tool, whatever the model's scale. */
export interface Likeness {
  /** How far its cosine stands out from those of unrelated tools, in standard deviations. */
  readonly deviation: number;
  /** Its cosine as a share of the way from an unrelated tool's to the best one's. */
  readonly share: number;
}

/** Ranks of which the tools are taken for unrelated. */
const UNRELATED = { from: 10, to: 50 };
/** Tools below which there are too few to tell. */
const FEWEST = 10;
/** The least deviation of cosines: of texts that are all the same to a model. */
const NARROWEST = 0.001;
const DEVIATIONS = { least: -2, most: 8 };

/**
 * The likeness of the tools of a ranking; undefined where there are too few.
 *
 * @param closest - the highest cosines, matching or not, the highest first.
 */
export function likenessIn(
  matches: readonly ToolMatch[],
  closest: readonly number[],
): ((name: string) => Likeness) | undefined {
  if (closest.length < FEWEST) return undefined;
  const unrelated = closest.slice(Math.min(UNRELATED.from - 1, closest.length >> 1), UNRELATED.to);
  const mean = meanOf(unrelated);
  const spread = Math.max(NARROWEST, Math.sqrt(meanOf(unrelated.map((cosine) => (cosine - mean) ** 2))));
  const best = closest[0] ?? 0;
  const last = unrelated.at(-1) ?? 0;
  const byName = new Map(matches.map(({ name, score }) => [name, score]));
  return (name) => {
    const cosine = byName.get(name) ?? last;
    return {
      deviation: Math.min(DEVIATIONS.most, Math.max(DEVIATIONS.least, (cosine - mean) / spread)),
      share: Math.max(0, (cosine - last) / Math.max(NARROWEST, best - last)),
    };
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * A logistic regression over the first five results of a hybrid with all-MiniLM-L6-v2, on labelled sets and, with less
 * weight, on catalogs that what fits was removed from and on queries of other catalogs.
 */
const WEIGHTS = { words: 0.71, deviation: 0.1, share: 2.77 };
const INTERCEPT = -2.99;
/** Confidences of words count within this distance from 0 and 1. */
const SURE = 0.0001;
/** Words are certain of a name from here on, and nothing more can be said. */
const NAMED = 0.99;

/** How likely a tool is what was asked for, by the confidence of the words and the likeness of the meaning. */
export function confidenceWith(words: number, { deviation, share }: Likeness): number {
  if (words >= NAMED) return words;
  const bounded = Math.min(1 - SURE, Math.max(SURE, words));
  const logOdds =
    INTERCEPT +
    WEIGHTS.words * Math.log(bounded / (1 - bounded)) +
    WEIGHTS.deviation * deviation +
    WEIGHTS.share * share;
  return 1 / (1 + Math.exp(-logOdds));
}
