import type { MastraTool, ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { through } from '../modes/call/setup.ts';
import {
  approve,
  call,
  calls,
  email,
  inMastra,
  load,
  rig,
  SIZES,
  tool,
  toolRecord,
  weather,
} from '../support/harness.ts';
import {
  lastToolResult,
  type ModelReply,
  type ModelVersion,
  type Script,
  systemText,
  toolNames,
  toolResults,
} from '../support/scripted-model.ts';
import {
  CALLED_LATER,
  CALLED_OTHERWISE,
  hintsIn,
  type Mode,
  missing,
  run,
  sentIn,
  toldWithResults,
  turn,
  withMemory,
} from './missed-calls.ts';

describe.each(SIZES)('a call of a tool that is not loaded, in a $size catalog,', ({ fillers }) => {
  const tools = (): Record<string, MastraTool> => ({ ...toolRecord(weather(), email()), ...fillers });

  describe.each(['generate', 'stream', 'durable'] as const)('in %s', (mode) => {
    // Which spellings count, test/scorers/words/suggest.test.ts says.
    it.each(['get_weather', 'functions.getWeather'])(
      'as %s loads the tool, so that the next call works',
      async (called) => {
        const hint = called === 'get_weather' ? CALLED_LATER : CALLED_OTHERWISE;
        const made = missing([called, 'get_weather'], { tools: tools() });
        await run(made, mode);
        const { model, mended } = made;
        expect(model.calls.map(sentIn)).toEqual([[], ['get_weather'], ['get_weather']]);
        expect(model.calls.map(hintsIn)).toEqual([[], [hint], [hint]]);
        expect(lastToolResult(model.calls[2]!.prompt)).toMatchObject({ isError: false, value: { ran: 'get_weather' } });
        expect(mended()).toEqual([{ type: 'load-on-miss', called, loaded: 'get_weather' }]);
      },
    );
  });

  it('loads the tool also in the step that loads it, so that the next call works', async () => {
    const script: Script = ({ step }) => {
      if (step === 0) return { toolCalls: [load('get_weather'), call('get_weather')] };
      return step === 1 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
    };
    const { agent, model } = rig({ tools: tools(), onMiss: 'load' }, { script });
    await agent.generate('go');
    expect(model.calls.map(sentIn)).toEqual([[], ['get_weather'], ['get_weather']]);
    expect(hintsIn(model.calls[1]!)).toEqual([CALLED_LATER]);
    expect(lastToolResult(model.calls[2]!.prompt)).toMatchObject({ isError: false, value: { ran: 'get_weather' } });
  });
});

describe('a missed call loads nothing and says nothing', () => {
  const forbidding =
    (...names: string[]): ToolSearchFilter =>
    ({ toolName, phase }) =>
      phase !== 'load' || !names.includes(toolName);
  const one = ['get_weather'];
  const two = ['get_weather', 'get-weather'];
  it.each<[why: string, called: string, names: string[], options?: Partial<ToolSearchProcessorOptions>]>([
    ['the load phase forbids it', 'get_weather', one, { filter: forbidding('get_weather') }],
    ['it forbids the only meaning', 'getWeather', one, { filter: forbidding('get_weather') }],
    ['the active phase denies it', 'get_weather', one, { filter: ({ phase }) => phase !== 'active' }],
    ['two tools are spelled alike', 'GetWeather', two],
    ['two tools are behind the prefix', 'functions.get_weather', two],
    ['it is no tool', 'delete_database', one],
    ['it is only like one', 'get_wether', one],
    ['it is a word of one', 'weather', one],
    ['it says more behind the name', 'get_weather.now', one],
    ['the filter throws', 'get_weather', one, { filter: () => Promise.reject(new Error('no')) }],
    ['the caps leave no room', 'get_weather', one, { maxLoaded: { tokens: 5 } }],
    ["onMiss: 'error'", 'get_weather', one, { onMiss: 'error' }],
    ["onMiss: 'error', as another name", 'functions.get_weather', one, { onMiss: 'error' }],
  ])('where %s: as %s of %j', async (_, called, names, options = {}) => {
    const { agent, model, mended } = missing([called], {
      tools: toolRecord(...names.map((name) => tool(name))),
      ...options,
    });
    await agent.generate('go');
    expect(model.calls.map(sentIn)).toEqual([[], []]);
    expect(hintsIn(model.calls[1]!)).toEqual([]);
    expect(mended()).toEqual([]);
  });
});

describe('a missed call that several names are like', () => {
  it.each([
    { why: 'the exact name wins over another spelling', called: 'get_weather', loaded: 'get_weather' },
    { why: 'a spelling of the whole wins over a tail', called: 'weather.getWeather', loaded: 'weather_get_weather' },
    { why: 'the longer tail says more', called: 'x.createIssue', loaded: 'create_issue' },
  ])('as $called loads $loaded: $why', async ({ called, loaded }) => {
    const names = ['get_weather', 'GET-WEATHER', 'weather_get_weather', 'issue', 'create_issue'];
    const { agent, model } = missing([called], { tools: toolRecord(...names.map((name) => tool(name))) });
    await agent.generate('go');
    expect(sentIn(model.calls[1]!)).toEqual([loaded]);
  });

  it('loads the only tool that is permitted', async () => {
    const { agent, model } = missing(['GetWeather'], {
      tools: toolRecord(weather(), tool('get-weather')),
      filter: ({ toolName }) => toolName !== 'get-weather',
    });
    await agent.generate('go');
    expect(sentIn(model.calls[1]!)).toEqual(['get_weather']);
  });

  it.each([
    { forbidden: 'functions_get_weather', called: 'functions.get_weather', why: 'a spelling of the whole' },
    { forbidden: 'functions.get_weather', called: 'functions_get_weather', why: 'the exact name' },
  ])('loads get_weather when $forbidden is forbidden: $why', async ({ forbidden, called }) => {
    const { agent, model } = missing([called], {
      tools: toolRecord(weather(), tool(forbidden)),
      filter: ({ toolName }) => toolName === 'get_weather',
    });
    await agent.generate('go');
    expect(sentIn(model.calls[1]!)).toEqual(['get_weather']);
  });
});

it('missed calls of one step are mended ten at most, each name once', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `t${n}`);
  const script: Script = ({ step }) =>
    step === 0 ? { toolCalls: ['t0', ...names].map((name) => call(name)) } : { text: 'done' };
  const { agent, model } = rig({ tools: toolRecord(...names.map((name) => tool(name))), onMiss: 'load' }, { script });
  await agent.generate('go');
  expect(sentIn(model.calls[1]!)).toEqual(names.slice(0, 10));
  expect(hintsIn(model.calls[1]!)).toHaveLength(10);
});

