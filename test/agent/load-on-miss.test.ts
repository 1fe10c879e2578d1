import { type MastraTool, type ToolSearchFilter, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { call, email, fillerTools, load, rig, tool, toolRecord, weather } from '../support/harness.ts';
import { lastToolResult, type Script } from '../support/scripted-model.ts';
import { CALLED_LATER, CALLED_OTHERWISE, hintsIn, missing, run, sentIn } from './missed-calls.ts';

/** Up to 500 tools Mastra converts all of them; above, the processor does it in mid-run. */
const sizes = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];

describe.each(sizes)('a call of a tool that is not loaded, in a $size catalog,', ({ fillers }) => {
  const tools = (): Record<string, MastraTool> => ({ ...toolRecord(weather(), email()), ...fillers });

  describe.each(['generate', 'stream', 'durable'] as const)('in %s', (mode) => {
    // Which spellings count, test/scorers/words/suggest-spellings.test.ts says.
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

  it.each(['load', 'active'])('does not run the tool in a DurableAgent when the %s phase denies it', async (denied) => {
    const execute = vi.fn();
    const subject = tool('get_weather', 'Weather.', { execute });
    const made = missing(['get_weather'], {
      tools: { ...toolRecord(subject), ...fillers },
      filter: ({ phase }) => phase !== denied,
    });
    await run(made, 'durable');
    expect(execute).not.toHaveBeenCalled();
    expect(lastToolResult(made.model.calls[1]!.prompt)).toMatchObject({ isError: true });
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
