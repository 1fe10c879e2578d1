import { textTable } from '../table.ts';
import { meanFigures, type VerdictEntry, type VerdictFigures } from './judge.ts';

const EXPLANATION = `"Nothing fits", said of a query (percent)
  shown: a tool that fits is among the first five, so a warning is a false alarm; missed: none of those that fit is
  removed: what fits is gone from the catalog, with everything like it; foreign: queries of other sets
  AUC: the chance that a shown one is rated higher; at 5 %: recognised with false alarms for 5 % of the shown ones`;

/** One table for each contestant, with all sets and their mean. */
export function verdictReport(entries: readonly VerdictEntry[]): string {
  const contestants = [...new Set(entries.map(({ contestant }) => contestant))];
  const tables = contestants.map((name) => {
    const own = entries.filter(({ contestant }) => contestant === name);
    const rows = own.map((entry) => [entry.set, ...cells(entry)]);
    const mean = own.length > 1 ? [['mean', ...cells(meanFigures(own))]] : [];
    return `${name}\n${textTable([HEADING, ...rows, ...mean])}`;
  });
  return [EXPLANATION, ...tables].join('\n\n');
}

const HEADING = [
  '',
  'shown',
  'warned',
  'missed',
  'warned',
  'removed',
  'warned',
  'AUC',
  'at 5 %',
  'foreign',
  'warned',
  'AUC',
  'at 5 %',
];

function cells({ queries, falseAlarms, warnedOfMissed, recognised, auc, recognisedAtFive }: VerdictFigures): string[] {
  const nothing = (['without', 'foreign'] as const).flatMap((kind) => [
    `${queries[kind]}`,
    ...[recognised[kind], auc[kind], recognisedAtFive[kind]].map(percent),
  ]);
  return [`${queries.shown}`, percent(falseAlarms), `${queries.missed}`, percent(warnedOfMissed), ...nothing];
}

function percent(share: number): string {
  return Number.isNaN(share) ? '' : (share * 100).toFixed(1);
}
