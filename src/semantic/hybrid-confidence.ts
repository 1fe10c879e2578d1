import type { ToolMatch } from '../kit.ts';

/** What words and meaning say of a tool, whatever the model's scale. */
export interface HybridEvidence {
  /** The confidence of the words, in log odds. */
  readonly words: number;
  /** Its cosine as a share of the way from an unrelated tool's to the closest one's. */
  readonly similarity: number;
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
 * The similarity of the tools of a ranking; undefined where there are too few.
 *
 * @param closest - the highest cosines, matching or not, the highest first.
 */
export function similarityIn(
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
export function hybridEvidenceOf(words: number, similarity: number): HybridEvidence | undefined {
  if (words >= NAMED) return undefined;
  const bounded = Math.min(1 - SURE, Math.max(SURE, words));
  return { words: Math.log(bounded / (1 - bounded)), similarity };
}

/**
 * A logistic regression over the first five results of a hybrid with 0.3 for all-MiniLM-L6-v2, on the labelled sets and,
 * with a tenth of the weight, on queries that nothing fits: `npm run bench:retrieval -- --fit`.
 */
const WEIGHTS: HybridEvidence = { words: 0.81, similarity: 1.56 };
const INTERCEPT = -1.14;

/** How likely a tool is what was asked for, by the confidence of the words and the similarity of the meaning. */
export function confidenceWith(words: number, similarity: number): number {
  const evidence = hybridEvidenceOf(words, similarity);
  if (!evidence) return words;
  const logOdds = INTERCEPT + WEIGHTS.words * evidence.words + WEIGHTS.similarity * evidence.similarity;
  return 1 / (1 + Math.exp(-logOdds));
}
