import { words } from '../../../kit.ts';
import type { CaseResult } from '../../../workbench/evaluate/measure.ts';
import type { Figure, Figures } from '../../../workbench/evaluate/metrics.ts';
import { meanWithInterval } from '../../../workbench/evaluate/metrics.ts';
import { QUERY_STYLES, styleOf } from './query-style.ts';

/** The mean of a figure over the cases of one kind. */
export interface Slice {
  readonly label: string;
  /** Count of the cases. */
  readonly count: number;
  /** Left out where there are no cases. */
  readonly figure?: Figure;
}

/** Words of a query: the most of each kind. */
const LENGTHS: readonly (readonly [label: string, most: number])[] = [
  ['1–2 words', 2],
  ['3–5 words', 5],
  ['6–10 words', 10],
  ['11 or more', Number.POSITIVE_INFINITY],
];

/** A figure by the length of the query. Cases without relevant tools do not count. */
export function byLength(cases: readonly CaseResult[], figure: keyof Figures): readonly Slice[] {
  const lengthOf = (query: string): string => {
    const count = words(query).length;
    return LENGTHS.find(([, most]) => count <= most)?.[0] ?? '';
  };
  const labels = LENGTHS.map(([label]) => label);
  return slices(cases, labels, ({ query }) => lengthOf(query), figure);
}

/** A figure by the way in which the query is written. */
export function byStyle(cases: readonly CaseResult[], figure: keyof Figures): readonly Slice[] {
  return slices(cases, QUERY_STYLES, ({ query }) => styleOf(query), figure);
}

function slices(
  cases: readonly CaseResult[],
  labels: readonly string[],
  labelOf: (one: CaseResult) => string,
  figure: keyof Figures,
): readonly Slice[] {
  const values = new Map<string, number[]>(labels.map((label) => [label, []]));
  for (const one of cases) if (one.figures) values.get(labelOf(one))?.push(one.figures[figure]);
  return [...values].map(([label, own]) => {
    if (own.length === 0) return { label, count: 0 };
    return { label, count: own.length, figure: meanWithInterval(own, `${label} ${figure}`, [0, 1]) };
  });
}
