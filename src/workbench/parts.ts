import type { MatchExplanation, WordExplanation } from '../kit.ts';

/** The parts of a score, except what the name of a tool adds. */
export interface ScoreParts {
  /** The words of the query, each with its part of the score. */
  readonly words: readonly WordExplanation[];
  /** Parts that belong to no word; empty with a scorer that uses words alone. */
  readonly others: readonly ScorePart[];
}

export interface ScorePart {
  /** The meaning of the query, or the tool itself. */
  readonly of: 'meaning' | 'tool';
  readonly score: number;
}

/** The feature "the query names the tool", which is no part of a word. */
const NAMED = 'named';

/** Splits a score into parts. With features, the words' total is divided among the words in proportion to their own scores. */
export function scoreParts({ words, features }: Pick<MatchExplanation, 'words' | 'features'>): ScoreParts {
  if (!features) return { words, others: [] };
  const added = (by: ScorePart['of'] | 'words'): number =>
    features.reduce((sum, { of, feature, score }) => (of === by && feature !== NAMED ? sum + score : sum), 0);
  const all = words.reduce((sum, { score }) => sum + score, 0);
  const share = all > 0 ? added('words') / all : 0;
  return {
    words: words.map((word) => ({ ...word, score: share * word.score })),
    others: (['meaning', 'tool'] as const).map((of) => ({ of, score: added(of) })),
  };
}

/** Formats a score, or a part of one. */
export function scoreText(score: number): string {
  return score.toFixed(2);
}

/** The rounded score minus its rounded parts: parts that are rounded one by one would not sum up. */
export function restOf(score: number, parts: readonly { readonly score: number }[]): number {
  const left = parts.reduce((rest, part) => rest - Number(scoreText(part.score)), Number(scoreText(score)));
  return Number(scoreText(left)) || 0;
}
