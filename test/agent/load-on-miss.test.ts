import { type MastraTool, type ToolSearchFilter, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { through } from '../modes/call/setup.ts';
import { call, calls, email, inMastra, load, rig, SIZES, tool, toolRecord, weather } from '../support/harness.ts';
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

it.each(['generate', 'stream', 'durable'] as const)(
  'without the option, other processors find no other model, list or tools in a step (%s)',
  async (mode) => {
    const steps: { readonly tools: string[]; readonly isOwnModel: boolean; readonly hasList: boolean }[] = [];
    const seen: unknown[] = [];
    const before = ({ model }: { model: unknown }): void => void seen.push(model);
    const after = ({ tools, model, activeTools }: { tools: object; model: unknown; activeTools?: string[] }): void => {
      steps.push({ tools: Object.keys(tools), isOwnModel: model === seen.at(-1), hasList: activeTools !== undefined });
    };
    const processor = new ToolSearchProcessor({ tools: toolRecord(weather()) });
    const inputProcessors = [
      { id: 'before', processInputStep: before },
      processor,
      { id: 'after', processInputStep: after },
    ];
    const results: object[] = [];
    const prepare = processor.processInputStep.bind(processor);
    processor.processInputStep = async (args) => {
      const result = await prepare(args);
      results.push(result);
      return result;
    };
    await run(missing(['load_tool'], {}, { inputProcessors }), mode);
    const metaTools = ['search_tools', 'load_tool'];
    // A DurableAgent looks for tools in other places too: it is always told which it may run.
    expect(steps).toEqual(Array(2).fill({ tools: metaTools, isOwnModel: true, hasList: mode === 'durable' }));
    expect(results).toHaveLength(2);
    for (const result of results) expect(result).not.toHaveProperty('model');
  },
);

describe('a missed call loads nothing and says nothing', () => {
  const forbidding =
    (...names: string[]): ToolSearchFilter =>
    ({ toolName, phase }) =>
      phase !== 'load' || !names.includes(toolName);
  const rows: { why: string; called: string; names: string[]; filter?: ToolSearchFilter }[] = [
    {
      why: 'the load phase forbids it',
      called: 'get_weather',
      names: ['get_weather'],
      filter: forbidding('get_weather'),
    },
    {
      why: 'it forbids the only meaning',
      called: 'getWeather',
      names: ['get_weather'],
      filter: forbidding('get_weather'),
    },
    { why: 'two tools are spelled alike', called: 'GetWeather', names: ['get_weather', 'get-weather'] },
    { why: 'two tools are behind the prefix', called: 'functions.get_weather', names: ['get_weather', 'get-weather'] },
    { why: 'it is no tool', called: 'delete_database', names: ['get_weather'] },
    { why: 'it is only like one', called: 'get_wether', names: ['get_weather'] },
    { why: 'it is a word of one', called: 'weather', names: ['get_weather'] },
    { why: 'it says more behind the name', called: 'get_weather.now', names: ['get_weather'] },
    {
      why: 'the filter throws',
      called: 'get_weather',
      names: ['get_weather'],
      filter: () => Promise.reject(new Error('no')),
    },
  ];
  it.each(rows)('as $called: $why', async ({ called, names, filter }) => {
    const { agent, model, mended } = missing([called], {
      tools: toolRecord(...names.map((name) => tool(name))),
      ...(filter ? { filter } : {}),
    });
    await agent.generate('go');
    expect(model.calls.map(sentIn)).toEqual([[], []]);
    expect(hintsIn(model.calls[1]!)).toEqual([]);
    expect(mended()).toEqual([]);
  });

  it(`with onMiss: 'error'`, async () => {
    const { agent, model, mended } = missing(['get_weather', 'functions.get_weather'], { onMiss: 'error' });
    await agent.generate('go');
    expect(model.calls.map(sentIn)).toEqual([[], [], []]);
    expect(model.calls.flatMap(hintsIn)).toEqual([]);
    expect(mended()).toEqual([]);
  });

  it('where the caps leave no room', async () => {
    const { agent, model, mended } = missing(['get_weather'], { maxLoaded: { tokens: 5 } });
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
  it("makes the model be told the name of an agent's tool, without a load", async () => {
    const own = { send_email: email() };
    const { agent, model, mended } = missing(['sendEmail'], { tools: toolRecord(weather()) }, { tools: own });
    await agent.generate('go');
    expect(hintsIn(model.calls[1]!)).toEqual([
      'You called a tool by a name that no tool has. "send_email" is available now: call it by this name.',
    ]);
    expect(mended()).toEqual([]);
  });

  it('makes the model be told the name of a loaded tool, without a load', async () => {
    const { agent, model, mended } = missing([load('get_weather'), 'getWeather']);
    await agent.generate('go');
    expect(hintsIn(model.calls[2]!)).toEqual([CALLED_OTHERWISE]);
    expect(mended()).toEqual([]);
  });

  it('makes the model be told the name of a tool of alwaysLoaded, without a load', async () => {
    const { agent, model } = missing(['getWeather'], { alwaysLoaded: ['get_weather'] });
    await agent.generate('go');
    expect(hintsIn(model.calls[1]!)).toEqual([CALLED_OTHERWISE]);
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

describe('a missed call of a tool that the active phase denies', () => {
  it('does not make the model be told that it is available', async () => {
    const { agent, model } = missing(['get_weather'], { filter: ({ phase }) => phase !== 'active' });
    await agent.generate('go');
    expect(sentIn(model.calls[1]!)).toEqual([]);
    expect(hintsIn(model.calls[1]!)).toEqual([]);
  });
});

describe('a fault of a tool that ran', () => {
  const failing = (message: string): MastraTool =>
    tool('proxy', 'Calls others.', {
      execute: () => {
        throw new Error(message);
      },
    });

  it('loads no tool that its text mentions', async () => {
    const { agent, model, mended } = missing([load('proxy'), 'proxy'], {
      tools: toolRecord(failing('The upstream says that get_weather is not found'), weather()),
    });
    await agent.generate('go');
    expect(sentIn(model.calls[2]!)).toEqual(['proxy']);
    expect(mended()).toEqual([]);
  });

  it.each(['Tool "get_weather" not found', 'Tool "get_weather" not found. Available tools: a, b'])(
    'loads nothing when its own text is %j',
    async (text) => {
      const { agent, model, mended } = missing([load('proxy'), 'proxy'], {
        tools: toolRecord(failing(text), weather()),
      });
      await agent.generate('go');
      expect(sentIn(model.calls[2]!)).toEqual(['proxy']);
      expect(mended()).toEqual([]);
    },
  );
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

  it('is not repeated for the same name', async () => {
    const { agent, model } = missing(['getWeather', 'getWeather', 'getWeather']);
    await agent.generate('go');
    expect(hintsIn(model.calls[3]!)).toEqual([CALLED_OTHERWISE]);
  });

  it('stands beside hints for other names', async () => {
    const { agent, model } = missing(['getWeather', 'send_email']);
    await agent.generate('go');
    expect(hintsIn(model.calls[2]!)).toEqual([CALLED_OTHERWISE, expect.stringContaining('"send_email"')]);
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

describe('a run that waited for an approval', () => {
  const waitingRun = async () => {
    const script: Script = ({ prompt }) => {
      const asked = toolResults(prompt).length;
      if (asked === 0) return { toolCalls: [load('pay')] };
      return asked === 1 ? { toolCalls: [call('get_weather'), call('pay')] } : { text: 'done' };
    };
    const tools = toolRecord(weather(), tool('pay', 'Pays.', { requireApproval: true }));
    const made = rig({ tools, onMiss: 'load' }, { script, agent: withMemory() });
    inMastra(made.agent);
    const { runId = '', suspendPayload } = await made.agent.generate('go', turn as never);
    const { toolCallId } = suspendPayload as { toolCallId: string };
    return { ...made, runId, toolCallId };
  };

  it('mends the calls that missed in the step that had to wait', async () => {
    const { agent, model, runId, toolCallId } = await waitingRun();
    const { text } = await agent.approveToolCallGenerate({ runId, toolCallId });
    const { prompt } = model.calls.at(-1)!;
    expect({ text, missed: lastToolResult(prompt, 'get_weather')?.isError }).toEqual({ text: 'done', missed: true });
    expect(sentIn(model.calls.at(-1)!)).toEqual(['pay', 'get_weather']);
    expect(hintsIn(model.calls.at(-1)!)).toEqual([CALLED_LATER]);
  });
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
