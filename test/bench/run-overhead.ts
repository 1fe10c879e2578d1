// What a processor adds to one run of a real agent whose model answers at once: `npm run bench:run-overhead`.
// Exits with 1 when Mastra converts more than the loaded tools of a large catalog.
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor, type InputProcessor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { type MastraTool, ToolSearchProcessor } from '../../src/index.ts';
import { scriptedModel, userText } from '../support/scripted-model.ts';

const SIZES = [100, 500, 1_000, 10_000] as const;
/** Up to so many tools, all are handed to Mastra to convert; above, only the loaded ones may be. */
const CONVERT_ALL_UP_TO = 500;
const LOADED = 5;
const RUNS = 150;
const WARM_UP = 15;

interface Contestant {
  readonly name: string;
  /** One run of one step. */
  run(): Promise<void>;
  /** Tools whose schema was read since the last time, of which the converted ones are a part. */
  takeRead(): number;
}

interface Measured {
  readonly name: string;
  readonly milliseconds: number;
  readonly converted: number;
}

/** Tools that tell when their schema is read, which no conversion can do without. */
function catalog(size: number, read: Set<string>): Record<string, MastraTool> {
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

const loaded = Array.from({ length: LOADED }, (_, n) => `tool_${n}`);

async function contestant(
  name: string,
  size: number,
  settings: (tools: Record<string, MastraTool>) => {
    inputProcessors?: InputProcessor[];
    tools?: Record<string, MastraTool>;
  },
): Promise<Contestant> {
  const read = new Set<string>();
  const model = scriptedModel(({ prompt, step }) =>
    userText(prompt) === 'load' && step === 0
      ? { toolCalls: [{ toolName: 'load_tool', input: { toolNames: loaded } }] }
      : { text: 'done' },
  );
  const agent = new Agent({
    id: 'bench',
    name: 'Bench',
    instructions: 'Help.',
    model,
    ...settings(catalog(size, read)),
  });
  const run = async (text: string): Promise<void> => {
    await agent.generate(text, {
      requestContext: new RequestContext([
        ['mastra__threadId', 'thread'],
        ['mastra__resourceId', 'resource'],
      ]),
    });
  };
  await run('load');
  await run('hello');
  const sent = new Set(model.calls.at(-1)?.tools.map((tool) => tool.name));
  if (!loaded.every((tool) => sent.has(tool))) throw new Error(`${name} does not send the loaded tools: ${[...sent]}`);
  return {
    name,
    run: () => run('hello'),
    takeRead() {
      const count = read.size;
      read.clear();
      return count;
    },
  };
}

async function measure(size: number): Promise<readonly Measured[]> {
  const contestants = await Promise.all([
    contestant('no processor', size, (tools) => ({
      tools: Object.fromEntries(loaded.map((name) => [name, tools[name] as MastraTool])),
    })),
    contestant('mastra-tool-search', size, (tools) => ({ inputProcessors: [new ToolSearchProcessor({ tools })] })),
    contestant("onMiss: 'run'", size, (tools) => ({
      inputProcessors: [new ToolSearchProcessor({ tools, onMiss: 'run' })],
    })),
    contestant('@mastra/core', size, (tools) => ({ inputProcessors: [new CoreProcessor({ tools })] })),
  ]);
  const times = contestants.map((): number[] => []);
  const converted = contestants.map(() => 0);
  for (let round = -WARM_UP; round < RUNS; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      // Each is the first as often as the last.
      const position = (turn + round + WARM_UP) % contestants.length;
      const one = contestants[position] as Contestant;
      one.takeRead();
      const start = performance.now();
      await one.run();
      const time = performance.now() - start;
      if (round < 0) continue;
      times[position]?.push(time);
      converted[position] = Math.max(converted[position] ?? 0, one.takeRead());
    }
  }
  return contestants.map(({ name }, position) => ({
    name,
    milliseconds: median(times[position] ?? []),
    converted: converted[position] ?? 0,
  }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

console.log(`One run of one step with ${LOADED} loaded tools; medians of ${RUNS} runs, in turns.\n`);
console.log('| tools | | ms a run | more than without | ratio | tools converted |');
console.log('|---:|---|---:|---:|---:|---:|');
let isFaulty = false;
for (const size of SIZES) {
  const all = await measure(size);
  const without = all[0]?.milliseconds ?? Number.NaN;
  for (const { name, milliseconds, converted } of all) {
    const cells = [
      size.toLocaleString('en'),
      name,
      milliseconds.toFixed(2),
      (milliseconds - without).toFixed(2),
      (milliseconds / without).toFixed(2),
      String(converted),
    ];
    console.log(`| ${cells.join(' | ')} |`);
    if (name === 'mastra-tool-search' && size > CONVERT_ALL_UP_TO && converted > LOADED) isFaulty = true;
  }
}
if (isFaulty) {
  console.error(`\nMore than the ${LOADED} loaded tools were converted.`);
  process.exitCode = 1;
}
