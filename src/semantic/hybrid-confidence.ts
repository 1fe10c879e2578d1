import type { ToolMatch } from '../kit.ts';

/** What words and meaning say of a tool, whatever the model's scale. */
export interface HybridEvidence {
  /** The confidence of the words, in log odds. */
  readonly words: number;
  /** Its cosine as a share of the way from an unrelated tool's to the closest one's. */
  readonly likeness: number;
}

/** The rank at which a tool is taken for unrelated. */
const UNRELATED = 50;
/** Tools below which there are too few to tell. */
const FEWEST = 10;
/** The least distance of two cosines that says anything: all texts may be the same to a model. */
const NARROWEST = 0.001;
/** Confidences of words count within this distance from 0 and 1. */
const SURE = 0.0001;
/** Words are certain of a name from here on, and nothing more can be said. */
const NAMED = 0.99;

/**
 * The likeness of the tools of a ranking; undefined where there are too few.
 *
 * @param closest - the highest cosines, matching or not, the highest first.
 */
export function likenessIn(
  matches: readonly ToolMatch[],
  closest: readonly number[],
): ((name: string) => number) | undefined {
  if (closest.length < FEWEST) return undefined;
  const [best = 0] = closest;
  const unrelated = closest[UNRELATED - 1] ?? closest.at(-1) ?? 0;
  const byName = new Map(matches.map(({ name, score }) => [name, score]));
  return (name) => {
    const cosine = byName.get(name) ?? unrelated;
    return Math.max(0, (cosine - unrelated) / Math.max(NARROWEST, best - unrelated));
  };
}

/** The evidence for a tool; undefined where the words are certain of its name. */
export function hybridEvidenceOf(words: number, likeness: number): HybridEvidence | undefined {
  if (words >= NAMED) return undefined;
  const bounded = Math.min(1 - SURE, Math.max(SURE, words));
  return { words: Math.log(bounded / (1 - bounded)), likeness };
}

/**
 * A logistic regression over the first five results of a hybrid with 0.3 for all-MiniLM-L6-v2, on the labelled sets and,
 * with a tenth of the weight, on queries that nothing fits: `npm run bench:retrieval -- --fit`.
 */
const WEIGHTS: HybridEvidence = { words: 0.81, likeness: 1.56 };
const INTERCEPT = -1.14;

/** How likely a tool is what was asked for, by the confidence of the words and the likeness of the meaning. */
export function confidenceWith(words: number, likeness: number): number {
  const evidence = hybridEvidenceOf(words, likeness);
  if (!evidence) return words;
  const logOdds = INTERCEPT + WEIGHTS.words * evidence.words + WEIGHTS.likeness * evidence.likeness;
  return 1 / (1 + Math.exp(-logOdds));
}