describe('a missed call of a tool that is available under another name', () => {
  it.each<[why: string, called: Parameters<typeof missing>[0], options?: object, agent?: object]>([
    ["an agent's own tool", ['getWeather'], { tools: toolRecord(email()) }, { tools: toolRecord(weather()) }],
    ['a loaded tool', [load('get_weather'), 'getWeather']],
    ['a tool of alwaysLoaded', ['getWeather'], { alwaysLoaded: ['get_weather'] }],
  ])('makes the model be told the name, without a load: %s', async (_, called, options, own) => {
    const { agent, model, mended } = missing(called, options, own);
    await agent.generate('go');
    expect(hintsIn(model.calls.at(-1)!)).toEqual([CALLED_OTHERWISE]);
    expect(mended()).toEqual([]);
  });
});

describe('a tool that was loaded for a missed call', () => {
  const unload = call('unload_tool', { toolNames: ['get_weather'] });
  const metaTools = { unload: true };

  it.each([
    { when: 'in the first step', called: ['get_weather', unload, 'send_email'] },
    { when: 'later', called: [load('send_email'), 'get_weather', unload, 'send_email'] },
  ])('stays unloaded once the model unloads it: the call was $when', async ({ called }) => {
    const { agent, model, mended } = missing(called, { metaTools });
    await agent.generate('go');
    const sent = model.calls.map((received) => sentIn(received).includes('get_weather'));
    expect(sent.slice(-3)).toEqual([true, false, false]);
    expect(mended().filter((event) => 'called' in event && event.called === 'get_weather')).toHaveLength(1);
  });
});

describe('a fault of a tool that ran', () => {
  const failing = (message: string): MastraTool =>
    tool('proxy', 'Calls others.', {
      execute: () => {
        throw new Error(message);
      },
    });

  it.each([
    'The upstream says that get_weather is not found',
    'Tool "get_weather" not found',
    'Tool "get_weather" not found. Available tools: a, b',
  ])('loads nothing when its text is %j', async (text) => {
    const tools = toolRecord(failing(text), weather());
    const { agent, model, mended } = missing([load('proxy'), 'proxy'], { tools });
    await agent.generate('go');
    expect(sentIn(model.calls[2]!)).toEqual(['proxy']);
    expect(mended()).toEqual([]);
  });
});

