import { markdownTable } from '../retrieval/table.ts';
import type { CheckedBar } from './bars.ts';
import { exponentOf, type LoadFigures, type QualityFigures, type SourceFigures } from './figures.ts';

/** Everything that was measured, as Markdown. */
export function sourceReport(figures: SourceFigures, bars: readonly CheckedBar[]): string {
  const { corpus, machine, queries, load, database = [], process = [], quality = [] } = figures;
  const exponent = exponentOf(database);
  return [
    `Documents: ${corpus}, varied. ${count(queries)} queries, ${machine}. Times in milliseconds.`,
    section('Loading', [
      ['documents', 'documents a second', 'MB on disk', 'KB a document'],
      ...load.map((one) => [
        count(one.documents),
        count(rateOf(one)),
        count(one.megabytes),
        kilobytesOf(one).toFixed(1),
      ]),
    ]),
    section('Searching in PostgreSQL', [
      [
        'documents',
        'p50',
        'p99',
        'CPU',
        'of it in the database',
        '32 at once: p50',
        'p99',
        'a second',
        'first',
        'MB of the process',
      ],
      ...database.map(({ documents, alone, together, cpuHere, cpuThere, perSecond, first, megabytes }) => [
        ...[count(documents), shown(alone.p50), shown(alone.p99), shown(cpuHere + cpuThere), shown(cpuThere)],
        ...[shown(together.p50), shown(together.p99), count(perSecond), shown(first), shown(megabytes)],
      ]),
    ]),
    ...(exponent === undefined
      ? []
      : [`From 10,000 on, the CPU time of a search grows with the documents to the power of ${exponent.toFixed(2)}.`]),
    section('In the process', [
      ['tools', 'building', 'p50', 'p99', 'CPU', 'MB of the process'],
      ...process.map(({ documents, build, alone, cpu, megabytes }) => [
        ...[count(documents), shown(build), shown(alone.p50), shown(alone.p99), shown(cpu), shown(megabytes)],
      ]),
    ]),
    section('Quality, percent', [
      ['set', 'among', 'engine', 'nDCG@10', 'hit@1', 'recall@5'],
      ...quality
        .toSorted(bySet)
        .map(({ set, documents, isHidden, engine, ndcg10, hit1, recall5 }) => [
          ...[set, isHidden ? count(documents) : `its own ${count(documents)}`, engine],
          ...[ndcg10, hit1, recall5].map((share) => (share * 100).toFixed(1)),
        ]),
    ]),
    section('Bars', [
      ['bar', 'wanted', 'measured', ''],
      ...bars.map(({ name, wanted, measured, isMet }) => [name, wanted, measured, isMet ? 'ok' : 'MISSED']),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function section(title: string, table: readonly (readonly string[])[]): string {
  return table.length > 1 ? `${title}\n\n${markdownTable(table)}` : '';
}

function bySet(one: QualityFigures, other: QualityFigures): number {
  const place = ({ set, isHidden, documents }: QualityFigures): string =>
    `${set} ${isHidden ? String(documents).padStart(9, '0') : ''}`;
  return place(one) < place(other) ? -1 : place(one) > place(other) ? 1 : 0;
}

function rateOf({ documents, seconds }: LoadFigures): number {
  return documents / seconds;
}

function kilobytesOf({ documents, megabytes }: LoadFigures): number {
  return (megabytes * 1_024) / documents;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Three digits. */
function shown(value: number): string {
  return value >= 100 ? count(value) : String(Number(value.toPrecision(3)));
}
