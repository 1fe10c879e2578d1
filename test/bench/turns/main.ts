// What a task costs, one way to send tools beside the other: npm run bench:turns
//   -- --sets FOLDER   labelled sets other than mcp-dev, each in a folder of its own
//   -- --tasks 50      of each set, taken evenly
// Real agents run each task with a model that acts on what it is sent alone; see task.ts.
import { parseArgs } from 'node:util';
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import type { MastraTool, ToolSearchProcessorOptions } from '../../../src/index.ts';
import { estimateTokens } from '../../../src/util/tokens.ts';
import { commonLength } from '../../support/common-length.ts';
import { type ModelCall, type ScriptedModel, scriptedModel, shownTools } from '../../support/scripted-model.ts';
import { quietProcessor } from '../processors.ts';
import { type LabelledQuery, type LabelledSet, setsIn } from '../retrieval/sets.ts';
import { mean, sum } from '../statistics.ts';
import { textTable } from '../table.ts';
import { needsOf, sampleInput, taskModel, toolsOfSet, withKnownTypes } from './task.ts';

type Tools = Record<string, MastraTool>;
/** What an agent has beside its model. */
interface AgentParts {
  readonly tools?: Tools;
  readonly inputProcessors?: readonly InputProcessor[];
}

/** The ways to send the tools of a catalog. */
const WAYS: Readonly<Record<string, (tools: Tools) => AgentParts>> = {
  'all sent': (tools) => ({ tools }),
  '@mastra/core': (tools) => ({ inputProcessors: [new CoreProcessor({ tools })] }),
  load: ours({}),
  'load + autoLoad': ours({ search: { autoLoad: true } }),
  'load + preselect': ours({ preselect: true }),
  call: ours({ mode: 'call' }),
  'call + preselect': ours({ mode: 'call', preselect: true }),
  native: ours({ mode: 'native' }),
  'native + preselect': ours({ mode: 'native', preselect: true }),
};

function ours(options: Omit<ToolSearchProcessorOptions, 'tools'>): (tools: Tools) => AgentParts {
  return (tools) => ({ inputProcessors: [quietProcessor({ ...options, tools })] });
}

/** What a task cost; counts are those of one run, or means. */
interface Cost {
  /** 1 where every need was met. */
  readonly isDone: number;
  readonly modelCalls: number;
  /** Definitions that the model read, over its calls. */
  readonly definitions: number;
  readonly tokens: number;
  /** The part of `tokens` that equals the request before, from its beginning. */
  readonly cached: number;
}

/** Cache: a definition is part of thousands of requests. */
const estimates = new Map<string, number>();

const { values } = parseArgs({ options: { sets: { type: 'string' }, tasks: { type: 'string', default: '100' } } });
for (const set of setsIn(values.sets)) {
  const tasks = evenly(set.queries, Number(values.tasks));
  console.log(`${set.name}: ${set.tools.length} tools, ${tasks.length} tasks, the mean of a task\n`);
  const rows: string[][] = [];
  let allSent: Cost | undefined;
  for (const [name, partsOf] of Object.entries(WAYS)) {
    const cost = await costOf(set, tasks, partsOf);
    allSent ??= cost;
    const counts = [cost.definitions, cost.tokens, cost.cached, cost.tokens - cost.cached];
    rows.push([
      name,
      (cost.isDone * 100).toFixed(0),
      cost.modelCalls.toFixed(2),
      (cost.modelCalls / allSent.modelCalls).toFixed(2),
      ...counts.map((count) => Math.round(count).toLocaleString('en')),
    ]);
  }
  const heading = ['', 'done %', 'model calls', 'of all sent', 'definitions', 'tokens', 'from cache', 'written anew'];
  console.log(`${textTable([heading, ...rows])}\n`);
}
console.log('Definitions: those that the model reads, added up over its calls. Tokens are estimated (tokenx).');
console.log('From cache: tokens up to the first difference from the request before.');

function evenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, n) => items[Math.floor((n * items.length) / count)] as Item);
}

/** The mean of all tasks. */
async function costOf(
  set: LabelledSet,
  tasks: readonly LabelledQuery[],
  partsOf: (tools: Tools) => AgentParts,
): Promise<Cost> {
  const executed: string[] = [];
  const parts = partsOf(toolsOfSet(set.tools, (id) => executed.push(id)));
  const schemas = new Map(set.tools.map(({ id, inputSchema }) => [id, withKnownTypes(inputSchema)]));
  const inputOf = (name: string): unknown => sampleInput(schemas.get(name));
  const identity = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
  const costs: Cost[] = [];
  for (const task of tasks) {
    executed.length = 0;
    const model = scriptedModel<'v3'>(taskModel(task, executed, inputOf), identity);
    await run(task, model, parts);
    const needs = needsOf(task);
    const isDone = needs.every((group) => group.some((name) => executed.includes(name)));
    costs.push({ isDone: Number(isDone), ...readBy(model) });
  }
  const keys = Object.keys(costs[0] ?? {}) as (keyof Cost)[];
  return Object.fromEntries(keys.map((key) => [key, mean(costs.map((cost) => cost[key]))])) as unknown as Cost;
}

async function run({ task, query }: LabelledQuery, model: ScriptedModel<'v3'>, parts: AgentParts): Promise<void> {
  const instructions = 'Do what the user asks with the tools. Search for a tool when you have none that fits.';
  const agent = new Agent({ id: 'bench', name: 'Bench', instructions, model, ...parts } as never);
  // A conversation of its own: without a thread, @mastra/core has it share what all others loaded.
  const requestContext = new RequestContext<unknown>([[MASTRA_THREAD_ID_KEY, query]]);
  await agent.generate(task ?? query, { maxSteps: 30, requestContext });
}

function readBy({ calls }: ScriptedModel<'v3'>): Omit<Cost, 'isDone'> {
  const requests = calls.map(requestParts);
  return {
    modelCalls: calls.length,
    definitions: sum(calls.map((call) => shownTools(call).length)),
    tokens: sum(requests.map((parts) => sum(parts.map(tokensOf)))),
    cached: sum(requests.map((parts, n) => cachedTokens(requests[n - 1] ?? [], parts))),
  };
}

/** What the model reads, in the order in which providers keep it: tools, then messages. */
function requestParts(call: ModelCall): readonly string[] {
  return [...shownTools(call), ...call.prompt].map((part) => JSON.stringify(part));
}

/** The tokens of a request that equal those of the one before, from its beginning. */
function cachedTokens(before: readonly string[], parts: readonly string[]): number {
  const firstNew = parts.findIndex((part, n) => part !== before[n]);
  if (firstNew < 0) return sum(parts.map(tokensOf));
  const part = parts[firstNew] ?? '';
  const alike = part.slice(0, commonLength(before[firstNew] ?? '', part));
  return sum(parts.slice(0, firstNew).map(tokensOf)) + tokensOf(alike);
}

function tokensOf(text: string): number {
  const tokens = estimates.get(text) ?? estimateTokens(text);
  estimates.set(text, tokens);
  return tokens;
}