describe('the hint about a missed call', () => {
  it.each(['generate', 'durable'] as const)(
    'stays once until the request ends, and is gone in the next (%s)',
    async (mode) => {
      const made = missing(['getWeather', 'get_weather', 'get_weather'], {}, withMemory());
      await run(made, mode, turn);
      const first = made.model.calls.length;
      expect(made.model.calls.map(hintsIn)).toEqual([[], ...Array(first - 1).fill([CALLED_OTHERWISE])]);
      await made.agent.generate('and now?', turn);
      expect(hintsIn(made.model.calls[first]!)).toEqual([]);
      expect(sentIn(made.model.calls[first]!)).toEqual(['get_weather']);
    },
  );

  it('is not repeated for the same name, and stands beside hints for other names', async () => {
    const { agent, model } = missing(['getWeather', 'getWeather', 'send_email']);
    await agent.generate('go');
    expect(hintsIn(model.calls[2]!)).toEqual([CALLED_OTHERWISE]);
    expect(hintsIn(model.calls[3]!)).toEqual([CALLED_OTHERWISE, expect.stringContaining('"send_email"')]);
  });

  it.each(['generate', 'durable'] as const)('repeats nothing of what the model wrote (%s)', async (mode) => {
    const made = missing(['ignore_all_rules.get_weather', 'getWeather'], {}, withMemory());
    await run(made, mode, turn);
    expect(made.model.calls.map(hintsIn)).toEqual([[], [CALLED_OTHERWISE], [CALLED_OTHERWISE]]);
    for (const { prompt } of made.model.calls) expect(systemText(prompt)).not.toMatch(/ignore|getWeather/);
  });
});

describe('a new request', () => {
  it('does not act on missed calls that its history holds', async () => {
    const memory = withMemory();
    const before = missing(['get_weather'], { onMiss: 'error' }, memory);
    await before.agent.generate('go', turn);
    expect(lastToolResult(before.model.calls[1]!.prompt)).toMatchObject({ isError: true });

    const after = missing([call('search_tools', { query: 'mail' })], {}, memory);
    await after.agent.generate('again', turn);
    expect(after.model.calls.map(sentIn)).toEqual([[], []]);
    expect(after.model.calls.flatMap(hintsIn)).toEqual([]);
    expect(after.mended()).toEqual([]);
  });

  it.each(['in-memory', 'context'] as const)(
    'has what was loaded on a miss by an earlier request (%s)',
    async (storage) => {
      const memory = withMemory();
      const { agent, model } = missing(['get_weather', 'get_weather'], { storage }, memory);
      await agent.generate('go', turn);
      await agent.generate('again', turn);
      expect(sentIn(model.calls[3]!)).toEqual(['get_weather']);
    },
  );
});

it('a run that waited for an approval mends the calls that missed in the step that had to wait', async () => {
  const script: Script = ({ prompt }) => {
    const asked = toolResults(prompt).length;
    if (asked === 0) return { toolCalls: [load('pay')] };
    return asked === 1 ? { toolCalls: [call('get_weather'), call('pay')] } : { text: 'done' };
  };
  const tools = toolRecord(weather(), tool('pay', 'Pays.', { requireApproval: true }));
  const { agent, model } = rig({ tools, onMiss: 'load' }, { script, agent: withMemory() });
  inMastra(agent);
  const { text } = await approve(agent, await agent.generate('go', turn as never));
  const last = model.calls.at(-1)!;
  expect({ text, missed: lastToolResult(last.prompt, 'get_weather')?.isError }).toEqual({ text: 'done', missed: true });
  expect(sentIn(last)).toEqual(['pay', 'get_weather']);
  expect(hintsIn(last)).toEqual([CALLED_LATER]);
});

const versions: readonly ModelVersion[] = ['v3', 'v4'];
const inProcess: readonly Mode[] = ['generate', 'stream'];

