import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RequestContext } from '@mastra/core/request-context';
import type { Memory } from '@mastra/memory';
import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isCallable, type Sent } from '../native/rig/goals.ts';
import {
  call,
  calls,
  email,
  inMastra,
  inThread,
  load,
  newMemory,
  RUNS,
  rig,
  tool,
  toolRecord,
  weather,
} from '../support/agent.ts';
import { modeRig, WAYS } from '../support/modes.ts';
import { READ_TYPESCRIPT } from '../support/new-process.ts';
import { type Script, toolNames, userText } from '../support/scripted-model.ts';
import { callsOf } from './written-calls.ts';

const find = call('search_tools', { query: 'weather' });
/** Two tools: with the answer 7 model calls. */
const twoTools = calls(find, load('get_weather'), call('get_weather'), find, load('send_email'), call('send_email'));
const four = [find, find, find, find];

/** Lets time pass, which goes on by itself as well: Mastra waits for some timers. */
const pass = async (ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 100) {
    await vi.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
};
/** Longer than it takes to see that no further step begins. */
const aWhile = () => pass(700);
beforeEach(() => {
  const toFake = ['setTimeout', 'clearTimeout', 'performance'] as const;
  vi.useFakeTimers({ toFake: [...toFake], shouldAdvanceTime: true, advanceTimeDelta: 2 });
});

interface Setup {
  readonly script?: Script;
  readonly options?: Partial<ToolSearchProcessorOptions>;
  readonly agent?: object;
  readonly neighbour?: object;
  /** The processor is an output processor as well. */
  readonly isOutput?: boolean;
}

const weatherThat = (extra: object) => toolRecord(tool('get_weather', 'Get the current weather of a city.', extra));
const fifthIsCall = calls(...four, find, load('get_weather'), call('get_weather'));
const toTheEnd = { maxSteps: 20 };
const goingOn = { memory: { thread: 't', resource: 'r' }, ...toTheEnd };

const slow = { script: fifthIsCall, options: { tools: weatherThat({ execute: () => pass(900) }) } };
const neighbour = { id: 'neighbour', processInputStep: () => pass(400).then(() => ({})) };
const ownAtTheEnd = calls(...four, ...Array(9).fill(call('own')));
const seeking = {
  script: calls(...Array(6).fill(call('seek', { query: 'weather' }))),
  options: { metaTools: { search: { name: 'seek' } } },
};

/** The steps of the run that is reported by its end, and once its thread went on. */
const endings: [what: string, setup: Setup, request: object, reported: number[], later?: number[]][] = [
  ['ends by the default of maxSteps', {}, {}, [5]],
  ['ends so without a thread', { agent: { memory: undefined } }, {}, [5]],
  ['ends by its own maxSteps', {}, { maxSteps: 6 }, [6]],
  ['ends by less than the default, which is meant', {}, { maxSteps: 4 }, [], [4]],
  ['ends with its answer', {}, toTheEnd, []],
  ['has a slow tool', slow, toTheEnd, []],
  ['has a slow neighbour', { script: fifthIsCall, neighbour }, toTheEnd, []],
  ['ends with a call of an own tool', { script: ownAtTheEnd }, {}, [5]],
  ['calls no meta-tool', { script: calls(...Array(9).fill(call('own'))) }, {}, []],
  ['calls a search of another name', seeking, {}, [5]],
];

function agentWith({ script = twoTools, options, agent, neighbour, isOutput }: Setup = {}) {
  const setup = { memory: newMemory(), tools: toolRecord(tool('own')), ...agent };
  const around = (own: unknown) => [...(neighbour ? [neighbour] : []), own];
  const also = isOutput ? (['outputProcessors'] as const) : [];
  const made = rig({ tools: toolRecord(weather(), email()), ...options }, { script, agent: setup, around, also });
  const cuts = () => made.events.filter((event) => event.type === 'run-cut');
  return { ...made, cuts, steps: () => cuts().map(({ steps }) => steps) };
}

describe.each(RUNS)('a run, with $how,', ({ how, run }) => {
  // How a run is called matters to how its end is noticed, and that to the first ones.
  it.each(how === 'generate' ? endings : endings.slice(0, 3))(
    'that %s is reported at most once',
    async (_, setup, request, reported, later = reported) => {
      const { agent, steps } = agentWith(setup);
      await run(agent, 'go', { ...inThread, ...request });
      await aWhile();
      expect(steps()).toEqual(reported);
      await run(agent, 'go on', goingOn);
      await aWhile();
      expect(steps()).toEqual(later);
    },
  );

  it.each([undefined, newMemory()])(
    'is reported at its end where the processor is in outputProcessors, and not again with Memory %s',
    async (memory) => {
      const { agent, cuts } = agentWith({ isOutput: true, agent: { memory } });
      await run(agent, 'go', inThread);
      expect(cuts()).toMatchObject([{ steps: 5, step: 5, agentId: 'test-agent' }]);
      await run(agent, 'go on', goingOn);
      await aWhile();
      expect(cuts()).toHaveLength(1);
    },
  );
});

