// Whether one processor keeps 200 conversations apart for four minutes, and what that takes: npm run bench:soak
// Exits with 1 when anything was other than expected, or the heap grows.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { optionsOf, table } from '../report.ts';
import { collectGarbage, mean, percentile } from '../statistics.ts';
import { soak } from './soak.ts';

/** Of the time, until indexes and caches are full and the code is compiled: with 200 conversations about 100 seconds. */
const WARM_UP = 0.5;
/** Looks at the heap, each behind a forced collection. */
const LOOKS = 15;
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

const USAGE = 'npm run bench:soak -- [--seconds N (240)] [--conversations N (200, at most 1,000)]';
const options = optionsOf(USAGE, { seconds: '240', conversations: '200' });
const [seconds, conversations] = [Number(options.seconds), Number(options.conversations)];

const end = performance.now() + 1_000 * seconds;
// As long as a model takes for a short answer.
const thinking = { least: 1_000, most: 3_000 };
const run = soak({ conversations, goesOn: () => performance.now() < end, thinking });
await setTimeout(1_000 * seconds * WARM_UP);

// Garbage is collected before each look at the heap. That stops everything for a while, so the event loop is looked at
// when what had to wait has been done.
const heap: number[] = [];
const delays: number[] = [];
const monitor = monitorEventLoopDelay({ resolution: RESOLUTION });
const every = (1_000 * seconds * (1 - WARM_UP)) / LOOKS;
for (let look = 0; look <= LOOKS; look++) {
  collectGarbage();
  heap.push(process.memoryUsage().heapUsed / 2 ** 20);
  if (look === LOOKS) break;
  await setTimeout(Math.min(SETTLE, every / 2));
  monitor.reset();
  monitor.enable();
  await setTimeout(every - Math.min(SETTLE, every / 2));
  monitor.disable();
  for (let part = 0.5; part < KEPT; part++)
    delays.push(Math.max(0, monitor.percentile((100 * part) / KEPT) / 1e6 - RESOLUTION));
}
const { counts, faults } = await run;
const growth = growthOf(heap);
const isFlat = growth < FLAT || seconds < JUDGED;
const figures = { conversations, ...counts, faults: faults.length };
const rows = [
  ...Object.entries(figures).map(([name, value]) => [name, value.toLocaleString('en')]),
  ['heap, first and last look, MB', `${heap[0]!.toFixed(1)}, ${heap.at(-1)!.toFixed(1)}`],
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
