// Prints the KB a tool that a processor takes after some searches, beyond the tools: a process of its own for each.
import { setTimeout } from 'node:timers/promises';
import { AgentRequest, mastraTools, type Processor } from '../agent-request.ts';
import { create, type Side } from '../processors.ts';
import { collectGarbage } from '../statistics.ts';
import { FIRST_QUERY, plainCatalog, queriesFor, toolsOf } from './catalogs.ts';

/** What the process measures, as its only argument in JSON. */
export interface HeapOrder {
  readonly side: Side;
  readonly size: number;
  readonly catalog: string;
}

const SEARCHES = 20;

const order = JSON.parse(process.argv[2] ?? '') as HeapOrder;
const plain = plainCatalog(order.catalog);
const queries = queriesFor(plain).texts.slice(0, SEARCHES);
const catalog = toolsOf(plain, order.size);
const tools = mastraTools(catalog);

// What is read once in a process is not a tool's.
await searched(create[order.side]({ tools: mastraTools(catalog.slice(0, 10)) }));

const before = await bytes();
const processor = create[order.side]({ tools });
await searched(processor);
const taken = (await bytes()) - before;
console.log(taken / 1024 / order.size);
// Both are in use until here.
if (Object.keys(tools).length + Object.keys(processor).length === 0) throw new Error('There is nothing left.');

async function searched(one: Processor): Promise<void> {
  for (const query of [FIRST_QUERY, ...queries]) await new AgentRequest(one).search(query);
}

async function bytes(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await setTimeout(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