describe('the news of a missed call', () => {
  it.each(versions.flatMap((version) => inProcess.map((mode) => ({ version, mode }))))(
    'stands with its result, and the prompt before it stays as it was ($version, $mode)',
    async ({ version, mode }) => {
      const script = calls(call('get_weather'), call('get_weather'));
      const made = rig({ tools: toolRecord(weather(), email()), onMiss: 'load' }, { script, version });
      await run(made, mode);
      const prompts = made.model.calls.map(({ prompt }) => prompt);
      expect(prompts.map((prompt) => toldWithResults({ prompt }))).toEqual([[], [CALLED_LATER], [CALLED_LATER]]);
      expect(new Set(prompts.map(systemText)).size).toBe(1);
      for (const [position, prompt] of prompts.slice(1).entries()) {
        const before = prompts[position] ?? [];
        expect(prompt.slice(0, before.length)).toEqual(before);
      }
      expect(toolResults(prompts[1] ?? [])[0]?.isError).toBe(true);
    },
  );

  it('is not stored', async () => {
    const agent = withMemory();
    const made = missing(['get_weather', 'get_weather'], {}, agent);
    await run(made, 'generate', turn);
    const { messages } = await agent.memory.recall({ threadId: 't', resourceId: 'r' });
    expect(JSON.stringify(messages)).toContain('not found');
    expect(JSON.stringify(messages)).not.toContain('available now');
    await made.agent.generate('and now?', turn as never);
    expect(hintsIn(made.model.calls.at(-1)!)).toEqual([]);
  });

  it('stands with its result in a DurableAgent', async () => {
    const made = missing(['get_weather', 'get_weather'], {}, withMemory());
    await run(made, 'durable', turn);
    expect(toldWithResults(made.model.calls[1]!)).toEqual([CALLED_LATER]);
  });

  it('is system text where Mastra does not call processLLMRequest', async () => {
    const made = missing(['get_weather', 'get_weather']);
    Object.defineProperty(made.processor, 'processLLMRequest', { value: undefined });
    await run(made, 'generate');
    expect(toldWithResults(made.model.calls[1]!)).toEqual([]);
    expect(systemText(made.model.calls[1]!.prompt)).toContain(CALLED_LATER);
  });
});

describe('run on miss', () => {
  const modes: readonly Mode[] = ['generate', 'stream', 'durable'];

  describe.each(SIZES)("with onMiss: 'run', a call of a tool that is not sent, in a $size catalog,", ({ fillers }) => {
    const options = (...tools: readonly MastraTool[]) => ({
      tools: { ...toolRecord(...tools), ...fillers },
      onMiss: 'run' as const,
    });

    describe.each(modes)('in %s', (mode) => {
      it.each(['get_weather', 'functions.getWeather'])('as %s runs at once, and loads nothing', async (called) => {
        const made = missing([call(called, { text: 'x' })], options(weather()));
        await run(made, mode);
        expect(made.model.calls.map(toolNames)).toEqual(Array(2).fill(['search_tools', 'load_tool']));
        expect(lastToolResult(made.model.calls[1]!.prompt)).toMatchObject({
          toolName: 'get_weather',
          value: { ran: 'get_weather', input: { text: 'x' } },
        });
        const told = made.events.filter(({ type }) => type === 'run-on-miss');
        expect(told).toEqual([{ type: 'run-on-miss', called, toolName: 'get_weather' }]);
        expect(made.mended()).toEqual([]);
      });
    });

    it('leaves calls of sent tools as they are', async () => {
      const made = missing([load('get_weather'), call('get_weather'), call('clock')], options(weather()), {
        tools: { clock: tool('clock') },
      });
      await made.agent.generate('go');
      const results = toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value);
      expect(results.slice(1)).toMatchObject([{ ran: 'get_weather' }, { ran: 'clock' }]);
      expect(made.events.filter(({ type }) => type === 'run-on-miss')).toEqual([]);
    });
  });

  it.each(['no_such_tool', 'search_tools.0', 'constructor_x', 'withheld'])(
    'answers a call of %s as Mastra does',
    async (called) => {
      const made = missing([called], { tools: toolRecord(weather()), onMiss: 'run' });
      await made.agent.generate('go');
      expect(made.model.result(1)).toMatch(/not found. Available tools: search_tools, load_tool/);
    },
  );

  it.each([
    { options: { onMiss: 'run' as const }, answered: call('get_weather') },
    { options: { mode: 'call' as const }, answered: through('get_weather') },
  ])('names no place to the model, with $options', async ({ options, answered }) => {
    const script = ({ step }: { step: number }): ModelReply =>
      step === 0 ? { toolCalls: [answered, call('nope_nope')] } : { text: 'done' };
    const { agent, model } = rig({ tools: toolRecord(weather()), ...options }, { script });
    await agent.generate('go');
    expect(toolResults(model.calls[1]!.prompt).map(({ value }) => value)).toMatchObject([
      { ran: 'get_weather' },
      expect.stringMatching(/not found\. Available tools: search_tools, (?:load|call)_tool\. /),
    ]);
  });
});
