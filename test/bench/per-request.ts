// A processor for each request, over the same tools: npm run bench:per-request
// How many, and over how many tools: npm run bench:per-request -- 200 10000
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { AgentRequest, mastraTools } from './agent-request.ts';
import { create, type Side } from './processors.ts';
import { plainCatalog, toolsOf } from './speed/catalogs.ts';
import { percentile, timed } from './statistics.ts';
import { markdownTable } from './table.ts';

const [requests = 200, size = 10_000] = process.argv.slice(2).map(Number);
/** Core indexes in each constructor: some tell enough. */
const OF_CORE = 20;
/** Milliseconds between two requests. */
const EVERY = 20;
const MB = 1 << 20;
const QUERY = 'send an email to a colleague';

const tools = mastraTools(toolsOf(plainCatalog(), size));

async function measure(side: Side, count: number): Promise<string[]> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const times: number[] = [];
  const heaps: string[] = [];
  const begin = performance.now();
  for (const half of [0, 1]) {
    await Promise.all(
      Array.from({ length: count / 2 }, async (_, n) => {
        await new Promise((resolve) => setTimeout(resolve, EVERY * n));
        // A request lets go of its processor when it ends.
        const request = async () =>
          new AgentRequest(create[side]({ tools }), { thread: `thread-${half}-${n}` }).search(QUERY);
        times.push(await timed(request));
      }),
    );
    globalThis.gc?.();
    heaps.push(((process.memoryUsage().heapUsed - before) / MB).toFixed(0));
  }
  const wall = performance.now() - begin;
  delay.disable();
  return [
    `${side}, ${count} processors`,
    (wall / 1_000).toFixed(1),
    ...[0.5, 0.99].map((share) => percentile(times, share).toFixed(0)),
    (delay.percentile(99) / 1e6).toFixed(0),
    ...heaps,
  ];
}

const rows = [await measure('core', OF_CORE), await measure('ours', OF_CORE), await measure('ours', requests)];
const heading = ['', 'all, s', 'request p50, ms', 'p99', 'event loop p99, ms', 'heap after half, MB', 'after all'];
console.log(`${size} tools. Constructor, first step and first search; a request every ${EVERY} ms.\n`);
console.log(markdownTable([heading, ...rows]));
