import { markdownTable } from '../retrieval/table.ts';
import type { CheckedBar } from './bars.ts';
import { type Figure, MEASURES, ratioOf } from './figures.ts';

/** What was measured, thing by thing, each over the sizes. */
export function figuresTable(figures: readonly Figure[]): string {
  const rows = Object.values(MEASURES).flatMap((measure) =>
    figures
      .filter((figure) => figure.measure === measure)
      .map((figure) => [measure, figure.catalog, shown(figure.core), shown(figure.ours), shown(ratioOf(figure))]),
  );
  return markdownTable([['measured', 'tools', 'core', 'ours', 'core / ours'], ...rows]);
}

export function barsTable(bars: readonly CheckedBar[]): string {
  const rows = bars.map(({ name, wanted, measured, isMet }) => [name, wanted, shown(measured), isMet ? 'ok' : 'UNDER']);
  return markdownTable([['bar', 'wanted', 'measured', ''], ...rows]);
}

/** Three digits. */
function shown(value: number | undefined): string {
  if (value === undefined) return 'not run';
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
