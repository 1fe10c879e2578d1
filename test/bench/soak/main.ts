// Whether one processor keeps 200 conversations apart for two minutes, and what that takes: npm run bench:soak
// Exits with 1 when anything was other than expected, or the heap grows.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { collectGarbage, mean, percentile } from '../statistics.ts';
import { markdownTable } from '../table.ts';
import { Ledger } from './ledger.ts';
import { soak } from './soak.ts';

/** Of the time, until indexes and caches are full and the code is compiled. */
const WARM_UP = 0.25;
/** Seconds between two looks at the heap; in a short run down to the second figure. */
const EVERY = 5;
const SHORTEST = 3;
/** Looks, where there is time for them. */
const LOOKS = 10;
/** The heap is flat when the straight line through the samples gains less than this share of their mean. */
const FLAT = 0.1;
/** Seconds below which that is not judged: caches are still being filled. */
const JUDGED = 60;
/** As long as a model takes for a short answer. */
const THINKING = { least: 1_000, most: 3_000 };
const MAX_CONVERSATIONS = 1_000;
/** Milliseconds between two looks at the event loop; what is more is delay. */
const RESOLUTION = 10;
/** Milliseconds after a forced collection in which is done what had to wait for it. */
const SETTLE = 1_500;
/** Of a sample's time, so many figures from its distribution are kept. */
const KEPT = 200;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    conversations: { type: 'string', default: '200' },
  },
});
const seconds = Number(values.seconds);
const conversations = Number(values.conversations);
if (!(seconds > 0) || !(conversations >= 1 && conversations <= MAX_CONVERSATIONS)) {
  console.error(`npm run bench:soak -- [--seconds N] [--conversations N, at most ${MAX_CONVERSATIONS}]`);
  process.exit(2);
}

const ledger = new Ledger();
const end = performance.now() + 1000 * seconds;
const run = soak({ conversations, goesOn: () => performance.now() < end, thinking: THINKING, ledger });
await setTimeout(1000 * seconds * WARM_UP);
const left = seconds * (1 - WARM_UP);
const { heap, delays } = await sampled(1000 * left, 1000 * Math.max(SHORTEST, Math.min(EVERY, left / LOOKS)));
await run;

const { counts, faults } = ledger;
const growth = growthOf(heap);
const isFlat = growth < FLAT || seconds < JUDGED;
const rows = [
  ...Object.entries({ conversations, ...counts, faults }).map(([name, value]) => [name, value.toLocaleString('en')]),
  ['heap, first and last look, MB', [heap[0], heap.at(-1)].map((look) => look?.megabytes.toFixed(1)).join(', ')],
  ['heap growth, percent of the mean', (growth * 100).toFixed(1)],
  ['event loop delay, median, ms', percentile(delays, 0.5).toFixed(1)],
  ['event loop delay, p99, ms', percentile(delays, 0.99).toFixed(1)],
];
console.log(markdownTable([['one processor', `${seconds} s`], ...rows]));
console.log('\nThe heap is sampled behind a forced collection, after a quarter of the time; its growth is that of the');
console.log('straight line through the samples. The delay is how late a timer of 10 ms is, without those collections.');
if (!isFlat) console.error(`\nThe heap grows by more than ${FLAT * 100} %.`);
if (faults > 0) console.error(`\nThe first of ${faults} faults:\n- ${ledger.shown.join('\n- ')}`);
process.exitCode = isFlat && faults === 0 ? 0 : 1;

interface HeapSample {
  readonly seconds: number;
  readonly megabytes: number;
}

/**
 * Samples until the time is over. Garbage is collected before each look at the heap. That stops everything for a while,
 * so the event loop is looked at anew when what had to wait has been done.
 */
async function sampled(milliseconds: number, every: number): Promise<{ heap: HeapSample[]; delays: number[] }> {
  const heap: HeapSample[] = [];
  const delays: number[] = [];
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION });
  const start = performance.now();
  for (;;) {
    monitor.disable();
    collectGarbage();
    const time = performance.now() - start;
    heap.push({ seconds: time / 1000, megabytes: process.memoryUsage().heapUsed / 2 ** 20 });
    if (time > milliseconds - every / 2) return { heap, delays };
    await setTimeout(SETTLE);
    monitor.reset();
    monitor.enable();
    await setTimeout(every - SETTLE);
    for (let part = 0.5; part < KEPT; part++)
      delays.push(Math.max(0, monitor.percentile((100 * part) / KEPT) / 1e6 - RESOLUTION));
  }
}

/** What the straight line through the samples, by least squares, gains from the first to the last: of their mean. */
function growthOf(samples: readonly HeapSample[]): number {
  const time = mean(samples.map((sample) => sample.seconds));
  const megabytes = mean(samples.map((sample) => sample.megabytes));
  const spread = mean(samples.map((sample) => (sample.seconds - time) ** 2));
  const common = mean(samples.map((sample) => (sample.seconds - time) * (sample.megabytes - megabytes)));
  const length = (samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0);
  return spread === 0 ? 0 : ((common / spread) * length) / megabytes;
}
