import type { CatalogTool } from './catalogs.ts';
import type { Contestant, Side } from './contestants.ts';

/** A catalog of one size, who is measured on it, and with what. */
export interface Subject {
  /** How figures name it: the number of tools, or `plain`. */
  readonly catalog: string;
  readonly tools: readonly CatalogTool[];
  readonly contestants: readonly Contestant[];
  readonly queries: readonly string[];
}

/** A first search that is none of the measured queries. */
export const FIRST_QUERY = 'find the files of a project';

/** What each contestant does in its turn. */
export function forEach<Value>(
  { contestants }: Pick<Subject, 'contestants'>,
  make: (contestant: Contestant) => Value,
): ReadonlyMap<Side, Value> {
  return new Map(contestants.map((contestant) => [contestant.side, make(contestant)]));
}

/** Rounds of what takes a second and more at the larger sizes. */
export function roundsFor({ tools }: Pick<Subject, 'tools'>): number {
  return tools.length <= 1_000 ? 7 : tools.length <= 50_000 ? 3 : 1;
}
