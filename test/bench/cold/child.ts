// Prints what a first search takes in a process that has searched nothing yet, and the searches behind it.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { RequestContext } from '@mastra/core/request-context';
import type { CatalogTool } from '../speed/catalogs.ts';
import { percentile } from '../speed/clock.ts';
import { AgentRequest, search } from '../speed/request.ts';
import { mastraTools } from '../speed/tools.ts';
import type { ColdOrder, ColdTimes } from './measure.ts';

const order = JSON.parse(process.argv[2] ?? '') as ColdOrder;
const tools = mastraTools(JSON.parse(readFileSync(order.tools, 'utf8')) as readonly CatalogTool[]);
// What a search and a step need of Mastra in either case.
const { Mastra } = await import('@mastra/core/mastra');
const { MessageList } = await import('@mastra/core/agent/message-list');
const { ToolSearchProcessor: CoreProcessor } = await import('@mastra/core/processors');
const mastra = new Mastra({ logger: false });
new MessageList({ threadId: 'other' }).add('Help me with this.', 'input').get.all.db();
new RequestContext([['mastra__threadId', 'other']]);
await idle();

const beforeImport = now();
const { ToolSearchProcessor } =
  order.build === undefined
    ? { ToolSearchProcessor: CoreProcessor }
    : ((await import(pathToFileURL(order.build).href)) as typeof import('../../../src/index.ts'));
const imported = since(beforeImport);
await idle();

const start = now();
const processor = new ToolSearchProcessor({ tools } as never);
if ('__registerMastra' in processor) processor.__registerMastra(mastra);
const created = since(start);
const request = new AgentRequest(processor);
const stepTools = await request.step();
const stepped = since(start);
await search(stepTools, order.queries[0] ?? '');
const searched = since(start);
await idle();

const times: number[] = [];
for (const query of order.queries.slice(1)) {
  const others = await new AgentRequest(processor).step();
  const begin = performance.now();
  await search(others, query);
  times.push(performance.now() - begin);
}
const answer: ColdTimes = {
  import: imported.wall,
  importCpu: imported.cpu,
  constructor: created.wall,
  step: stepped.wall - created.wall,
  search: searched.wall - stepped.wall,
  cold: searched.wall,
  coldCpu: searched.cpu,
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
};
console.log(JSON.stringify(answer));

interface Moment {
  readonly wall: number;
  readonly cpu: number;
}

function now(): Moment {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1_000 };
}

function since(before: Moment): Moment {
  const { wall, cpu } = now();
  return { wall: wall - before.wall, cpu: cpu - before.cpu };
}

/** Lets what was begun come to an end, so that it is not counted to what follows. */
async function idle(): Promise<void> {
  globalThis.gc?.();
  await setTimeout(50);
}
