import { markdownTable } from '../retrieval/table.ts';
import { beyondBars } from './bars.ts';
import type { Cold } from './cold.ts';
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

/** The table in Markdown, and which bars are not met. */
export function coldReport({ catalog, queries, figures }: Cold): string {
  const beyond = beyondBars(figures).map((line) => `  ${line}`);
  return [
    'Cold start: constructor, first step and first search, each in a process of its own. Milliseconds, medians.',
    `Catalog: ${catalog}. Queries: ${queries}.\n`,
    coldTable(figures),
    ...(beyond.length > 0 ? ['\nNot met:', ...beyond] : []),
  ].join('\n');
}

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
