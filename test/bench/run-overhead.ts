// What a processor adds to one run of a real agent whose model answers at once: npm run bench:run-overhead
// Exits with 1 when Mastra converts more than the loaded tools of a large catalog.
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { type MastraTool, ToolSearchProcessor } from '../../src/index.ts';
import { scriptedModel, userText } from '../support/scripted-model.ts';
import { table } from './report.ts';
import { median, timesInTurns } from './statistics.ts';

const SIZES = [100, 500, 1_000, 10_000];
/** Up to so many tools, all are handed to Mastra to convert; above, only the loaded ones may be. */
const CONVERT_ALL_UP_TO = 500;
const RUNS = 150;

type Tools = Record<string, MastraTool>;
const loaded = Array.from({ length: 5 }, (_, n) => `tool_${n}`);

const WAYS: Readonly<Record<string, (tools: Tools) => { inputProcessors?: InputProcessor[]; tools?: Tools }>> = {
  'no processor': (tools) => ({ tools: Object.fromEntries(loaded.map((name) => [name, tools[name]!])) }),
  'mastra-tool-search': (tools) => ({ inputProcessors: [new ToolSearchProcessor({ tools })] }),
  '@mastra/core': (tools) => ({ inputProcessors: [new CoreProcessor({ tools })] }),
};

const rows: string[][] = [];
for (const size of SIZES) {
  /** The most tools whose schema a run has read, as every conversion does. */
  const converted: number[] = [];
  const runs = await Promise.all(Object.keys(WAYS).map((name, at) => runOf(name, size, (n) => (converted[at] = n))));
  const times = (await timesInTurns(runs, { rounds: RUNS, warmUp: 15 })).map(median);
  for (const [at, name] of Object.keys(WAYS).entries()) {
    const figures = [times[at]!, times[at]! - times[0]!, times[at]! / times[0]!].map((figure) => figure.toFixed(2));
    rows.push([size.toLocaleString('en'), name, ...figures, String(converted[at])]);
    if (name !== 'mastra-tool-search' || size <= CONVERT_ALL_UP_TO || converted[at]! <= loaded.length) continue;
    console.error(`More than the ${loaded.length} loaded tools were converted.`);
    process.exitCode = 1;
  }
}
console.log(`One run of one step with ${loaded.length} loaded tools; medians of ${RUNS} runs, in turns.\n`);
console.log(table([['tools', '', 'ms a run', 'more than without', 'ratio', 'tools converted'], ...rows]));

/** A run of one step, which reports the most tools that a run has converted. */
async function runOf(name: string, size: number, report: (most: number) => void): Promise<() => Promise<void>> {
  const read = new Set<string>();
  const model = scriptedModel(({ prompt, step }) =>
    userText(prompt) === 'load' && step === 0
      ? { toolCalls: [{ toolName: 'load_tool', input: { toolNames: loaded } }] }
      : { text: 'done' },
  );
  const parts = WAYS[name]!(catalog(size, read));
  const agent = new Agent({ id: 'bench', name: 'Bench', instructions: 'Help.', model, ...parts });
  const say = async (text: string): Promise<void> => {
    const identity = Object.entries({ mastra__threadId: 'thread', mastra__resourceId: 'resource' });
    await agent.generate(text, { requestContext: new RequestContext(identity as never) });
  };
  // The index is there: to build it reads the schemas, too.
  for (const processor of parts.inputProcessors ?? [])
    if (processor instanceof ToolSearchProcessor) await processor.search('task');
  await say('load');
  await say('hello');
  const sent = new Set(model.calls.at(-1)?.tools.map((tool) => tool.name));
  if (!loaded.every((tool) => sent.has(tool))) throw new Error(`${name} does not send the loaded tools: ${[...sent]}`);
  let most = 0;
  return async () => {
    read.clear();
    await say('hello');
    most = Math.max(most, read.size);
    report(most);
  };
}

/** Tools that note when their schema is read. */
function catalog(size: number, read: Set<string>): Tools {
  const tools = Array.from({ length: size }, (_, n) => {
    const id = `tool_${n}`;
    const inputSchema = z.object({ query: z.string().describe('What to look for.'), limit: z.number().optional() });
    const tool = createTool({ id, description: `Does task number ${n}.`, inputSchema, execute: async () => n });
    const { inputSchema: schema } = tool;
    const get = () => {
      read.add(id);
      return schema;
    };
    Object.defineProperty(tool, 'inputSchema', { enumerable: true, get });
    return [id, tool];
  });
  return Object.fromEntries(tools);
}
