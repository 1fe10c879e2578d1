// What native mode adds to a step with 1,000 deferred tools: `npm run bench:native-steps`. The same agent with the same
// tools, deferred by hand, is what Mastra alone takes for them. Exits with 1 above 15 ms a step.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { type MastraTool, type NativeOptions, ToolSearchProcessor } from '../../src/index.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const TOOLS = 1_000;
const STEPS = 8;
const RUNS = 25;
const WARM_UP = 5;
const MOST = 15;

interface Dialect {
  readonly provider: string;
  readonly modelId: string;
  readonly options: string;
  readonly search: Readonly<Record<string, object>>;
}

const DIALECTS: readonly Dialect[] = [
  {
    provider: 'anthropic.messages',
    modelId: 'claude-sonnet-4-5',
    options: 'anthropic',
    search: {
      tool_search_tool_bm25: {
        type: 'provider-defined',
        id: 'anthropic.tool_search_bm25_20251119',
        name: 'tool_search_tool_bm25',
        args: {},
      },
    },
  },
  {
    provider: 'openai.responses',
    modelId: 'gpt-5.4',
    options: 'openai',
    search: { tool_search: { type: 'provider-defined', id: 'openai.tool_search', name: 'tool_search', args: {} } },
  },
];

function catalog(providerOptions: object): Record<string, MastraTool> {
  const tool = (n: number): MastraTool =>
    createTool({
      id: `tool_${n}`,
      description: `Does task number ${n}, which no other tool does.`,
      inputSchema: z.object({ query: z.string().describe('What to look for.'), limit: z.number().optional() }),
      execute: async () => n,
      ...providerOptions,
    }) as unknown as MastraTool;
  return Object.fromEntries(Array.from({ length: TOOLS }, (_, n) => [`tool_${n}`, tool(n)]));
}

/** One run of `STEPS` steps, each of which calls a tool but the last. */
function runner({ provider, modelId }: Dialect, settings: object, found: string): () => Promise<void> {
  const model = scriptedModel(
    ({ step }) => (step < STEPS - 1 ? { toolCalls: [{ toolName: found, input: { query: 'x' } }] } : { text: 'done' }),
    { provider, modelId },
  );
  const agent = new Agent({ id: 'bench', name: 'Bench', instructions: 'Help.', model, ...settings });
  return async () => {
    const before = model.calls.length;
    await agent.generate('hello', { maxSteps: STEPS });
    const calls = model.calls.length - before;
    if (calls !== STEPS) throw new Error(`${calls} model calls, not ${STEPS}`);
    const sent = model.calls.at(-1)?.tools.length ?? 0;
    if (settings && found === 'tool_1' && sent < TOOLS) throw new Error(`${sent} tools were sent, not ${TOOLS}`);
  };
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

let isSlow = false;
console.log(`${TOOLS} deferred tools, ${STEPS} steps a run, median of ${RUNS} runs, ms a step`);
for (const dialect of DIALECTS) {
  const byHand = { [dialect.options]: { deferLoading: true } };
  const alone = runner(dialect, { tools: { ...catalog({ providerOptions: byHand }), ...dialect.search } }, 'tool_1');
  const native = (options: NativeOptions): (() => Promise<void>) =>
    runner(
      dialect,
      { inputProcessors: [new ToolSearchProcessor({ tools: catalog({}), mode: 'native', native: options })] },
      options.execution === 'client' && dialect.options === 'openai' ? 'tool_search' : 'tool_1',
    );
  const resolved = new ToolSearchProcessor({
    includeResolvedTools: true,
    mode: 'native',
    native: { execution: 'server' },
  });
  const contestants = [
    { name: 'Mastra alone', run: alone },
    { name: 'server', run: native({ execution: 'server' }) },
    { name: 'client', run: native({ execution: 'client' }) },
    {
      name: 'server, includeResolvedTools',
      run: runner(dialect, { tools: catalog({}), inputProcessors: [resolved] }, 'tool_1'),
    },
  ];
  const times = contestants.map((): number[] => []);
  for (let round = -WARM_UP; round < RUNS; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const position = (turn + round + WARM_UP) % contestants.length;
      const start = performance.now();
      await contestants[position]?.run();
      if (round >= 0) times[position]?.push((performance.now() - start) / STEPS);
    }
  }
  const base = median(times[0] ?? []);
  for (const [position, { name }] of contestants.entries()) {
    const time = median(times[position] ?? []);
    const added = time - base;
    isSlow ||= added > MOST;
    const more = position === 0 ? '' : `  ${added >= 0 ? '+' : ''}${added.toFixed(1)}`;
    console.log(`${dialect.options.padEnd(10)} ${name.padEnd(28)} ${time.toFixed(1).padStart(6)}${more}`);
  }
}
process.exitCode = isSlow ? 1 : 0;
