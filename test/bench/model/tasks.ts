import { createHash } from 'node:crypto';
import { repairName } from '../../../src/catalog/names.ts';
import { type LabelledSet, needsOf } from '../retrieval/sets.ts';

/** Texts are tuned on one half, and reported on both. */
export const HALVES = ['tune', 'report'] as const;
export type Half = (typeof HALVES)[number];

/** A task of a set, as the bench puts it to a model. */
export interface DrawnTask {
  /** The same in each draw: the set, and the id there. */
  readonly id: string;
  readonly set: LabelledSet;
  readonly half: Half;
  /** What the user writes. */
  readonly message: string;
  /** The tools that serve the task, or a part of it: by their ids, and as ours calls those that providers refuse. */
  readonly right: ReadonlySet<string>;
}

/**
 * So many tasks, evenly over the sets as far as they have them. A draw of more tasks begins with those of a smaller one,
 * and a task stands in the same half in both.
 */
export function drawTasks(sets: readonly LabelledSet[], count: number, seed: number): readonly DrawnTask[] {
  const drawn = sets.flatMap((set) =>
    shuffle(set.queries, ({ id }) => `${seed} ${set.name}/${id}`).map((query, round) => ({ set, query, round })),
  );
  const rounds = drawn.sort((one, other) => one.round - other.round).slice(0, count);
  return rounds.map(({ set, query, round }) => ({
    id: `${set.name}/${query.id}`,
    set,
    half: round % 2 === 0 ? 'tune' : 'report',
    message: query.task ?? query.query,
    right: new Set(
      needsOf(query)
        .flat()
        .flatMap((id) => [id, repairName(id, () => false)]),
    ),
  }));
}

/** In the order of the hashes of their names: another item leaves the order of the others as it is. */
export function shuffle<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: createHash('sha256').update(nameOf(item)).digest('hex') }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ item }) => item);
}
