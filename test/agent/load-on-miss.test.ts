import type { ToolSearchFilter, ToolSearchProcessorOptions } from 'mastra-tool-search';
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
} from '../support/agent.ts';
import { inTurn } from '../support/breadth.ts';
import { lastToolResult, type Script, systemText, toolResults } from '../support/scripted-model.ts';
import {
  CALLED_LATER,
  CALLED_OTHERWISE,
  hintsIn,
  missing,
  run,
  sentIn,
  toldWithResults,
  turn,
  withMemory,
} from './missed-calls.ts';

// Which spellings count, test/scorers/words/suggest.test.ts says.
it.each(
  inTurn({
    mode: ['generate', 'stream', 'durable'],
    called: ['get_weather', 'functions.getWeather'],
    catalog: SIZES,
  }),
)('a call of a tool that is not sent is answered: $mode, $called, $catalog.size', async (one) => {
  const { mode, called, catalog } = one;
  const hint = called === 'get_weather' ? CALLED_LATER : CALLED_OTHERWISE;
  const tools = { ...toolRecord(weather(), email()), ...catalog.fillers };
  const made = missing([call(called, { text: 'x' }), call('get_weather', { text: 'x' })], { tools });
  await run(made, mode);
  const { model, mended } = made;
  const ran = { toolName: 'get_weather', isError: false, value: { ran: 'get_weather', input: { text: 'x' } } };
  expect(lastToolResult(model.calls[2]!.prompt)).toMatchObject(ran);
  expect(model.calls.map(sentIn)).toEqual([[], ['get_weather'], ['get_weather']]);
  expect(model.calls.map(hintsIn)).toEqual([[], [hint], [hint]]);
  expect(mended()).toEqual([{ type: 'load-on-miss', called, loaded: 'get_weather' }]);
});

it('a call in the step that loads the tool works in the next one', async () => {
  const script: Script = ({ step }) => {
    if (step === 0) return { toolCalls: [load('get_weather'), call('get_weather')] };
    return step === 1 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
  };
  const { agent, model } = rig({ tools: toolRecord(weather()), onMiss: 'load' }, { script });
  await agent.generate('go');
  expect(model.calls.map(sentIn)).toEqual([[], ['get_weather'], ['get_weather']]);
  expect(hintsIn(model.calls[1]!)).toEqual([CALLED_LATER]);
  expect(lastToolResult(model.calls[2]!.prompt)).toMatchObject({ isError: false, value: { ran: 'get_weather' } });
});

