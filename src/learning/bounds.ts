import type { Use } from './use.ts';

/** Uses of a scope that are kept, and read. */
export const MAX_USES = 1_000;
/** Uses of one conversation, or of one user of a shared scope, that are kept. */
const MAX_OF_VOTER = 200;

/**
 * The uses of a scope that stay, in their order. Tools share the room: where there are too many uses, the tool with the
 * most loses its oldest, so that none pushes out what was learned of others. Conversations share the room of a tool alike.
 *
 * @param uses - the latest last.
 */
export function withinBounds(uses: readonly Use[]): readonly Use[] {
  const ofTools = inTurns(uses.toReversed(), ({ voter, tool }) => `${voter}.${tool}`);
  const ofRaters = ofTools.filter(isAmong(MAX_OF_VOTER, ({ voter }) => voter));
  if (ofRaters.length === uses.length && uses.length <= MAX_USES) return uses;
  const kept = new Set(inTurns(ofRaters, ({ tool }) => tool).slice(0, MAX_USES));
  return uses.filter((use) => kept.has(use));
}

/** The first use of every key, then the second of every key, and so on. */
function inTurns(uses: readonly Use[], keyOf: (use: Use) => string): readonly Use[] {
  const placeOf = places(keyOf);
  const placed = uses.map((use) => ({ use, place: placeOf(use) }));
  return placed.sort((one, other) => one.place - other.place).map(({ use }) => use);
}

/** Whether a use is among the first of its key. */
function isAmong(count: number, keyOf: (use: Use) => string): (use: Use) => boolean {
  const placeOf = places(keyOf);
  return (use) => placeOf(use) < count;
}

/** Counts the uses of each key. */
function places(keyOf: (use: Use) => string): (use: Use) => number {
  const counts = new Map<string, number>();
  return (use) => {
    const key = keyOf(use);
    const place = counts.get(key) ?? 0;
    counts.set(key, place + 1);
    return place;
  };
}
