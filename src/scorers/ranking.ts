import type { Match } from './scorer.ts';

/** Sorts in place: best first, ties by name in code unit order. */
export function bestFirst(matches: Match[]): Match[] {
  return matches.sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1));
}