describe('a missed call', () => {
  const only =
    (name: string, ...phases: string[]): ToolSearchFilter =>
    ({ toolName, phase }) =>
      toolName === name || (phases.length > 0 && !phases.includes(phase));
  const weatherAnd = (...names: string[]) => toolRecord(...['get_weather', ...names].map((name) => tool(name)));
  const two = { tools: weatherAnd('get-weather') };
  const many = { tools: weatherAnd('GET-WEATHER', 'weather_get_weather', 'issue', 'create_issue') };
  const filter = only('get_weather');
  const prefixed = ['functions_get_weather', 'functions.get_weather'] as const;

  it.each<[why: string, called: string, options: ToolSearchProcessorOptions, loaded?: string]>([
    ['the load phase forbids it', 'getWeather', { filter: only('', 'load') }],
    ['the active phase denies it', 'get_weather', { filter: only('', 'active') }],
    ['the filter throws', 'get_weather', { filter: () => Promise.reject(new Error('no')) }],
    ['the caps leave no room', 'get_weather', { maxLoaded: { tokens: 5 } }],
    ["onMiss is 'error'", 'functions.get_weather', { onMiss: 'error' }],
    ['it is no tool', 'delete_database', {}],
    ['it is only like one', 'get_wether', {}],
    ['two tools are spelled alike', 'GetWeather', two],
    ['two tools are behind the prefix', 'functions.get_weather', two],
    ['the exact name wins over another spelling', 'get_weather', many, 'get_weather'],
    ['a spelling of the whole wins over a tail', 'weather.getWeather', many, 'weather_get_weather'],
    ['the longer tail says more', 'x.createIssue', many, 'create_issue'],
    ['one of two is permitted', 'GetWeather', { ...two, filter }, 'get_weather'],
    ['the whole is forbidden', prefixed[1], { tools: weatherAnd(prefixed[0]), filter }, 'get_weather'],
    ['the exact name is forbidden', prefixed[0], { tools: weatherAnd(prefixed[1]), filter }, 'get_weather'],
  ])('where %s: as %s', async (_, called, options, loaded) => {
    const { agent, model, mended } = missing([called], { tools: weatherAnd(), ...options });
    await agent.generate('go');
    expect(model.calls.map(sentIn)).toEqual([[], loaded ? [loaded] : []]);
    expect([hintsIn(model.calls[1]!).length, mended().length]).toEqual(loaded ? [1, 1] : [0, 0]);
  });

  it.each<[why: string, called: Parameters<typeof missing>[0], options?: object, agent?: object]>([
    ["an agent's own tool", ['getWeather'], { tools: toolRecord(email()) }, { tools: toolRecord(weather()) }],
    ['a loaded tool', [load('get_weather'), 'getWeather']],
    ['a tool of alwaysLoaded', ['getWeather'], { alwaysLoaded: ['get_weather'] }],
  ])('of %s by another name has the model told the name, without a load', async (_, called, options, own) => {
    const { agent, model, mended } = missing(called, options, own);
    await agent.generate('go');
    expect(hintsIn(model.calls.at(-1)!)).toEqual([CALLED_OTHERWISE]);
    expect(mended()).toEqual([]);
  });

  it('is none where a tool that was sent fails with words of another one', async () => {
    const execute = () => Promise.reject(new Error('Tool "get_weather" not found. Available tools: none.'));
    const own = { tools: toolRecord(tool('relay', 'Asks another agent.', { execute })) };
    const { agent, model, mended } = missing(['relay'], {}, own);
    await agent.generate('go');
    expect(model.calls.map(sentIn)).toEqual([['relay'], ['relay']]);
    expect(mended()).toEqual([]);
  });

  it('is mended ten times a step at most, each name once', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `t${n}`);
    const script: Script = ({ step }) =>
      step === 0 ? { toolCalls: ['t0', ...names].map((name) => call(name)) } : { text: 'done' };
    const { agent, model } = rig({ tools: toolRecord(...names.map((name) => tool(name))), onMiss: 'load' }, { script });
    await agent.generate('go');
    expect(sentIn(model.calls[1]!)).toEqual(names.slice(0, 10));
    expect(hintsIn(model.calls[1]!)).toHaveLength(10);
  });

  it.each([[['get_weather']], [[load('send_email'), 'get_weather']]])(
    'loads nothing again once the model unloads the tool: %j',
    async (called) => {
      const unload = call('unload_tool', { toolNames: ['get_weather'] });
      const { agent, model, mended } = missing([...called, unload, 'send_email'], { metaTools: { unload: true } });
      await agent.generate('go');
      const sent = model.calls.map((received) => sentIn(received).includes('get_weather'));
      expect(sent.slice(-3)).toEqual([true, false, false]);
      expect(mended().filter((event) => 'called' in event && event.called === 'get_weather')).toHaveLength(1);
    },
  );

  it('of an earlier request is not acted on', async () => {
    const memory = withMemory();
    const before = missing(['get_weather'], { onMiss: 'error' }, memory);
    await before.agent.generate('go', turn);
    const after = missing([call('search_tools', { query: 'mail' })], {}, memory);
    await after.agent.generate('again', turn);
    expect(after.model.calls.map(sentIn)).toEqual([[], []]);
    expect([...after.model.calls.flatMap(hintsIn), ...after.mended()]).toEqual([]);
  });

  it('that was mended counts in the conversation as a load, once a call succeeded, and is put to the filter', async () => {
    const memory = withMemory();
    for (const [filter, sent] of [
      [undefined, []],
      [undefined, ['get_weather']],
      [only('', 'load'), []],
    ] as const) {
      const options = { storage: 'context', onMiss: 'load', ...(filter && { filter }) } as const;
      const made = missing(filter ? [] : ['getWeather', 'get_weather'], options, memory);
      await made.agent.generate('go', turn);
      expect(sentIn(made.model.calls[0]!)).toEqual(sent);
    }
  });

  it('is mended in a run that waited for an approval in the same step', async () => {
    const script: Script = ({ prompt }) => {
      const asked = toolResults(prompt).length;
      if (asked === 0) return { toolCalls: [load('pay')] };
      return asked === 1 ? { toolCalls: [call('get_weather'), call('pay')] } : { text: 'done' };
    };
    const tools = toolRecord(weather(), tool('pay', 'Pays.', { requireApproval: true }));
    const { agent, model } = rig({ tools, onMiss: 'load' }, { script, agent: withMemory() });
    inMastra(agent);
    expect((await approve(agent, await agent.generate('go', turn as never))).text).toBe('done');
    const last = model.calls.at(-1)!;
    expect(lastToolResult(last.prompt, 'get_weather')?.isError).toBe(true);
    expect(sentIn(last)).toEqual(['pay', 'get_weather']);
    expect(hintsIn(last)).toEqual([CALLED_LATER]);
  });
});

