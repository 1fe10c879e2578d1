// Whether one processor keeps many conversations apart, and what that takes: npm run bench:soak
// Exits with 1 when anything was other than expected, or the heap grows.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { optionsOf, table } from '../report.ts';
import { collectGarbage, mean, percentile } from '../statistics.ts';
import { soak } from './soak.ts';

/** Of the time, until indexes and caches are full and the code is compiled: with 200 conversations about 100 seconds. */
const WARM_UP = 0.5;
/** Looks at the heap, each behind a forced collection. */
const LOOKS = 30;
/** The heap is flat when the straight line through the samples gains less than this share of their mean. */
const FLAT = 0.1;
/** Seconds below which that is not judged: caches are still being filled. */
const JUDGED = 240;
/** Milliseconds between two looks at the event loop; what is more is delay. */
const RESOLUTION = 10;
/** Milliseconds after a forced collection in which is done what had to wait for it. */
const SETTLE = 1_500;
/** Of a sample's time, so many figures from its distribution are kept. */
const KEPT = 200;

const USAGE = `npm run bench:soak -- [options]
  --seconds N        240
  --conversations N  200, at most 1,000
  --tools N          280; with more, one of them changes every 20 seconds
  --store-faults P   the share of the store's operations that fail, 0
  --thinking S       seconds that a model takes for an answer, in the mean, 2
  --plot FILE        draws the heap over the time, as SVG`;
const options = optionsOf(USAGE, {
  ...{ seconds: '240', conversations: '200', tools: '280', 'store-faults': '0', thinking: '2', plot: undefined },
});
const [seconds, conversations, tools, storeFaults, thought] = (
  ['seconds', 'conversations', 'tools', 'store-faults', 'thinking'] as const
).map((name) => Number(options[name])) as [number, number, number, number, number];

const end = performance.now() + 1_000 * seconds;
const thinking = { least: 500 * thought, most: 1_500 * thought };
const run = soak({ conversations, goesOn: () => performance.now() < end, thinking, tools, storeFaults });

// Garbage is collected before each look at the heap. That stops everything for a while, so the event loop is looked at
// when what had to wait has been done.
const heap: { readonly minutes: number; readonly megabytes: number }[] = [];
const begun = performance.now();
const delays: number[] = [];
const monitor = monitorEventLoopDelay({ resolution: RESOLUTION });
const every = (1_000 * seconds) / LOOKS;
for (let look = 0; look <= LOOKS; look++) {
  collectGarbage();
  const minutes = (performance.now() - begun) / 60_000;
  heap.push({ minutes, megabytes: process.memoryUsage().heapUsed / 2 ** 20 });
  // Behind the end the last runs end: a busy machine may be late.
  if (look === LOOKS || performance.now() + every > end) break;
  await setTimeout(Math.min(SETTLE, every / 2));
  monitor.reset();
  monitor.enable();
  await setTimeout(every - Math.min(SETTLE, every / 2));
  monitor.disable();
  if (minutes * 60 < seconds * WARM_UP) continue;
  for (let part = 0.5; part < KEPT; part++)
    delays.push(Math.max(0, monitor.percentile((100 * part) / KEPT) / 1e6 - RESOLUTION));
}
if (options.plot) writeFileSync(options.plot, plotOf(heap));
const { counts, faults } = await run;
const judged = heap.filter(({ minutes }) => minutes * 60 >= seconds * WARM_UP).map(({ megabytes }) => megabytes);
const growth = growthOf(judged);
const isFlat = growth < FLAT || seconds < JUDGED;
const figures = { conversations, tools, ...counts, faults: faults.length };
const rows = [
  ...Object.entries(figures).map(([name, value]) => [name, value.toLocaleString('en')]),
  ['heap, first and last look, MB', `${judged[0]!.toFixed(1)}, ${judged.at(-1)!.toFixed(1)}`],
  ['heap growth, percent of the mean', (growth * 100).toFixed(1)],
  ['event loop delay, median, ms', percentile(delays, 0.5).toFixed(1)],
  ['event loop delay, p99, ms', percentile(delays, 0.99).toFixed(1)],
];
console.log(table([['one processor', `${seconds} s`], ...rows]));
console.log('\nThe heap is sampled behind a forced collection, after half of the time; its growth is that of the');
console.log('straight line through the samples. The delay is how late a timer of 10 ms is, without those collections.');
if (!isFlat) console.error(`\nThe heap grows by more than ${FLAT * 100} %.`);
if (faults.length > 0) console.error(`\nThe first of ${faults.length} faults:\n- ${faults.slice(0, 10).join('\n- ')}`);
process.exitCode = isFlat && faults.length === 0 ? 0 : 1;

/** What the straight line through the samples, by least squares, gains from the first to the last: of their mean. */
function growthOf(samples: readonly number[]): number {
  const [place, middle] = [(samples.length - 1) / 2, mean(samples)];
  const spread = mean(samples.map((_, at) => (at - place) ** 2));
  const common = mean(samples.map((sample, at) => (at - place) * (sample - middle)));
  return ((common / spread) * (samples.length - 1)) / middle;
}

/** The heap over the time, in MB and minutes. */
function plotOf(looks: typeof heap): string {
  const samples = looks.map(({ megabytes }) => megabytes);
  const minutes = looks.at(-1)!.minutes;
  const [left, top, width, height] = [60, 30, 640, 200];
  const step = 2 ** Math.ceil(Math.log2(Math.max(...samples) / 4));
  const most = Math.ceil(Math.max(...samples) / step) * step;
  const x = (share: number): string => (left + share * width).toFixed(1);
  const y = (value: number): string => (top + height - (value / most) * height).toFixed(1);
  const lines = Array.from({ length: most / step + 1 }, (_, at) => at * step);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 270" font-family="system-ui, sans-serif" font-size="12" fill="#808a95" role="img">',
    '<title>The heap behind a forced collection over the time of the soak</title>',
    `<text x="${left}" y="18" font-size="14">Heap behind a forced collection, MB</text>`,
    ...lines.map(
      (value) =>
        `<line x1="${x(0)}" y1="${y(value)}" x2="${x(1)}" y2="${y(value)}" stroke="#808a9540"/><text x="${left - 6}" y="${y(value)}" dy="4" text-anchor="end">${value.toLocaleString('en')}</text>`,
    ),
    ...[0, 1 / 3, 2 / 3, 1].map(
      (share) =>
        `<text x="${x(share)}" y="${top + height + 20}" text-anchor="middle">${Math.round(share * minutes)} min</text>`,
    ),
    `<polyline points="${looks.map((look) => `${x(look.minutes / minutes)},${y(look.megabytes)}`).join(' ')}" fill="none" stroke="#2f81f7" stroke-width="2.5"/>`,
    '</svg>\n',
  ].join('\n');
}
