import { quantile } from '../../../src/workbench/evaluate/bootstrap.ts';
import type { Contestant, Found, Search } from './contestant.ts';
import { type Figures, figuresOf } from './metrics.ts';
import type { LabelledQuery, LabelledSet, LabelledTool } from './sets.ts';

/** What one contestant did on one set. */
export interface Run {
  readonly contestant: string;
  readonly buildMilliseconds: number;
  /** In the order of the set's queries. */
  readonly searches: readonly MeasuredSearch[];
}

export interface MeasuredSearch {
  readonly query: LabelledQuery;
  readonly found: readonly Found[];
  readonly milliseconds: number;
  readonly figures: Figures;
}

/** A build that took longer is not repeated. */
const SLOW_BUILD = 2_000;
const BUILDS = 3;

export async function measure(contestant: Contestant, set: LabelledSet): Promise<Run> {
  const { search, milliseconds: buildMilliseconds } = await build(contestant, set.tools);
  const searches: MeasuredSearch[] = [];
  for (const query of set.queries) {
    const started = performance.now();
    const { found, milliseconds = performance.now() - started } = await search(query.query);
    const names = [...new Set(found.map(({ name }) => name))];
    searches.push({ query, found, milliseconds, figures: figuresOf(names, query) });
  }
  return { contestant: contestant.name, buildMilliseconds, searches };
}

/** Builds a few times, because the first build also warms the engine up, and takes the time in the middle. */
async function build(
  contestant: Contestant,
  tools: readonly LabelledTool[],
): Promise<{ search: Search; milliseconds: number }> {
  const times: number[] = [];
  for (;;) {
    const started = performance.now();
    const search = await contestant.build(tools);
    const taken = performance.now() - started;
    times.push(taken);
    if (times.length === BUILDS || taken > SLOW_BUILD)
      return { search, milliseconds: quantile(times.sort(ascending), 0.5) };
  }
}

/** The time in the middle, which a cold start does not move, and the slowest but one in twenty. */
export function searchTimes({ searches }: Run): { median: number; p95: number } {
  const times = searches.map(({ milliseconds }) => milliseconds).sort(ascending);
  return { median: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

function ascending(first: number, second: number): number {
  return first - second;
}
