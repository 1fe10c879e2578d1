// What a processor adds to one run of a real agent whose model answers at once: npm run bench:run-overhead
// Exits with 1 when Mastra converts more than the loaded tools of a large catalog.
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { type MastraTool, ToolSearchProcessor } from '../../src/index.ts';
import { scriptedModel, userText } from '../support/scripted-model.ts';
import { median, timesInTurns } from './statistics.ts';
import { markdownTable } from './table.ts';

const SIZES = [100, 500, 1_000, 10_000] as const;
/** Up to so many tools, all are handed to Mastra to convert; above, only the loaded ones may be. */
const CONVERT_ALL_UP_TO = 500;
const RUNS = 150;
const WARM_UP = 15;

type Tools = Record<string, MastraTool>;
const loaded = Array.from({ length: 5 }, (_, n) => `tool_${n}`);

const WAYS: Readonly<Record<string, (tools: Tools) => { inputProcessors?: InputProcessor[]; tools?: Tools }>> = {
  'no processor': (tools) => ({ tools: Object.fromEntries(loaded.map((name) => [name, tools[name]!])) }),
  'mastra-tool-search': (tools) => ({ inputProcessors: [new ToolSearchProcessor({ tools })] }),
  "onMiss: 'run'": (tools) => ({ inputProcessors: [new ToolSearchProcessor({ tools, onMiss: 'run' })] }),
  '@mastra/core': (tools) => ({ inputProcessors: [new CoreProcessor({ tools })] }),
};

const rows: string[][] = [];
for (const size of SIZES) {
  const runs = await Promise.all(Object.keys(WAYS).map((name) => runOf(name, size)));
  const times = await timesInTurns(runs, { rounds: RUNS, warmUp: WARM_UP });
  const without = median(times[0]!);
  for (const [position, name] of Object.keys(WAYS).entries()) {
    const time = median(times[position]!);
    const { converted } = runs[position]!;
    const figures = [time, time - without, time / without].map((figure) => figure.toFixed(2));
    rows.push([size.toLocaleString('en'), name, ...figures, String(converted)]);
    if (name !== 'mastra-tool-search' || size <= CONVERT_ALL_UP_TO || converted <= loaded.length) continue;
    console.error(`More than the ${loaded.length} loaded tools were converted.`);
    process.exitCode = 1;
  }
}
console.log(`One run of one step with ${loaded.length} loaded tools; medians of ${RUNS} runs, in turns.\n`);
console.log(markdownTable([['tools', '', 'ms a run', 'more than without', 'ratio', 'tools converted'], ...rows]));

interface Run {
  /** One run of one step. */
  (): Promise<void>;
  /** The most tools whose schema a run has read, as every conversion does. */
  converted: number;
}

async function runOf(name: string, size: number): Promise<Run> {
  const read = new Set<string>();
  const model = scriptedModel(({ prompt, step }) =>
    userText(prompt) === 'load' && step === 0
      ? { toolCalls: [{ toolName: 'load_tool', input: { toolNames: loaded } }] }
      : { text: 'done' },
  );
  const parts = WAYS[name]!(catalog(size, read));
  const agent = new Agent({ id: 'bench', name: 'Bench', instructions: 'Help.', model, ...parts });
  const say = async (text: string): Promise<void> => {
    const identity = [
      ['mastra__threadId', 'thread'],
      ['mastra__resourceId', 'resource'],
    ] as const;
    await agent.generate(text, { requestContext: new RequestContext(identity) });
  };
  await say('load');
  await say('hello');
  const sent = new Set(model.calls.at(-1)?.tools.map((tool) => tool.name));
  if (!loaded.every((tool) => sent.has(tool))) throw new Error(`${name} does not send the loaded tools: ${[...sent]}`);
  const run: Run = async () => {
    read.clear();
    await say('hello');
    run.converted = Math.max(run.converted, read.size);
  };
  run.converted = 0;
  return run;
}

/** Tools that note when their schema is read. */
function catalog(size: number, read: Set<string>): Tools {
  const tool = (n: number): MastraTool => {
    const id = `tool_${n}`;
    const inputSchema = z.object({ query: z.string().describe('What to look for.'), limit: z.number().optional() });
    const made = createTool({ id, description: `Does task number ${n}.`, inputSchema, execute: async () => n });
    const { inputSchema: schema } = made;
    Object.defineProperty(made, 'inputSchema', {
      enumerable: true,
      get() {
        read.add(id);
        return schema;
      },
    });
    return made as unknown as MastraTool;
  };
  return Object.fromEntries(Array.from({ length: size }, (_, n) => [`tool_${n}`, tool(n)]));
}
