import type { ToolMatch } from '../kit.ts';

/** The matches of one part of a hybrid. */
export interface Ranking {
  readonly weight: number;
  /** The score of what is unrelated: 0 for words, more for cosines. */
  readonly zero: number;
  /** Best first. */
  readonly matches: readonly ToolMatch[];
}

/** Scores of the fused ranking, by the name. 1 is what a tool has that every part ranks first. */
export type Fusion = (rankings: readonly Ranking[]) => Map<string, number>;

/** The share that the last of a ranking has all the same: it matches. */
const LEAST = 0.01;

/** Adds up the parts' scores, each as a share of the way from what is unrelated to its best one. */
export function fusedScores(rankings: readonly Ranking[]): Map<string, number> {
  const scores = new Map<string, number>();
  const most = rankings.reduce((sum, { weight }) => sum + weight, 0);
  for (const ranking of rankings) {
    const shares = sharesOf(ranking);
    for (const [position, { name }] of ranking.matches.entries()) {
      scores.set(name, (scores.get(name) ?? 0) + (ranking.weight * (shares[position] ?? 0)) / most);
    }
  }
  return scores;
}

/** What each match of a ranking is worth, from 0 to 1. */
export function sharesOf({ matches, zero }: Omit<Ranking, 'weight'>): readonly number[] {
  const best = matches.find(({ score }) => Number.isFinite(score))?.score ?? 0;
  return matches.map(({ score }) => {
    if (score >= best) return 1;
    const share = (score - zero) / (best - zero);
    return share > 0 ? LEAST + (1 - LEAST) * share : LEAST;
  });
}

/** Adds up `weight / (k + rank)`. Equal scores share the better rank. */
export function fusedRanks(rankings: readonly Ranking[], k: number): Map<string, number> {
  const scores = new Map<string, number>();
  const most = rankings.reduce((sum, { weight }) => sum + weight / (k + 1), 0);
  for (const { weight, matches } of rankings) {
    let rank = 0;
    let previous: number | undefined;
    for (const [position, { name, score }] of matches.entries()) {
      if (score !== previous) rank = position + 1;
      previous = score;
      scores.set(name, (scores.get(name) ?? 0) + weight / (k + rank) / most);
    }
  }
  return scores;
}
