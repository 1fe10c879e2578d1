// Prints the KB a tool that a processor takes after some searches, beyond the tools: a process of its own for each.
import { setTimeout } from 'node:timers/promises';
import { AgentRequest, mastraTools, type Processor } from '../agent-request.ts';
import { create, type Side } from '../processors.ts';
import { collectGarbage } from '../statistics.ts';
import { FIRST_QUERY, plainCatalog, queriesIn, toolsOf } from './catalogs.ts';

const SEARCHES = 20;

const [side, size, folder] = process.argv.slice(2) as [Side, string, string?];
const queries = [FIRST_QUERY, ...queriesIn().slice(0, SEARCHES)];
const catalog = toolsOf(plainCatalog(folder), Number(size));
const tools = mastraTools(catalog);

// What is read once in a process is not a tool's.
await searched(create[side]({ tools: mastraTools(catalog.slice(0, 10)) }));

const before = await bytes();
const processor = create[side]({ tools });
await searched(processor);
console.log(((await bytes()) - before) / 1024 / Number(size));
// Both are in use until here.
if (Object.keys(tools).length + Object.keys(processor).length === 0) throw new Error('There is nothing left.');

async function searched(one: Processor): Promise<void> {
  for (const query of queries) await new AgentRequest(one).search(query);
}

async function bytes(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await setTimeout(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
