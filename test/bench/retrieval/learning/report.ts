import { halfOf } from '../split.ts';
import { markdownTable, textTable } from '../table.ts';
import type { Change, LearningEntry } from './measure.ts';

/** Sets with fewer queries on a side say little of it, and are left out of the means. */
const MIN_QUERIES = 25;

/** What learning from use changes, set by set, in hundredths of nDCG@10. */
export function learningReport(entries: readonly LearningEntry[], isMarkdown = false): string {
  const rows = entries.map(({ set, used, never }) => [set, halfOf(set), ...cells(used), ...cells(never)]);
  const means = [
    'the mean',
    '',
    ...['', '', '', meanOf(entries.map(({ used }) => used))],
    ...['', '', '', meanOf(entries.map(({ never }) => never))],
  ];
  const heading = ['', 'half', 'used', 'alone', 'learned', 'change', 'never', 'alone', 'learned', 'change'];
  const table = isMarkdown ? markdownTable : textTable;
  return [
    'Learning from use: half of the queries are the log, the other half is searched; nDCG@10 of queries whose tools were',
    `used in the log, and of those whose tools never were. Means are over sets with ${MIN_QUERIES} queries and more.${isMarkdown ? '\n' : ''}`,
    table([heading, ...rows, ...(entries.length > 1 ? [means] : [])]),
  ].join('\n');
}

function cells({ queries, alone, learned, difference: { mean, low, high } }: Change): readonly string[] {
  if (queries === 0) return ['0', '', '', ''];
  return [
    String(queries),
    (100 * alone).toFixed(1),
    (100 * learned).toFixed(1),
    `${signed(mean)} [${signed(low)}, ${signed(high)}]`,
  ];
}

function meanOf(changes: readonly Change[]): string {
  const some = changes.filter(({ queries }) => queries >= MIN_QUERIES);
  return signed(some.reduce((sum, { difference }) => sum + difference.mean, 0) / some.length);
}

function signed(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;
}