describe('the news of a missed call', () => {
  it.each(['generate', 'durable'] as const)(
    'repeats nothing of what the model wrote, stands once a name until the request ends, and is not stored (%s)',
    async (mode) => {
      const memory = withMemory();
      const made = missing(['ignore_all_rules.get_weather', 'getWeather', 'send_email', 'get_weather'], {}, memory);
      await run(made, mode, turn);
      const both = [CALLED_OTHERWISE, expect.stringContaining('"send_email"')];
      expect(made.model.calls.map(hintsIn)).toEqual([[], [CALLED_OTHERWISE], [CALLED_OTHERWISE], both, both]);
      expect(toldWithResults(made.model.calls[1]!)).toEqual([CALLED_OTHERWISE]);
      for (const { prompt } of made.model.calls) expect(systemText(prompt)).not.toMatch(/ignore|getWeather/);
      const { messages } = await memory.memory.recall({ threadId: 't', resourceId: 'r' });
      expect(JSON.stringify(messages)).toContain('not found');
      expect(JSON.stringify(messages)).not.toContain('available now');
      await made.agent.generate('and now?', turn as never);
      expect(hintsIn(made.model.calls[5]!)).toEqual([]);
      expect(sentIn(made.model.calls[5]!)).toEqual(['get_weather', 'send_email']);
    },
  );

  it.each([
    { version: 'v3', mode: 'generate' },
    { version: 'v4', mode: 'stream' },
  ] as const)('leaves the prompt before it as it was ($version, $mode)', async ({ version, mode }) => {
    const script = calls(call('get_weather'), call('get_weather'));
    const made = rig({ tools: toolRecord(weather(), email()), onMiss: 'load' }, { script, version });
    await run(made, mode);
    const prompts = made.model.calls.map(({ prompt }) => prompt);
    expect(prompts.map((prompt) => toldWithResults({ prompt }))).toEqual([[], [CALLED_LATER], [CALLED_LATER]]);
    for (const [at, prompt] of prompts.slice(1).entries()) {
      expect(prompt.slice(0, prompts[at]!.length)).toEqual(prompts[at]);
    }
    expect(toolResults(prompts[1] ?? [])[0]?.isError).toBe(true);
  });

  it('is system text where Mastra does not call processLLMRequest', async () => {
    const made = missing(['get_weather', 'get_weather']);
    Object.defineProperty(made.processor, 'processLLMRequest', { value: undefined });
    await run(made, 'generate');
    expect(toldWithResults(made.model.calls[1]!)).toEqual([]);
    expect(systemText(made.model.calls[1]!.prompt)).toContain(CALLED_LATER);
  });
});

it('in call mode a call of what is no tool is answered as by Mastra, and names no proxy', async () => {
  const unknown = ['no_such_tool', 'search_tools.0', 'constructor_x'];
  const script: Script = ({ step }) =>
    step === 0 ? { toolCalls: [through('get_weather'), ...unknown.map((name) => call(name))] } : { text: 'done' };
  const { agent, model } = rig({ tools: toolRecord(weather()), mode: 'call' }, { script });
  await agent.generate('go');
  const notFound = expect.stringMatching('not found\\. Available tools: search_tools, call_tool\\. ');
  const [ran, ...others] = toolResults(model.calls[1]!.prompt).map(({ value }) => value);
  expect(ran).toMatchObject({ ran: 'get_weather' });
  expect(others).toEqual(unknown.map(() => notFound));
});
