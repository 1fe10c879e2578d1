import { judgedTogether, type ToolMatch } from '../kit.ts';

/** The rank at which a tool is taken for unrelated to a query. */
const UNRELATED_RANK = 50;

/** The score that unrelated tools have in a ranking, best first: cosines do not count from zero. */
export function unrelatedScore(scores: readonly number[]): number {
  return scores[UNRELATED_RANK - 1] ?? scores.at(-1) ?? 0;
}

/** The entries of a scorer's answer that are matches, of the names that may be found; of all names without them. */
export function matchesIn(answer: readonly unknown[], names?: ReadonlySet<string>): readonly ToolMatch[] {
  const isMatch = (entry: unknown): entry is ToolMatch => {
    const name = (entry as Partial<ToolMatch> | null | undefined)?.name;
    return typeof name === 'string' && (names?.has(name) ?? true);
  };
  return answer.filter(isMatch);
}

/** The matches of one part of a hybrid. */
export interface WeightedRanking {
  readonly weight: number;
  /** The score of what is unrelated: 0 for words, more for cosines. */
  readonly zero: number;
  /** Best first. */
  readonly matches: readonly ToolMatch[];
}

/** The share that the last match of a ranking has all the same: it matches. */
const LEAST = 0.01;

/**
 * The sum of the rankings' scores by name, each as a share of the way from what is unrelated to the best. A tool that
 * every ranking has first scores 1.
 */
export function fusedScores(rankings: readonly WeightedRanking[]): Map<string, number> {
  const most = rankings.reduce((sum, { weight }) => sum + weight, 0);
  return sumByName(rankings, (ranking) => sharesOf(ranking).map((share) => (ranking.weight * share) / most));
}

/** The share of each match of a ranking, from 0 to 1. */
export function sharesOf({ matches, zero }: Omit<WeightedRanking, 'weight'>): readonly number[] {
  const best = matches.find(({ score }) => Number.isFinite(score))?.score ?? 0;
  return matches.map(({ score }) => {
    if (score >= best) return 1;
    const share = (score - zero) / (best - zero);
    return share > 0 ? LEAST + (1 - LEAST) * share : LEAST;
  });
}

/**
 * The sum of `weight / (k + rank)` by name, equal scores sharing the better rank. A tool that every ranking has first
 * scores 1.
 */
export function fusedRanks(rankings: readonly WeightedRanking[], k: number): Map<string, number> {
  const most = rankings.reduce((sum, { weight }) => sum + weight / (k + 1), 0);
  return sumByName(rankings, ({ weight, matches }) => {
    let rank = 0;
    return matches.map(({ score }, position) => {
      if (score !== matches[position - 1]?.score) rank = position + 1;
      return weight / (k + rank) / most;
    });
  });
}

/** @param worth - what each match of a ranking adds, in their order. */
function sumByName(
  rankings: readonly WeightedRanking[],
  worth: (ranking: WeightedRanking) => readonly number[],
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const ranking of rankings) {
    const worths = worth(ranking);
    for (const [position, { name }] of ranking.matches.entries()) {
      sums.set(name, (sums.get(name) ?? 0) + (worths[position] ?? 0));
    }
  }
  return sums;
}

/** The fewest tools whose cosines show what is unrelated. */
const FEWEST = 10;
/** The least range of cosines that tells tools apart: all texts may be the same to a model. */
const NARROWEST = 0.001;
/** The confidence of words is taken to be this far from 0 and 1 at least, where its log odds have no end. */
const SURE = 0.0001;
/** From here on words are certain of a name, and meaning changes nothing. */
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
  const unrelated = unrelatedScore(closest);
  const byName = new Map(matches.map(({ name, score }) => [name, score]));
  return (name) => {
    const cosine = byName.get(name) ?? unrelated;
    return Math.max(0, (cosine - unrelated) / Math.max(NARROWEST, best - unrelated));
  };
}

/** What the parts of a hybrid say of one tool. */
export interface HybridJudgement {
  /** The confidence of the words. */
  readonly words: number;
  /** Its cosine as a share of the way from an unrelated tool's to the closest one's, where known. */
  readonly similarity: number | undefined;
}

/** A judgement with the confidence of the words in log odds. */
export interface HybridEvidence {
  readonly words: number;
  readonly similarity: number;
}

/** The evidence for a tool; undefined without a similarity, or where the words are certain of its name. */
export function hybridEvidenceOf({ words, similarity }: HybridJudgement): HybridEvidence | undefined {
  if (similarity === undefined || words >= NAMED) return undefined;
  const bounded = Math.min(1 - SURE, Math.max(SURE, words));
  return { words: Math.log(bounded / (1 - bounded)), similarity };
}

/**
 * A logistic regression over the first five results of a hybrid with 0.4 for all-MiniLM-L6-v2, on the labelled sets and,
 * with a tenth of the weight, on queries that nothing fits: `npm run bench:retrieval -- --fit`.
 */
const WEIGHTS: HybridEvidence = { words: 0.68, similarity: 1.66 };
const INTERCEPT = -1.64;

/** How likely a tool is what was asked for, by the confidence of the words and, where known, by its similarity. */
function confidenceWith(judgement: HybridJudgement): number {
  const evidence = hybridEvidenceOf(judgement);
  if (!evidence) return judgement.words;
  const logOdds = INTERCEPT + WEIGHTS.words * evidence.words + WEIGHTS.similarity * evidence.similarity;
  return 1 / (1 + Math.exp(-logOdds));
}

/** The confidences of tools, the highest first: the order of the fused ranking is the better judgement. */
export function confidencesWith(
  judgements: readonly HybridJudgement[],
  closest: readonly number[] | undefined,
): readonly number[] {
  const apart = judgements.map(confidenceWith).sort((one, other) => other - one);
  const closeness = closenessIn(closest);
  const isSure = (apart[0] ?? 0) >= NAMED;
  return closeness === undefined || isSure ? apart : judgedTogether(apart, { closeness }, TOGETHER);
}

/**
 * How close the closest tool comes, as a share of the way from an unrelated one to the query itself: models have cosines on
 * scales of their own. Undefined where there are too few tools.
 */
export function closenessIn(closest: readonly number[] | undefined): number | undefined {
  if (!closest || closest.length < FEWEST) return undefined;
  const unrelated = unrelatedScore(closest);
  return unrelated >= 1 ? 0 : ((closest[0] ?? 0) - unrelated) / (1 - unrelated);
}

/** As above, of the first five together, where queries that nothing fits count as much as the labelled ones. */
const TOGETHER = { weights: { apart: 0.91, closeness: 5.81 }, intercept: -0.98 };
