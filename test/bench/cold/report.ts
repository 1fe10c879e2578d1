import { markdownTable } from '../retrieval/table.ts';
import type { ColdFigure, ColdTimes } from './measure.ts';

const COLUMNS: readonly (readonly [heading: string, key: keyof ColdTimes])[] = [
  ['constructor', 'constructor'],
  ['step', 'step'],
  ['search', 'search'],
  ['all three', 'cold'],
  ['their CPU', 'coldCpu'],
  ['search p50', 'p50'],
  ['search p99', 'p99'],
  ['import', 'import'],
];

/** Who took what, size by size, and the ratio to core. */
export function coldTable(figures: readonly ColdFigure[]): string {
  const rows = figures.flatMap(({ size, times }) => {
    const core = times.get('core');
    return [...times].map(([name, taken]) => [
      size.toLocaleString('en'),
      name,
      ...COLUMNS.map(([, key]) => taken[key].toFixed(taken[key] < 10 ? 2 : 1)),
      core ? `${(taken.cold / core.cold).toFixed(2)} (${(taken.coldCpu / core.coldCpu).toFixed(2)})` : '',
    ]);
  });
  return markdownTable([['tools', '', ...COLUMNS.map(([heading]) => heading), '/ core (CPU)'], ...rows]);
}
