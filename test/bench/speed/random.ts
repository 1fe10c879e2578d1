export { randomFrom } from '../../../src/workbench/evaluate/metrics.ts';

/** Numbers from 0 up to 1. */
export type Random = () => number;

export function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}
