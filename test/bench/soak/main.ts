// Whether one processor keeps 200 conversations apart for two minutes, and what that takes: `npm run bench:soak`.
// Exits with 1 when anything was other than expected, or the heap grows.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Ledger } from './ledger.ts';
import { heapMegabytes, measure, trendOf } from './meter.ts';
import { reportOf } from './report.ts';
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
const every = Math.max(SHORTEST, Math.min(EVERY, left / LOOKS));
const measured = await measure(1000 * left, 1000 * every);
await run;

const trend = trendOf(measured.heap);
const isFlat = trend.growth < FLAT || seconds < JUDGED;
console.log(reportOf({ conversations, seconds, ledger, measured, trend, idle: heapMegabytes() }));
if (!isFlat) console.error(`\nThe heap grows by more than ${FLAT * 100} %.`);
if (ledger.faults > 0) console.error(`\nThe first of ${ledger.faults} faults:\n- ${ledger.shown.join('\n- ')}`);
process.exitCode = isFlat && ledger.faults === 0 ? 0 : 1;
