// A processor for each request, over the same tools: npm run bench:per-request
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { AgentRequest, mastraTools } from './agent-request.ts';
import { create, type Side } from './processors.ts';
import { optionsOf, table } from './report.ts';
import { plainCatalog, toolsOf } from './speed/catalogs.ts';
import { collectGarbage, percentile, timed } from './statistics.ts';

const USAGE = `npm run bench:per-request -- [options]
  --requests N   so many requests (200)
  --size N       over so many tools (10000)
  --catalog DIR  a folder that holds tools.jsonl, instead of the set that comes with the project`;
const options = optionsOf(USAGE, { requests: '200', size: '10000', catalog: undefined });
/** Core indexes in each constructor: some tell enough. */
const OF_CORE = 20;
/** Milliseconds between two requests. */
const EVERY = 20;
const MB = 1 << 20;

const tools = mastraTools(toolsOf(plainCatalog(options.catalog), Number(options.size)));

async function measure(side: Side, count: number): Promise<string[]> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const times: number[] = [];
  const heaps: string[] = [];
  for (const half of [0, 1]) {
    const requests = Array.from({ length: count / 2 }, async (_, n) => {
      await setTimeout(EVERY * n);
      const thread = `thread-${half}-${n}`;
      // A request lets go of its processor when it ends.
      times.push(await timed(() => new AgentRequest(create[side]({ tools }), { thread }).search('send an email')));
    });
    await Promise.all(requests);
    collectGarbage();
    heaps.push(((process.memoryUsage().heapUsed - before) / MB).toFixed(0));
  }
  delay.disable();
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(0));
  return [`${side}, ${count} processors`, p50!, p99!, (delay.percentile(99) / 1e6).toFixed(0), ...heaps];
}

const rows = [
  await measure('core', OF_CORE),
  await measure('ours', OF_CORE),
  await measure('ours', Number(options.requests)),
];
const heading = ['', 'request p50, ms', 'p99', 'event loop p99, ms', 'heap after half, MB', 'after all'];
console.log(`${options.size} tools. Constructor, first step and first search; a request every ${EVERY} ms.\n`);
console.log(table([heading, ...rows]));
