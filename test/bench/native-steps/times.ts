// What native mode adds to a step with 1,000 tools. The same agent with the same tools, deferred by hand, is what Mastra
// alone takes for them.
import { Agent } from '@mastra/core/agent';
import { scriptedModel } from '../../support/scripted-model.ts';
import { table } from '../report.ts';
import { median, timesInTurns } from '../statistics.ts';
import { catalog, type Dialect, type VariantName, variants } from './requests.ts';

const TOOLS = 1_000;
const STEPS = 8;
const RUNS = 25;
/** Milliseconds that a step may take more than Mastra alone. */
const MOST = { client: 15, server: 15, append: 5, core: Number.POSITIVE_INFINITY };

const search = (id: string, name: string) => ({ [name]: { type: 'provider-defined', id, name, args: {} } });
const DIALECTS = {
  anthropic: {
    identity: { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
    search: search('anthropic.tool_search_bm25_20251119', 'tool_search_tool_bm25'),
  },
  openai: {
    identity: { provider: 'openai.responses', modelId: 'gpt-5.4' },
    search: search('openai.tool_search', 'tool_search'),
  },
} as const;

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
function runner(dialect: Dialect, settings: object, toolName: string): () => Promise<void> {
  const model = scriptedModel(
    ({ step }) => (step < STEPS - 1 ? { toolCalls: [{ toolName, input: { query: 'x' } }] } : { text: 'done' }),
    DIALECTS[dialect].identity,
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
    if (toolName === 'tool_1' && sent < TOOLS) throw new Error(`${sent} tools were sent, not ${TOOLS}`);
  };
}

/** Prints what a step takes in each variant, and returns the bars that were missed. */
export async function missedTimes(): Promise<readonly string[]> {
  const missed: string[] = [];
  const rows: string[][] = [];
  for (const dialect of ['anthropic', 'openai'] as const) {
    const byHand = catalog(TOOLS, { providerOptions: { [dialect]: { deferLoading: true } } });
    const names = Object.keys(variants) as VariantName[];
    const runs = names.map((name) => {
      const inputProcessors = [variants[name]({ tools: catalog(TOOLS) })];
      return runner(dialect, { inputProcessors }, calledIn(name, dialect));
    });
    const alone = runner(dialect, { tools: { ...byHand, ...DIALECTS[dialect].search } }, 'tool_1');
    const all = await timesInTurns([alone, ...runs], { rounds: RUNS, warmUp: 5 });
    const [base = 0, ...times] = all.map((each) => median(each) / STEPS);
    rows.push([`${dialect}: Mastra alone`, base.toFixed(1), '', (base / times[0]!).toFixed(2)]);
    for (const [at, name] of names.entries()) {
      const added = times[at]! - base;
      if (added > MOST[name]) missed.push(`${dialect}, ${name}: ${added.toFixed(1)} ms, not ${MOST[name]}`);
      rows.push([`${dialect}: ${name}`, times[at]!.toFixed(1), added.toFixed(1), (times[at]! / times[0]!).toFixed(2)]);
    }
  }
  console.log(`${TOOLS} tools, ${STEPS} steps a run, median of ${RUNS} runs\n`);
  console.log(table([['', 'ms a step', 'more than alone', 'of core'], ...rows]));
  return missed;
}

/** What the model calls in each step: a deferred tool, or the search where the request holds no others. */
function calledIn(name: VariantName, dialect: Dialect): string {
  if (name === 'server' || (name === 'client' && dialect === 'anthropic')) return 'tool_1';
  return name === 'core' || dialect === 'anthropic' ? 'search_tools' : 'tool_search';
}
