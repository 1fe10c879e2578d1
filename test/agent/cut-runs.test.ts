import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../meta-tools/session.ts';
import { isCallable, type Sent } from '../native/rig/goals.ts';
import {
  call,
  calls,
  email,
  inMastra,
  load,
  newMemory,
  RUNS,
  rig,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import { modeRig, WAYS } from '../support/modes.ts';
import { READ_TYPESCRIPT } from '../support/new-process.ts';
import { type Script, toolNames, userText } from '../support/scripted-model.ts';

const search = (query: string) => call('search_tools', { query });
/** Two tools: with the answer 7 model calls. */
const twoTools = calls(
  search('weather'),
  load('get_weather'),
  call('get_weather'),
  search('email'),
  load('send_email'),
  call('send_email'),
);

const thread = { memory: { thread: 'thread-1', resource: 'user-1' } };

function agentWith(script: Script, more: object = {}, options: Partial<ToolSearchProcessorOptions> = {}) {
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(weather(), email()),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const memory = newMemory();
  const agent = { inputProcessors: [processor], memory, ...more };
  const cuts = () => events.flatMap((event) => (event.type === 'run-cut' ? [event.steps] : []));
  const origins = () => events.filter(({ type }) => type === 'run-cut');
  return { ...rig({ tools: {} }, { script, agent }), processor, cuts, origins };
}

const rigOf = (script: Script, inputProcessors: readonly unknown[]): Agent =>
  rig({ tools: {} }, { script, agent: { inputProcessors } as never }).agent;

it("a run of two tools ends in the middle with Mastra's default maxSteps, and not with that of the quick start", async () => {
  const cut = await agentWith(twoTools).agent.generate('go');
  expect([cut.text, cut.steps.length]).toEqual(['', 5]);
  const whole = await agentWith(twoTools, { defaultOptions: { maxSteps: 20 } }).agent.generate('go');
  expect([whole.text, whole.steps.length]).toEqual(['done', 7]);
});

/** Longer than it takes to see that no further step begins. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 700));

describe.each(RUNS)('a run that ends before its answer, with $how,', ({ how, run }) => {
  it("is reported in the same run, with Mastra's default of maxSteps, without a thread and without outputProcessors", async () => {
    const { agent, cuts, origins } = agentWith(twoTools, { memory: undefined });
    await run(agent, 'go', {});
    await expect.poll(cuts).toEqual([5]);
    expect(origins()).toMatchObject([{ step: 5, agentId: 'test-agent' }]);
  });

  it('is reported once, also when its thread goes on', async () => {
    const { agent, cuts } = agentWith(twoTools);
    await run(agent, 'go', thread);
    await expect.poll(cuts).toEqual([5]);
    for (const text of ['go on', 'and on']) await run(agent, text, { ...thread, maxSteps: 20 });
    await aWhile();
    expect(cuts()).toEqual([5]);
  });

  it.each([{ maxSteps: 6 }, { maxSteps: 4 }])('is reported by its own maxSteps: %o', async (given) => {
    const { agent, cuts } = agentWith(twoTools);
    await run(agent, 'go', { ...thread, ...given });
    // Less than the default is meant, and is told of when the thread goes on.
    if (given.maxSteps === 6) await expect.poll(cuts).toEqual([6]);
    else await aWhile();
    expect(cuts()).toEqual(given.maxSteps === 6 ? [6] : []);
    await run(agent, 'go on', { ...thread, maxSteps: 20 });
    expect(cuts()).toEqual([given.maxSteps]);
  });

  it('is not reported where it had its answer', async () => {
    const { agent, cuts } = agentWith(twoTools);
    for (const text of ['go', 'go on']) await run(agent, text, { ...thread, maxSteps: 20 });
    await aWhile();
    expect(cuts()).toEqual([]);
  });

  it('is not reported where a slow tool, or a slow neighbour, stands between its steps', async () => {
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const slow = tool('get_weather', 'Get the current weather of a city.', {
      execute: async () => pause(900).then(() => 'late'),
    });
    const script = calls(...Array(5).fill(search('weather')), load('get_weather'), call('get_weather'));
    for (const slows of ['tool', 'neighbour']) {
      const neighbour = { id: 'neighbour', processInputStep: async () => pause(400).then(() => ({})) };
      const tools = slows === 'tool' ? toolRecord(slow) : toolRecord(weather());
      const { agent, cuts, processor } = agentWith(script, {}, { tools });
      const both = slows === 'tool' ? agent : rigOf(script, [neighbour, processor]);
      await run(both, 'go', { ...thread, maxSteps: 20 });
      await aWhile();
      expect([slows, how, cuts()]).toEqual([slows, how, []]);
    }
  });
});

it('a run that is aborted in its fifth step is not reported as ended early', async () => {
  const abort = new AbortController();
  const stops = tool('get_weather', 'Get the current weather of a city.', { execute: async () => abort.abort() });
  const script = calls(...Array(3).fill(search('weather')), load('get_weather'), call('get_weather'), search('email'));
  const { agent, cuts } = agentWith(script, {}, { tools: toolRecord(stops) });
  await agent.generate('go', { maxSteps: 20, abortSignal: abort.signal }).catch(() => {});
  await aWhile();
  expect(cuts()).toEqual([]);
});

it("a run that ends with a call of the agent's own tool is reported in the same run", async () => {
  const script = calls(...Array(4).fill(search('weather')), ...Array(9).fill(call('own')));
  const { agent, cuts } = agentWith(script, { tools: toolRecord(tool('own', 'The own one.')) });
  await agent.generate('go');
  await expect.poll(cuts).toEqual([5]);
});

it.each(WAYS)('a run that ended early is reported in the same run with $way', async (way) => {
  const again = (sent: Sent) =>
    isCallable(sent, 'get_weather') ? ({ type: 'call', name: 'get_weather' } as const) : undefined;
  const { ask, events } = modeRig(way, { script: again });
  await ask('use get_weather send_email book_flight', { maxSteps: 5 });
  await expect.poll(() => events.filter(({ type }) => type === 'run-cut')).toEqual([{ type: 'run-cut', steps: 5 }]);
});

describe('a run that ends before its answer, with the processor in outputProcessors as well,', () => {
  const both = (script: Script, memory: object = {}) => {
    const made = agentWith(script, memory);
    const { processor } = made;
    const more = { inputProcessors: [processor], outputProcessors: [processor], ...memory };
    return { ...made, ...rig({ tools: {} }, { script, agent: more as never }), processor };
  };

  it.each(RUNS)('is reported at once without Memory: $how', async ({ run }) => {
    const { agent, cuts } = both(twoTools);
    await run(agent, 'go', { maxSteps: 5 });
    expect(cuts()).toEqual([5]);
    await run(agent, 'go', { maxSteps: 20 });
    expect(cuts()).toEqual([5]);
  });

  it('is not reported again when its thread goes on', async () => {
    const { agent, cuts } = both(twoTools, { memory: newMemory() });
    await agent.generate('go', thread);
    expect(cuts()).toEqual([5]);
    await agent.generate('go on', { ...thread, maxSteps: 20 });
    expect(cuts()).toEqual([5]);
  });
});

it('the log of a run that ended early names the remedy, once and in the same run', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { agent } = agentWith(twoTools, {}, { onEvent: undefined as never });
  const lines = () => log.mock.calls.map(([line]) => String(line));
  await agent.generate('go', thread);
  const line = expect.stringMatching(/ended after 5 steps .*defaultOptions: \{ maxSteps: 20 \}/);
  await expect.poll(lines).toEqual([line]);
  await agent.generate('go on', { ...thread, maxSteps: 20 });
  await aWhile();
  expect(lines()).toHaveLength(1);
  log.mockRestore();
});

it('a script whose only run ended early says so before it ends', async () => {
  const program = fileURLToPath(new URL('cut-run-child.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...READ_TYPESCRIPT, program]);
  expect(stdout.trim()).toBe('answer: ""');
  expect(stderr.match(/ended after 5 steps .*defaultOptions: \{ maxSteps: 20 \}/g)).toHaveLength(1);
});

it('a logger that is switched off is told of no run that ended early', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { agent, cuts } = agentWith(twoTools);
  new Mastra({ agents: { agent }, logger: false });
  await agent.generate('go', thread);
  await expect.poll(cuts).toEqual([5]);
  expect(log).not.toHaveBeenCalled();
  log.mockRestore();
});

it('a run that ended early is not reported without a call of a meta-tool', async () => {
  const { agent, cuts } = agentWith(
    calls(...Array(9).fill(call('get_weather'))),
    {},
    { alwaysLoaded: ['get_weather'] },
  );
  for (const text of ['go', 'go on']) await agent.generate(text, thread);
  expect(cuts()).toEqual([]);
});

it('a run that waits for an approval is not reported as ended early', async () => {
  const tools = { get_weather: { ...weather(), requireApproval: true } };
  const { agent, cuts } = agentWith(calls(load('get_weather'), call('get_weather')), {}, { tools: tools as never });
  inMastra(agent);
  await (await agent.stream('go', thread)).consumeStream();
  await agent.generate('never mind', thread);
  expect(cuts()).toEqual([]);
});

it.each([
  { search: { name: 'find' }, names: ['find', 'load_tool'] },
  { load: { name: 'take' }, names: ['search_tools', 'take'] },
])('a run that ended early is reported with meta-tools of other names: $names', async ({ names, ...metaTools }) => {
  const [find = '', take = ''] = names;
  const script = calls(...Array(6).fill(call(find, { query: 'weather' })), call(take, { toolName: 'get_weather' }));
  const { agent, cuts } = agentWith(script, {}, { metaTools });
  for (const text of ['go', 'go on']) await agent.generate(text, thread);
  expect(cuts()).toEqual([5]);
});

it('a run of many steps is released soon after its answer, with all that it held', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { agent } = agentWith(twoTools, { memory: undefined });
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
  await expect.poll(kept, { interval: 500 }).toBeLessThan(2);
});

describe('context runs', () => {
  const turn = { memory: { thread: 't', resource: 'r' } };
  const longMemory = () => new Memory({ storage: new InMemoryStore(), options: { lastMessages: 50 } });

  /**
   * Runs over the same thread, with `storage: 'context'`. Each is told by its user text what to call, step by step. A load
   * together with `pause` is one that the messages do not show yet while `pause` runs.
   */
  function thread(options: Partial<ToolSearchProcessorOptions> = {}, memory?: Memory, kind = 'generate') {
    let onPause: () => unknown = () => {};
    // Without a result there is no next step.
    const execute = async () => ((await onPause()) === 'ended' ? undefined : 'It goes on.');
    const pause = tool('pause', 'Waits.', { execute });
    const callOf = (word: string) => {
      const [verb, name = ''] = word.split(':');
      if (verb === 'load') return load(name);
      return verb === 'unload' ? call('unload_tool', { toolNames: [name] }) : call(name);
    };
    const script: Script = ({ prompt, step }) => {
      const words = userText(prompt).split(' ')[step]?.split('+') ?? [];
      const toolCalls = words.filter((word) => word.includes(':')).map(callOf);
      return toolCalls.length > 0 ? { toolCalls } : { text: 'done' };
    };
    const made = rig(
      {
        tools: toolRecord(tool('tool_a'), tool('tool_b')),
        storage: 'context',
        metaTools: { unload: true },
        ...options,
      },
      { script, agent: { tools: { pause }, ...(memory ? { memory } : {}) } },
    );
    const { run: runAgent } = RUNS.find(({ how }) => how === kind)!;
    /** The tools that each step of the run was sent, besides the meta-tools and `pause`. */
    const run = async (text: string, by: object = turn): Promise<string[][]> => {
      await runAgent(made.agent, text, by);
      return made.model.calls
        .filter(({ prompt }) => userText(prompt) === text)
        .map((received) => toolNames(received).filter((name) => name.startsWith('tool_')));
    };
    return {
      ...made,
      run,
      atPause: (listener: typeof onPause) => {
        onPause = listener;
      },
    };
  }

  const inThread = () => ({ requestContext: new RequestContext([['mastra__threadId', 't']] as never) });

  const settings = [
    { why: 'with', memory: longMemory, by: () => turn },
    { why: 'without', memory: () => undefined, by: inThread },
  ];

  it('a run that was aborted before its result was stored leaves no load to the next run of its thread', async () => {
    const { run, atPause } = thread();
    const abort = new AbortController();
    atPause(() => {
      abort.abort();
      return 'ended';
    });
    await run('load:tool_a+call:pause call:tool_a', { ...inThread(), abortSignal: abort.signal }).catch(() => {});
    expect(await run('hello', inThread())).toEqual([[]]);
  });

  describe.each(settings)('runs of one thread at once, $why Memory,', ({ memory, by }) => {
    it.each(['generate', 'a DurableAgent'])('do not see what the others load: %s', async (kind) => {
      const { run, atPause } = thread({}, memory(), kind);
      let other: string[][] = [];
      atPause(async () => {
        other = await run('load:tool_b call:tool_b', by());
      });
      expect(await run('load:tool_a+call:pause call:tool_a', by())).toEqual([[], ['tool_a'], ['tool_a']]);
      expect(other).toEqual([[], ['tool_b'], ['tool_b']]);
    });
  });

  it('an unload in one run does not reach another run of its thread before the conversation shows it', async () => {
    const { run, atPause } = thread({}, longMemory());
    await run('load:tool_a');
    let other: string[][] = [];
    atPause(async () => {
      other = await run('hello');
    });
    expect(await run('unload:tool_a+call:pause')).toEqual([['tool_a'], []]);
    expect(other).toEqual([['tool_a']]);
  });

  describe('a tool that a run unloads', () => {
    it('stays unloaded in the next run, in a new process too', async () => {
      const memory = longMemory();
      const before = thread({}, memory);
      expect(await before.run('load:tool_a load:tool_b unload:tool_a')).toEqual([
        [],
        ['tool_a'],
        ['tool_a', 'tool_b'],
        ['tool_b'],
      ]);
      expect(await thread({}, memory).run('hello')).toEqual([['tool_b']]);
    });

    it('is loaded again by a later load', async () => {
      const memory = longMemory();
      await thread({}, memory).run('load:tool_a unload:tool_a load:tool_a');
      expect(await thread({}, memory).run('hello')).toEqual([['tool_a']]);
    });

    it('stays unloaded when it made room for another, and is not reported again', async () => {
      const memory = longMemory();
      const events: ToolSearchEvent[] = [];
      const onEvent = (event: ToolSearchEvent) => void events.push(event);
      const evictions = () => events.filter(({ type }) => type === 'evict');
      await thread({ maxLoaded: { tools: 1 }, onEvent }, memory).run('load:tool_a load:tool_b');
      expect(evictions()).toHaveLength(1);
      expect(await thread({ maxLoaded: { tools: 1 }, onEvent }, memory).run('hello')).toEqual([['tool_b']]);
      expect(evictions()).toHaveLength(1);
    });

    it('by the application is gone from the next step on, though the run loaded it itself', async () => {
      const { processor, run, atPause } = thread({}, longMemory());
      atPause(() => processor.unload({ threadId: 't', resourceId: 'r' }, ['tool_a']));
      expect(await run('load:tool_a call:pause load:tool_b')).toEqual([[], ['tool_a'], [], ['tool_b']]);
    });
  });

  it('a tool loaded because it was missed stays loaded in a new process, once a call of it succeeded', async () => {
    const memory = longMemory();
    const onMiss = 'load';
    await thread({ onMiss }, memory).run('call:toolA call:tool_a');
    expect(await thread({ onMiss }, memory).run('hello')).toEqual([['tool_a']]);
    expect(await thread({ onMiss, filter: ({ phase }) => phase !== 'load' }, memory).run('hi')).toEqual([[]]);
  });

  it('clearState() leaves a conversation alone, as in @mastra/core, and clears the thread "default" without an argument', async () => {
    const { processor, run } = thread({}, longMemory());
    await run('load:tool_a');
    await processor.clearState('t', 'r');
    await processor.clearState();
    expect(await run('hello')).toEqual([['tool_a']]);

    const session = new Session({ tools: toolRecord(tool('tool_a')) }, { thread: 'default' });
    await session.load({ toolName: 'tool_a' });
    expect(await session.sent()).toEqual(['tool_a']);
    await session.processor.clearState();
    expect(await session.sent()).toEqual([]);
  });
});
