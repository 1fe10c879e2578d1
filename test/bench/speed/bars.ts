// What has to hold, else the run fails.
import { type Figure, figureOf, MEASURES, type Measure, PLAIN, ratioOf } from './figures.ts';

export interface Bar {
  readonly name: string;
  readonly limit: number;
  /** Whether the limit is the least or the most that is good. */
  readonly isLeast: boolean;
  readonly unit: string;
  /** Undefined where what it is about was not measured. */
  readonly value: (figures: readonly Figure[]) => number | undefined;
}

export interface CheckedBar {
  readonly name: string;
  readonly wanted: string;
  readonly measured: number;
  readonly isMet: boolean;
}

export const BARS: readonly Bar[] = [
  ratio(MEASURES.build, '10000', 1.5),
  ratio(MEASURES.build, '50000', 5),
  most(MEASURES.block, '10000', 50, 'ms'),
  // Not slower: 0.95, as both take some 20 µs, which no clock tells apart by less.
  ratio(MEASURES.step, '10000', 0.95),
  ratio(MEASURES.resolvedLater, '10000', 100),
  most(MEASURES.resolvedBlock, '10000', 50, 'ms'),
  ratio(MEASURES.searchFirst50, '10000', 10),
  ratio(MEASURES.searchFirst50, PLAIN, 8),
  share(MEASURES.searchLong50, MEASURES.searchFirst50, '1000', 5),
  ratio(MEASURES.denied, '10000', 100),
  // The whole catalog is asked about: 40 rounds of 256 at 2 ms.
  most(MEASURES.allowed, '10000', 250, 'ms'),
  ratio(MEASURES.injected, '10000', 100),
  most(MEASURES.heap, PLAIN, 6, 'KB'),
  growth(MEASURES.build, 15),
  growth(MEASURES.searchFirst50, 15),
];

/** The bars of what was measured. */
export function checkBars(bars: readonly Bar[], figures: readonly Figure[]): readonly CheckedBar[] {
  return bars.flatMap(({ name, limit, isLeast, unit, value }) => {
    const measured = value(figures);
    if (measured === undefined) return [];
    const isMet = isLeast ? measured >= limit : measured <= limit;
    return [{ name, wanted: `${isLeast ? '≥' : '≤'} ${limit}${unit === '' ? '' : ` ${unit}`}`, measured, isMet }];
  });
}

/** How many times as much core takes. */
function ratio(measure: Measure, catalog: string, limit: number): Bar {
  const value = (figures: readonly Figure[]): number | undefined => ratioOf(figureOf(figures, measure, catalog));
  return { name: `${bare(measure)}: core / ours, ${catalog} tools`, limit, isLeast: true, unit: '', value };
}

/** What ours takes. */
function most(measure: Measure, catalog: string, limit: number, unit: string): Bar {
  const value = (figures: readonly Figure[]): number | undefined => figureOf(figures, measure, catalog)?.ours;
  return { name: `${bare(measure)}: ours, ${catalog} tools`, limit, isLeast: false, unit, value };
}

/** How many times as much ours takes for one thing as for another. */
function share(measure: Measure, of: Measure, catalog: string, limit: number): Bar {
  const value = (figures: readonly Figure[]): number | undefined => {
    const [one, other] = [measure, of].map((each) => figureOf(figures, each, catalog)?.ours);
    return one === undefined || other === undefined ? undefined : one / other;
  };
  return { name: `${bare(measure)} / ${bare(of)}: ours, ${catalog} tools`, limit, isLeast: false, unit: '', value };
}

/** How many times as much ours takes for ten times the tools. */
function growth(measure: Measure, limit: number): Bar {
  const value = (figures: readonly Figure[]): number | undefined => {
    const [small, large] = ['10000', '100000'].map((catalog) => figureOf(figures, measure, catalog)?.ours);
    return small === undefined || large === undefined ? undefined : large / small;
  };
  return { name: `${bare(measure)}: ours, 100000 / 10000 tools`, limit, isLeast: false, unit: '', value };
}

/** Without the unit. */
function bare(measure: Measure): string {
  return measure.slice(0, measure.lastIndexOf(','));
}
