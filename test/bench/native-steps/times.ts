// What native mode adds to a step with 1,000 tools. The same agent with the same tools, deferred by hand, is what Mastra
// alone takes for them.
import { Agent } from '@mastra/core/agent';
import { scriptedModel } from '../../support/scripted-model.ts';
import { median, timesInTurns } from '../statistics.ts';
import { catalog, type Variant, variants } from './requests.ts';

const TOOLS = 1_000;
const STEPS = 8;
const RUNS = 25;
const WARM_UP = 5;
/** Milliseconds that a step may take more than Mastra alone. */
const MOST = 15;
const MOST_OF_APPEND = 5;

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

/** The model as a package that sends definitions in mid-conversation: it refuses what is none, and the file behind one. */
function sendingDefinitions<Model extends object>(model: Model): Model {
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== 'doGenerate') return value;
      return (call: { readonly prompt: readonly object[] }) => {
        const asked = JSON.stringify(call.prompt);
        const name = asked.includes('"name":7') ? 'AI_InvalidArgumentError' : 'AI_UnsupportedFunctionalityError';
        return asked.includes('application/x-nothing')
          ? Promise.reject(Object.assign(new Error('no'), { name }))
          : (value as (given: object) => unknown).call(target, call);
      };
    },
  });
}

/** One run of `STEPS` steps, each of which calls a tool but the last. */
function runner({ provider, modelId }: Dialect, settings: object, found: string): () => Promise<void> {
  const model = scriptedModel(
    ({ step }) => (step < STEPS - 1 ? { toolCalls: [{ toolName: found, input: { query: 'x' } }] } : { text: 'done' }),
    { provider, modelId },
  );
  const agent = new Agent({
    ...{ id: 'bench', name: 'Bench', instructions: 'Help.' },
    model: sendingDefinitions(model) as never,
    ...settings,
  });
  return async () => {
    const before = model.calls.length;
    await agent.generate('hello', { maxSteps: STEPS });
    const calls = model.calls.length - before;
    if (calls !== STEPS) throw new Error(`${calls} model calls, not ${STEPS}`);
    const sent = model.calls.at(-1)?.tools.length ?? 0;
    if (settings && found === 'tool_1' && sent < TOOLS) throw new Error(`${sent} tools were sent, not ${TOOLS}`);
  };
}

/** Prints what a step takes in each variant, and returns the bars that were missed. */
export async function missedTimes(): Promise<readonly string[]> {
  const missed: string[] = [];
  console.log(`${TOOLS} tools, ${STEPS} steps a run, median of ${RUNS} runs, ms a step`);
  for (const dialect of DIALECTS) {
    const contestants = contestantsOf(dialect);
    const runs = contestants.map(({ run }) => run);
    const all = await timesInTurns(runs, { rounds: RUNS, warmUp: WARM_UP });
    const times = all.map((each) => median(each) / STEPS);
    const base = times[0] ?? 0;
    const core = times[contestants.findIndex(({ name }) => name === 'core')] ?? 0;
    for (const [position, { name }] of contestants.entries()) {
      const time = times[position] ?? 0;
      const added = time - base;
      const most = name === 'append' ? MOST_OF_APPEND : MOST;
      if (added > most && name !== 'core')
        missed.push(`${dialect.options}, ${name}: ${added.toFixed(1)} ms, not ${most}`);
      const more = position === 0 ? '' : `${added >= 0 ? '+' : ''}${added.toFixed(1)}`;
      const ratio = `${(time / core).toFixed(2)} of core`;
      const cells = [dialect.options.padEnd(10), name.padEnd(28), time.toFixed(1).padStart(6), more.padStart(6), ratio];
      console.log(cells.join(' '));
    }
  }
  return missed;
}

interface Contestant {
  readonly name: string;
  run(): Promise<void>;
}

function contestantsOf(dialect: Dialect): readonly Contestant[] {
  const byHand = { [dialect.options]: { deferLoading: true } };
  const all = catalog(TOOLS, { providerOptions: byHand });
  return [
    { name: 'Mastra alone', run: runner(dialect, { tools: { ...all, ...dialect.search } }, 'tool_1') },
    ...variants.map((variant) => ({
      name: variant.name,
      run: runner(dialect, { inputProcessors: [variant.make({ tools: catalog(TOOLS) })] }, calledIn(variant, dialect)),
    })),
  ];
}

/** What the model calls in each step: a deferred tool, or the search where the request holds no others. */
function calledIn({ name }: Variant, { options }: Dialect): string {
  if (name === 'server' || (name === 'client' && options === 'anthropic')) return 'tool_1';
  return name === 'core' || options === 'anthropic' ? 'search_tools' : 'tool_search';
}
