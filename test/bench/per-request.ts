// A processor for each request, over the same tools: npm run bench:per-request
// How many, and over how many tools: npm run bench:per-request -- 200 10000
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { ToolSearchProcessor } from '../../src/index.ts';
import { markdownTable } from './retrieval/table.ts';
import { plainCatalog, toolsOf } from './speed/catalogs.ts';
import type { Processor } from './speed/contestants.ts';
import { AgentRequest } from './speed/request.ts';
import { mastraTools } from './speed/tools.ts';

const [requests = 200, size = 10_000] = process.argv.slice(2).map(Number);
/** Core indexes in each constructor: some tell enough. */
const OF_CORE = 20;
/** Milliseconds between two requests. */
const EVERY = 20;
const MB = 1 << 20;

const mastra = new Mastra({ logger: false });
const tools = mastraTools(toolsOf(plainCatalog(), size));

async function measure(name: string, count: number, create: () => Processor): Promise<string[]> {
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
        const start = performance.now();
        // A request lets go of its processor when it ends.
        await new AgentRequest(create(), {}, `thread-${half}-${n}`).search('send an email to a colleague');
        times.push(performance.now() - start);
      }),
    );
    globalThis.gc?.();
    heaps.push(((process.memoryUsage().heapUsed - before) / MB).toFixed(0));
  }
  const wall = performance.now() - begin;
  delay.disable();
  times.sort((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(0);
  return [
    `${name}, ${count} processors`,
    (wall / 1_000).toFixed(1),
    at(0.5),
    at(0.99),
    (delay.percentile(99) / 1e6).toFixed(0),
    ...heaps,
  ];
}

const registered = (): Processor => {
  const processor = new ToolSearchProcessor({ tools });
  processor.__registerMastra(mastra);
  return processor;
};
const rows = [
  await measure('core', OF_CORE, () => new CoreProcessor({ tools: tools as never }) as never),
  await measure('ours', OF_CORE, registered),
  await measure('ours', requests, registered),
];
const heading = ['', 'all, s', 'request p50, ms', 'p99', 'event loop p99, ms', 'heap after half, MB', 'after all'];
console.log(`${size} tools. Constructor, first step and first search; a request every ${EVERY} ms.\n`);
console.log(markdownTable([heading, ...rows]));
