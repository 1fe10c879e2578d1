// What a task costs, one way to send tools beside the other: npm run bench:turns
// Real agents run each task with a model that acts on what it is sent alone; see task.ts.
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context';
import { createCodeMode } from '@mastra/core/tools';
import { quickJsTransport } from '../../../src/entries/quickjs.ts';
import type { MastraTool, ToolSearchProcessorOptions } from '../../../src/index.ts';
import { estimateTokens } from '../../../src/util/tokens.ts';
import { commonLength } from '../../support/common-length.ts';
import { type ScriptedModel, scriptedModel, shownTools } from '../../support/scripted-model.ts';
import { quietProcessor } from '../processors.ts';
import { optionsOf, table } from '../report.ts';
import { type LabelledQuery, type LabelledSet, needsOf, setsIn } from '../retrieval/sets.ts';
import { mean, sum } from '../statistics.ts';
import { sampleInput, taskModel, toolsOfSet, withKnownTypes } from './task.ts';

const INSTRUCTIONS = 'Do what the user asks with the tools. Search for a tool when you have none that fits.';
const transport = quickJsTransport();

type Tools = Record<string, MastraTool>;
/** What an agent has beside its model, for a catalog. */
type Parts = (tools: Tools) => object;

/** The ways to send the tools of a catalog. */
const WAYS: Readonly<Record<string, Parts>> = {
  'all sent': (tools) => ({ tools }),
  '@mastra/core': (tools) => ({ inputProcessors: [new CoreProcessor({ tools })] }),
  load: ours({}),
  'load + autoLoad': ours({ search: { autoLoad: true } }),
  'load + preselect': ours({ preselect: true }),
  call: ours({ mode: 'call' }),
  'call + preselect': ours({ mode: 'call', preselect: true }),
  'core code mode': (tools) => {
    const { tool, instructions } = createCodeMode({ tools } as never, transport);
    return { tools: { execute_typescript: tool }, instructions: `${INSTRUCTIONS}\n${instructions}` };
  },
  code: ours({ mode: 'code', code: { transport } }),
  'code + preselect': ours({ mode: 'code', code: { transport }, preselect: true }),
  native: ours({ mode: 'native' }),
  'native + preselect': ours({ mode: 'native', preselect: true }),
};

/** Names of meta-tools, which no tool of a catalog may have in one of the modes. */
const RESERVED: readonly string[] = ['search_tools', 'load_tool', 'call_tool', 'tool_search', 'execute_typescript'];

function withoutReserved({ name, tools, queries }: LabelledSet): LabelledSet {
  return {
    name,
    tools: tools.filter(({ id }) => !RESERVED.includes(id)),
    queries: queries.filter(({ relevant }) => !relevant.some((id) => RESERVED.includes(id))),
  };
}

function ours(options: Omit<ToolSearchProcessorOptions, 'tools'>): Parts {
  return (tools) => ({ inputProcessors: [quietProcessor({ ...options, tools })] });
}

/** So that a definition, which is part of thousands of requests, is estimated once. */
const estimates = new Map<string, number>();

const USAGE = `npm run bench:turns -- [options]
  --sets FOLDER   all sets in this folder, instead of mcp-dev
  --tasks N       so many of each set, taken evenly (100)
  --ways A,B      only these: ${Object.keys(WAYS).join(', ')}`;
const options = optionsOf(USAGE, { sets: undefined, tasks: '100', ways: Object.keys(WAYS).join(',') });
for (const all of setsIn(options.sets)) {
  const set = withoutReserved(all);
  const count = Math.min(set.queries.length, Number(options.tasks));
  const tasks = Array.from({ length: count }, (_, n) => set.queries[Math.floor((n * set.queries.length) / count)]!);
  console.log(`${set.name}: ${set.tools.length} tools, ${count} tasks, the mean of a task\n`);
  const rows: string[][] = [];
  let callsOfAllSent = 0;
  for (const [name, parts] of Object.entries(WAYS).filter(([way]) => options.ways.split(',').includes(way))) {
    const [isDone, calls, ...counts] = await costOf(set, tasks, parts);
    callsOfAllSent ||= calls!;
    rows.push([
      ...[name, (isDone! * 100).toFixed(0), calls!.toFixed(2), (calls! / callsOfAllSent).toFixed(2)],
      ...counts.map((each) => Math.round(each).toLocaleString('en')),
    ]);
  }
  const heading = ['', 'done %', 'model calls', 'of all sent', 'definitions', 'tokens', 'from cache', 'written anew'];
  console.log(`${table([heading, ...rows])}\n`);
}
console.log('Definitions: those that the model reads, added up over its calls. Tokens are estimated (tokenx).');
console.log('From cache: tokens up to the first difference from the request before.');

/**
 * The means of all tasks: whether every need was met, model calls, definitions that the model read over them, tokens, and
 * of these the part that equals the request before, from its beginning, and the rest.
 */
async function costOf(set: LabelledSet, tasks: readonly LabelledQuery[], partsOf: Parts): Promise<readonly number[]> {
  const executed: string[] = [];
  const parts = partsOf(toolsOfSet(set.tools, (id) => executed.push(id)));
  const schemas = new Map(set.tools.map(({ id, inputSchema }) => [id, withKnownTypes(inputSchema)]));
  const inputOf = (name: string): unknown => sampleInput(schemas.get(name));
  const identity = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
  const costs: number[][] = [];
  for (const task of tasks) {
    executed.length = 0;
    const model = scriptedModel<'v3'>(taskModel(task, executed, inputOf), identity);
    const agent = new Agent({ id: 'bench', name: 'Bench', instructions: INSTRUCTIONS, model, ...parts } as never);
    // A conversation of its own: without a thread, @mastra/core has it share what all others loaded.
    const requestContext = new RequestContext<unknown>([[MASTRA_THREAD_ID_KEY, task.query]]);
    await agent.generate(task.task ?? task.query, { maxSteps: 30, requestContext });
    const isDone = needsOf(task).every((group) => group.some((name) => executed.includes(name)));
    costs.push([Number(isDone), ...readBy(model)]);
  }
  return costs[0]!.map((_, figure) => mean(costs.map((cost) => cost[figure]!)));
}

function readBy({ calls }: ScriptedModel<'v3'>): readonly number[] {
  // What the model reads, in the order in which providers keep it: tools, then messages.
  const requests = calls.map((call) => [...shownTools(call), ...call.prompt].map((part) => JSON.stringify(part)));
  const tokens = sum(requests.flatMap((parts) => parts.map(tokensOf)));
  const cached = sum(requests.map((parts, n) => cachedTokens(requests[n - 1] ?? [], parts)));
  return [calls.length, sum(calls.map((call) => shownTools(call).length)), tokens, cached, tokens - cached];
}

/** The tokens of a request that equal those of the one before, from its beginning. */
function cachedTokens(before: readonly string[], parts: readonly string[]): number {
  const firstNew = parts.findIndex((part, n) => part !== before[n]);
  if (firstNew < 0) return sum(parts.map(tokensOf));
  const part = parts[firstNew]!;
  const alike = part.slice(0, commonLength(before[firstNew] ?? '', part));
  return sum(parts.slice(0, firstNew).map(tokensOf)) + tokensOf(alike);
}

function tokensOf(text: string): number {
  const tokens = estimates.get(text) ?? estimateTokens(text);
  estimates.set(text, tokens);
  return tokens;
}