it.each(['is aborted in its fifth step', 'waits for an approval'])('a run that %s is not reported', async (what) => {
  const abort = new AbortController();
  const weather = { requireApproval: what.includes('approval'), execute: async () => abort.abort() };
  const script = calls(...four.slice(1), load('get_weather'), call('get_weather'), find);
  const { agent, steps } = agentWith({ script, options: { tools: weatherThat(weather) } });
  inMastra(agent);
  const request = { ...goingOn, abortSignal: abort.signal };
  await agent.generate('go', request).catch(() => {});
  await aWhile();
  if (weather.requireApproval) await agent.generate('never mind', inThread);
  expect(steps()).toEqual([]);
});

it.each(WAYS)('a run that ended early is reported in the same run with $way', async (way) => {
  const again = (sent: Sent) =>
    isCallable(sent, 'get_weather') ? ({ type: 'call', name: 'get_weather' } as const) : undefined;
  const { ask, events } = modeRig(way, { script: again });
  await ask('use get_weather send_email book_flight', { maxSteps: 5 });
  await aWhile();
  expect(events.filter(({ type }) => type === 'run-cut')).toEqual([{ type: 'run-cut', steps: 5 }]);
});

it('a script whose only run ended early says so before it ends, once and with the remedy of the quick start', async () => {
  vi.useRealTimers();
  const program = fileURLToPath(new URL('cut-run-child.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...READ_TYPESCRIPT, program]);
  expect(stdout.trim()).toBe('answer: ""');
  expect(stderr.match(/ended after 5 steps .*defaultOptions: \{ maxSteps: 20 \}/g)).toHaveLength(1);
  const whole = await agentWith({ agent: { defaultOptions: { maxSteps: 20 } } }).agent.generate('go');
  expect([whole.text, whole.steps.length]).toEqual(['done', 7]);
});

it('a run of many steps is released soon after its answer, with all that it held', async () => {
  vi.useRealTimers();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { agent } = agentWith({ agent: { memory: undefined } });
  const runs = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const requestContext = new RequestContext();
      expect((await agent.generate('go', { requestContext, maxSteps: 20 })).steps).toHaveLength(7);
      return new WeakRef(requestContext);
    }),
  );
  const kept = () => {
    collect();
    return runs.filter((run) => run.deref() !== undefined).length;
  };
  // The last may still stand in a register or in the scripted model.
  await expect.poll(kept, { interval: 100 }).toBeLessThan(2);
});

/**
 * Runs over a thread with `storage: 'context'`, each told by its user text what to call, step by step. A load together
 * with `pause` is one that the messages do not show yet while `pause` runs.
 */
function contextThread(memory?: Memory, how = 'generate') {
  const paused = { during: (): unknown => undefined };
  // Without a result there is no next step.
  const execute = async () => ((await paused.during()) === 'ended' ? undefined : 'It goes on.');
  const script: Script = ({ prompt, step }) => {
    const next = userText(prompt).split('; ')[step];
    return next && next !== 'hello' ? { toolCalls: callsOf(next) } : { text: 'done' };
  };
  const tools = toolRecord(tool('a'), tool('b'));
  const made = rig(
    { tools, storage: 'context', metaTools: { unload: true } },
    { script, agent: { tools: { pause: tool('pause', 'Waits.', { execute }) }, ...(memory ? { memory } : {}) } },
  );
  const { run: runAgent } = RUNS.find((one) => one.how === how)!;
  /** The tools that each step of the run was sent, besides the meta-tools and `pause`. */
  const run = async (text: string, by: object = inThread): Promise<string> => {
    await runAgent(made.agent, text, by);
    const steps = made.model.calls.filter(({ prompt }) => userText(prompt) === text);
    return steps
      .map(
        (step) =>
          toolNames(step)
            .filter((name) => name.length === 1)
            .join('') || '-',
      )
      .join('; ');
  };
  return { ...made, run, paused };
}

const threadInContext = () => ({ requestContext: new RequestContext([['mastra__threadId', 't']] as never) });

describe("with storage: 'context'", () => {
  it('a run that was aborted before its result was stored leaves no load to the next run of its thread', async () => {
    const { run, paused } = contextThread();
    const abort = new AbortController();
    paused.during = () => {
      abort.abort();
      return 'ended';
    };
    await run('+a pause; a', { ...threadInContext(), abortSignal: abort.signal }).catch(() => {});
    expect(await run('hello', threadInContext())).toBe('-');
  });

  it.each([
    { how: 'generate', memory: newMemory(), by: () => inThread },
    { how: 'a DurableAgent', memory: newMemory(), by: () => inThread },
    { how: 'generate', memory: undefined, by: threadInContext },
  ])(
    'runs of a thread at once do not see what the others load or unload: $how, $memory',
    async ({ how, memory, by }) => {
      const { run, paused, processor } = contextThread(memory, how);
      let other: unknown;
      paused.during = async () => {
        other = await run('+b; b', by());
      };
      expect(await run('+a pause; a', by())).toBe('-; a; a');
      expect(other).toBe('-; b; b');
      if (!memory) return;
      paused.during = async () => {
        other = await run('hello', by());
      };
      expect(await run('-a pause', by())).toBe('ab; b');
      expect(other).toBe('ab');
      // The application unloads what the run loaded itself, and clears no conversation.
      paused.during = async () => {
        await processor.unload({ threadId: 't', resourceId: 'r' }, ['a']);
        await processor.clearState('t', 'r');
      };
      expect(await run('+a; pause; hello', by())).toBe('b; ba; b');
    },
  );
});
