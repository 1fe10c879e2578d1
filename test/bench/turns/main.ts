// What a task costs, one way to send tools beside the other: npm run bench:turns
//   -- --sets FOLDER   labelled sets other than mcp-dev, each in a folder of its own
//   -- --tasks 50      of each set, taken evenly
// Real agents run each task with a model that acts on what it is sent alone; see task-model.ts.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type LabelledSet, readSet, readSets } from '../retrieval/sets.ts';
import { textTable } from '../retrieval/table.ts';
import { type Cost, costOf, mean } from './cost.ts';
import { sampleInput } from './sample-input.ts';
import { toolsOfSet, withKnownTypes } from './tools.ts';
import { variants } from './variants.ts';

const { values } = parseArgs({
  options: { sets: { type: 'string' }, tasks: { type: 'string', default: '100' }, only: { type: 'string' } },
});
const own = fileURLToPath(new URL('../../fixtures/mcp-dev', import.meta.url));
const sets = values.sets === undefined ? [readSet(own)] : readSets(path.resolve(values.sets));
const chosen = variants.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name));

for (const set of sets) {
  const tasks = evenly(set.queries, Number(values.tasks));
  console.log(`${set.name}: ${set.tools.length} tools, ${tasks.length} tasks, the mean of a task\n`);
  const rows: string[][] = [];
  let fewest: number | undefined;
  for (const variant of chosen) {
    const cost = mean(await runAll(set, tasks, variant));
    fewest ??= cost.modelCalls;
    rows.push([variant.name, ...cells(cost, fewest)]);
  }
  console.log(
    textTable([
      ['', 'done %', 'model calls', 'of all sent', 'definitions', 'tokens', 'from cache', 'written anew', 'ms of ours'],
      ...rows,
    ]),
  );
  console.log();
}
console.log('Definitions: those that the model reads, added up over its calls. Tokens are estimated (tokenx).');
console.log('From cache: tokens up to the first difference from the request before.');

async function runAll(
  set: LabelledSet,
  tasks: LabelledSet['queries'],
  variant: (typeof variants)[number],
): Promise<readonly Cost[]> {
  const executed: string[] = [];
  const tools = toolsOfSet(set.tools, (id) => executed.push(id));
  const agentOf = variant.make(tools);
  const schemas = new Map(set.tools.map(({ id, inputSchema }) => [id, withKnownTypes(inputSchema)]));
  const inputOf = (name: string): unknown => sampleInput(schemas.get(name));
  const costs: Cost[] = [];
  for (const task of tasks) {
    executed.length = 0;
    costs.push(await costOf(task, agentOf, executed, inputOf));
  }
  return costs;
}

function cells(cost: Cost, fewest: number): string[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  return [
    (cost.isDone * 100).toFixed(0),
    cost.modelCalls.toFixed(2),
    (cost.modelCalls / fewest).toFixed(2),
    whole(cost.definitions),
    whole(cost.tokens),
    whole(cost.cached),
    whole(cost.tokens - cost.cached),
    cost.milliseconds.toFixed(1),
  ];
}

function evenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, n) => items[Math.floor((n * items.length) / count)] as Item);
}
