// Prints what a first search takes in a process that has searched nothing yet, and the searches behind it.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { MessageList } from '@mastra/core/agent/message-list';
import { Mastra } from '@mastra/core/mastra';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { AgentRequest, type ListedTool, mastraTools, search } from '../agent-request.ts';
import { percentile } from '../statistics.ts';

/** What the process measures, as its only argument in JSON. */
export interface ColdOrder {
  /** A file with the tools of the catalog. */
  readonly tools: string;
  /** The main entry of a built package; without it, @mastra/core's class is measured. */
  readonly build?: string;
  /** The first is the first search. */
  readonly queries: readonly string[];
}

/** What one process took, in milliseconds. */
export interface ColdTimes {
  readonly constructor: number;
  readonly step: number;
  readonly search: number;
  /** The constructor, the first step and the first search. */
  readonly cold: number;
  /** The searches behind the first, each for a query that is new. */
  readonly p50: number;
  readonly p99: number;
  /** Importing the package, where @mastra/core and zod are there. Nothing for core. */
  readonly import: number;
}

const order = JSON.parse(process.argv[2] ?? '') as ColdOrder;
const tools = mastraTools(JSON.parse(readFileSync(order.tools, 'utf8')) as readonly ListedTool[]);
// What a search and a step need of Mastra in either case.
const mastra = new Mastra({ logger: false });
new MessageList({ threadId: 'other' }).add('Help me with this.', 'input').get.all.db();
new RequestContext([['mastra__threadId', 'other']]);
await idle();

const beforeImport = performance.now();
const { ToolSearchProcessor } =
  order.build === undefined
    ? { ToolSearchProcessor: CoreProcessor }
    : ((await import(pathToFileURL(order.build).href)) as typeof import('../../../src/index.ts'));
const imported = performance.now() - beforeImport;
await idle();

const start = performance.now();
const processor = new ToolSearchProcessor({ tools } as never);
if ('__registerMastra' in processor) processor.__registerMastra(mastra);
const created = performance.now() - start;
const stepTools = await new AgentRequest(processor).step();
const stepped = performance.now() - start;
await search(stepTools, order.queries[0]!);
const searched = performance.now() - start;
await idle();

const times: number[] = [];
for (const query of order.queries.slice(1)) {
  const others = await new AgentRequest(processor).step();
  const begin = performance.now();
  await search(others, query);
  times.push(performance.now() - begin);
}
const answer: ColdTimes = {
  ...{ constructor: created, step: stepped - created, search: searched - stepped, cold: searched },
  ...{ p50: percentile(times, 0.5), p99: percentile(times, 0.99), import: imported },
};
console.log(JSON.stringify(answer));

/** Lets what was begun come to an end, so that it is not counted to what follows. */
async function idle(): Promise<void> {
  globalThis.gc?.();
  await setTimeout(50);
}
