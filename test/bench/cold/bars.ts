import type { ColdFigure } from './measure.ts';

/** What a cold first search may take, as a multiple of what core takes, by the size of the catalog. */
const MOST: ReadonlyMap<number, number> = new Map([
  [100, 4],
  [1_000, 2.65],
  [10_000, 0.5],
  [50_000, 0.4],
]);

/** What is beyond the bars, in words: the first search, and the slowest of those behind it. */
export function beyondBars(figures: readonly ColdFigure[]): readonly string[] {
  return figures.flatMap(({ size, times }) => {
    const core = times.get('core');
    const ours = times.get('ours');
    if (!core || !ours) return [];
    const most = MOST.get(size) ?? Number.POSITIVE_INFINITY;
    const share = ours.cold / core.cold;
    return [
      ...(share > most
        ? [`${size} tools: the first search takes ${share.toFixed(2)} times core's, at most ${most}`]
        : []),
      ...(ours.p99 > core.p99 ? [`${size} tools: p99 ${ours.p99.toFixed(1)} ms, core's ${core.p99.toFixed(1)}`] : []),
      ...(size <= 100 && ours.p50 > core.p50
        ? [`${size} tools: p50 ${ours.p50.toFixed(2)} ms, core's ${core.p50.toFixed(2)}`]
        : []),
    ];
  });
}
