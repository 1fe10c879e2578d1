import type { Ranking } from '../engine/ranking.ts';

/** Where a tool stands in the other ranking. */
export type Move =
  /** As many places further up here than there; below zero, further down. */
  | { readonly type: 'moved'; readonly by: number; readonly there: number }
  /** It is not in the other ranking, as far as that is known. */
  | { readonly type: 'only-here' };

/**
 * Says of each tool of a ranking where another ranking has it. None where the rankings are of different queries.
 *
 * @param one - the ranking that is shown.
 */
export function movesOf(one: Ranking, other: Ranking | undefined): ReadonlyMap<string, Move> {
  if (!other || one.query !== other.query) return new Map();
  const places = new Map(other.names.map((name, place) => [name, place]));
  return new Map(
    one.tools.map(({ name }, place): [string, Move] => {
      const there = places.get(name);
      return [
        name,
        there === undefined ? { type: 'only-here' } : { type: 'moved', by: there - place, there: there + 1 },
      ];
    }),
  );
}
