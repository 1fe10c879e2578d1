import type { Ranking } from '../engine/ranking.ts';

/** A word of the query that no tool has, and the one that was taken for it. */
export interface Correction {
  readonly word: string;
  readonly found: string;
}

/** The words that were read otherwise than they are written, by what the tools that are shown have found. */
export function correctionsIn({ tools }: Ranking): readonly Correction[] {
  const corrections = new Map<string, string>();
  for (const { explanation } of tools) {
    for (const { word, found, by } of explanation?.words ?? [])
      if (by === 'guess' && !corrections.has(word)) corrections.set(word, found);
  }
  return Array.from(corrections, ([word, found]) => ({ word, found }));
}
