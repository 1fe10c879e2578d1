import type { MatchExplanation, WordExplanation } from '../kit.ts';

/** What a score is the sum of, but for what a name adds. */
export interface ScoreParts {
  /** The words of the query, each with what it adds to the score. */
  readonly words: readonly WordExplanation[];
  /** What is no word's; none with a scorer of words alone. */
  readonly others: readonly ScorePart[];
}

export interface ScorePart {
  /** The meaning of the query, or the tool itself. */
  readonly of: 'meaning' | 'tool';
  readonly score: number;
}

/** The feature of a tool that the query names, which no word has earned. */
const NAMED = 'named';

/**
 * The parts of a score. Where it is no sum of words, each word has of what words add together the share that it has among
 * words alone.
 */
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

/** A score, or a part of one. Those of a table sum up as they are shown. */
export function scoreText(score: number): string {
  return score.toFixed(2);
}

/** What is left of a score, as it is shown, without the parts that are shown: rounded one by one, they would not sum up. */
export function restOf(score: number, parts: readonly { readonly score: number }[]): number {
  const left = parts.reduce((rest, part) => rest - Number(scoreText(part.score)), Number(scoreText(score)));
  return Number(scoreText(left)) || 0;
}
