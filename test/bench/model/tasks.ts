import { createHash } from 'node:crypto';
import { repairName } from '../../../src/catalog/names.ts';
import type { LabelledQuery, LabelledSet } from '../retrieval/sets.ts';
import { needsOf } from '../turns/task.ts';

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
  const shuffled = sets.map((set) => shuffle(set.queries, ({ id }) => `${seed} ${set.name}/${id}`));
  const longest = Math.max(...sets.map(({ queries }) => queries.length));
  const rounds = Array.from({ length: longest }, (_, round) =>
    sets.flatMap((set, n) => {
      const query: LabelledQuery | undefined = shuffled[n]?.[round];
      if (!query) return [];
      const half: Half = round % 2 === 0 ? 'tune' : 'report';
      const message = query.task ?? query.query;
      const ids = needsOf(query).flat();
      return [
        {
          id: `${set.name}/${query.id}`,
          set,
          half,
          message,
          right: new Set(ids.flatMap((id) => [id, repairName(id, () => false)])),
        },
      ];
    }),
  );
  return rounds.flat().slice(0, count);
}

/** In the order of the hashes of their names: another item leaves the order of the others as it is. */
export function shuffle<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: createHash('sha256').update(nameOf(item)).digest('hex') }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ item }) => item);
}
