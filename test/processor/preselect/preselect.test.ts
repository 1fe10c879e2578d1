import { TokenLimiterProcessor } from '@mastra/core/processors';
import { type AddOptions, memoryStore, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { call, calls, load, rig, tool, toolRecord } from '../../support/harness.ts';
import { lastToolResult, type Script, toolNames } from '../../support/scripted-model.ts';
import { type Line, scripted } from '../../support/scripted-scorer.ts';
import { ASKS_FOR_EMAIL, ASKS_FOR_WEATHER, CHATS, inThread, MODES, office, officeWith, withMemory } from './office.ts';

describe.each(MODES)('preselect in %s', (mode) => {
  it('sends the tool that the words ask for with the first model call, so that it is called at once', async () => {
    const { say, model, decisions } = officeWith({}, ['get_weather']);
    expect(await say(ASKS_FOR_WEATHER, {}, mode)).toEqual([['get_weather'], ['get_weather']]);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false, value: { ran: 'get_weather' } });
    expect(decisions()).toEqual([{ tools: ['get_weather'] }]);
  });

  it('keeps a tool for the next run only when it was called', async () => {
    const unused = officeWith({}, [], { agent: withMemory() });
    await unused.say(ASKS_FOR_WEATHER, inThread('t'), mode);
    expect(await unused.say(CHATS, inThread('t'), mode)).toEqual([[]]);

    const used = officeWith({}, ['get_weather'], { agent: withMemory() });
    await used.say(ASKS_FOR_WEATHER, inThread('t'), mode);
    expect((await used.say(CHATS, inThread('t'), mode))[0]).toEqual(['get_weather']);
  });
});

describe('preselect', () => {
  it('is off by default', async () => {
    const { say, decisions } = officeWith({ preselect: false });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    const { agent, model } = rig({ tools: office() }, { script: () => ({ text: 'done' }) });
    await agent.generate(ASKS_FOR_WEATHER);
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool']);
    expect(decisions()).toEqual([]);
  });

  it.each([
    { message: CHATS, reason: 'no-text' },
    { message: 'Hello! How are you today?', reason: 'no-text' },
    { message: '…', reason: 'no-text' },
    { message: 'xyzzy plugh', reason: 'no-match' },
    {
      message: 'My grandmother used to tell long stories about the old country and its many rivers',
      reason: 'below-confidence',
    },
  ])('sends nothing for "$message": $reason', async ({ message, reason }) => {
    const { say, decisions } = officeWith();
    expect(await say(message)).toEqual([[]]);
    expect(decisions()).toEqual([{ tools: [], reason }]);
  });

  it('searches what `query` makes of the conversation', async () => {
    const query = (messages: readonly { role: string }[]): string => (messages.length === 1 ? ASKS_FOR_EMAIL : '');
    const { say } = officeWith({ preselect: { query } });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([['send_email']]);
  });

  it('takes what a user writes for words, neither for a selection nor for required words', async () => {
    const selection = officeWith();
    expect(await selection.say('select: send_email')).toEqual([['send_email']]);
    const required = officeWith();
    expect(await required.say(`${ASKS_FOR_WEATHER} Call me: +49 +unheard`)).toEqual([['get_weather']]);
  });

  it.each([
    { why: 'the best one, where it is clear', confidences: [0.9, 0.8], expected: ['get_weather'] },
    { why: 'the best one, 0.55 as likely as wanted', confidences: [0.45, 0.09], expected: ['get_weather'] },
    {
      why: 'another, an eighth as likely as wanted',
      confidences: [0.45, 0.11],
      expected: ['get_weather', 'send_email'],
    },
    { why: 'none, where the best one is less likely', confidences: [0.43, 0.43], expected: [] },
    { why: 'two that may be meant', confidences: [0.52, 0.42], expected: ['get_weather', 'send_email'] },
    { why: 'three, where certainty is wanted', confidences: [0.9, 0.85, 0.82], expected: 3, minConfidence: 1 },
    { why: 'two at most', confidences: [0.9, 0.85, 0.82], expected: 2, minConfidence: 1, maxTools: 2 },
    { why: 'the best one, whatever it is', confidences: [0.01, 0.01], expected: ['get_weather'], minConfidence: 0 },
    { why: 'only what is clear', confidences: [0.54, 0.54], expected: [], minConfidence: 1 },
  ])('sends $why', async ({ why: _, confidences, expected, ...preselect }) => {
    const names = ['get_weather', 'send_email', 'create_invoice'];
    const lines = confidences.map((confidence, place): Line => [names[place] ?? '', 3 - place, confidence]);
    const { say } = officeWith({ preselect, search: { scorer: scripted({ 'do my work': lines }) } });
    const all = typeof expected === 'number' ? names.slice(0, expected) : expected;
    expect(await say('do my work')).toEqual([all]);
  });

  it('appends to the list: behind the own and the loaded tools, before what the run loads', async () => {
    const script: Script = ({ prompt, step }) => {
      const turn = prompt.filter(({ role }) => role === 'user').length;
      if (turn === 1) return step === 0 ? { toolCalls: [load('list_holidays')] } : { text: 'done' };
      if (step === 0) return { toolCalls: [load('create_invoice')] };
      return step === 1 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
    };
    const own = { tools: toolRecord(tool('clock')), ...withMemory() };
    const { say } = officeWith({}, [], { script, agent: own });
    await say(CHATS, inThread('t'));
    expect(await say(ASKS_FOR_WEATHER, inThread('t'))).toEqual([
      ['clock', 'list_holidays', 'get_weather'],
      ['clock', 'list_holidays', 'get_weather', 'create_invoice'],
      ['clock', 'list_holidays', 'get_weather', 'create_invoice'],
    ]);
  });

  it('sends nothing besides what is there already', async () => {
    const { say, decisions } = officeWith({}, ['get_weather'], { agent: withMemory() });
    await say(ASKS_FOR_WEATHER, inThread('t'));
    expect((await say(ASKS_FOR_WEATHER, inThread('t')))[0]).toEqual(['get_weather']);
    expect(decisions()[1]).toEqual({ tools: [], reason: 'already-there' });
    const pinned = officeWith({ alwaysLoaded: ['get_weather'] });
    expect(await pinned.say(ASKS_FOR_WEATHER)).toEqual([['get_weather']]);
    expect(pinned.decisions()).toEqual([{ tools: [], reason: 'already-there' }]);
  });

  it('makes no loaded tool go, and goes before one when the run loads more', async () => {
    const full = officeWith({ maxLoaded: { tools: 1 } }, ['get_weather'], { agent: withMemory() });
    await full.say(ASKS_FOR_WEATHER, inThread('t'));
    expect((await full.say(ASKS_FOR_EMAIL, inThread('t')))[0]).toEqual(['get_weather']);
    expect(full.decisions()[1]).toEqual({ tools: [], reason: 'no-room' });

    const script: Script = ({ step }) => (step === 0 ? { toolCalls: [load('create_invoice')] } : { text: 'done' });
    const two = officeWith({ maxLoaded: { tools: 1 } }, [], { script });
    expect(await two.say(ASKS_FOR_WEATHER)).toEqual([['get_weather'], ['create_invoice']]);
  });

  it('lets the model unload what was preselected', async () => {
    const script: Script = ({ step }) =>
      step === 0 ? { toolCalls: [call('unload_tool', { toolNames: ['get_weather'] })] } : { text: 'done' };
    const { say } = officeWith({ metaTools: { unload: true } }, [], { script });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([['get_weather'], []]);
  });

  it('says that a preselected tool is loaded, when the model loads it', async () => {
    const { say, model } = officeWith({}, [], { script: calls(load('get_weather')), agent: withMemory() });
    expect(await say(ASKS_FOR_WEATHER, inThread('t'))).toEqual([['get_weather'], ['get_weather']]);
    expect(lastToolResult(model.calls[1]!.prompt, 'load_tool')?.value).toMatchObject({
      success: true,
      message: expect.stringContaining('needs no loading'),
    });
  });

  it('keeps a tool that was called in the last step of its run', async () => {
    const { say } = officeWith({}, ['get_weather'], { agent: withMemory() });
    await say(ASKS_FOR_WEATHER, { ...inThread('t'), maxSteps: 1 });
    expect((await say(CHATS, inThread('t')))[0]).toEqual(['get_weather']);
  });

  it('does not take an old call for one of the last run', async () => {
    const script: Script = ({ prompt, step }) => {
      const isFirst = prompt.filter(({ role }) => role === 'user').length === 1;
      return isFirst && step === 0 ? { toolCalls: [call('get_weather')] } : { text: 'done' };
    };
    const { say, processor } = officeWith({}, [], { script, agent: withMemory() });
    await say(ASKS_FOR_WEATHER, inThread('t'));
    await processor.unload({ threadId: 't', resourceId: 'ada' }, ['get_weather']);
    expect(await say(ASKS_FOR_WEATHER, inThread('t'))).toEqual([['get_weather']]);
    expect(await say(CHATS, inThread('t'))).toEqual([[]]);
  });

  it('is seen in getLoadedToolsForRequestContext() of its run', async () => {
    const session = new Session({ tools: office(), preselect: true, timeouts: { preselect: 10_000 } });
    const { messageList, requestContext, processor } = session;
    messageList.add({ role: 'user', content: ASKS_FOR_WEATHER }, 'input');
    expect(await session.sent()).toEqual(['get_weather']);
    const stepArgs = { messageList, requestContext } as never;
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ stepArgs }))).toEqual(['get_weather']);
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({});
  });

  it('writes to the store what is called, once, and nothing else', async () => {
    const added: (readonly string[])[] = [];
    const inMemory = memoryStore();
    const storage = {
      ...inMemory,
      add: (scope: string, names: readonly string[], options: AddOptions) => {
        added.push(names);
        return inMemory.add(scope, names, options);
      },
    };
    const { say } = officeWith({ storage, onMiss: 'error' }, ['get_weather', 'get_weather'], { agent: withMemory() });
    await say(ASKS_FOR_EMAIL, inThread('t'));
    expect(added).toEqual([]);
    await say(ASKS_FOR_WEATHER, inThread('t'));
    expect(added).toEqual([['get_weather']]);
  });

  it('keeps runs of one thread apart', async () => {
    const { say } = officeWith({}, [], { agent: withMemory() });
    const [weather, email, chat] = await Promise.all([
      say(ASKS_FOR_WEATHER, inThread('t')),
      say(ASKS_FOR_EMAIL, inThread('t')),
      say(CHATS, inThread('t')),
    ]);
    // The calls of runs at the same time are counted together.
    const all = [...weather!, ...email!, ...chat!].map((names) => names.join());
    expect(new Set(all)).toEqual(new Set(['get_weather', 'send_email', '']));
    expect(await say(CHATS, inThread('t'))).toEqual([[]]);
  });

  it("keeps called tools with storage: 'context', where the conversation remembers", async () => {
    const { say } = officeWith({ storage: 'context' }, ['get_weather'], { agent: withMemory() });
    await say(ASKS_FOR_WEATHER, inThread('t'));
    expect((await say(CHATS, inThread('t')))[0]).toEqual(['get_weather']);
    const unused = officeWith({ storage: 'context' }, [], { agent: withMemory() });
    await unused.say(ASKS_FOR_WEATHER, inThread('t'));
    expect(await unused.say(CHATS, inThread('t'))).toEqual([[]]);
  });

  it('works before a TokenLimiter', async () => {
    const processor = new ToolSearchProcessor({ tools: office(), preselect: true, timeouts: { preselect: 10_000 } });
    const inputProcessors = [processor, new TokenLimiterProcessor(2_000)];
    const { agent, model } = rig({ tools: {} }, { script: calls(call('get_weather')), agent: { inputProcessors } });
    await agent.generate(ASKS_FOR_WEATHER);
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'get_weather']);
    expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false });
  });

  it('sends nothing more where the catalog is sent whole', async () => {
    const { say, decisions } = officeWith({ passthroughBelow: 10 });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([Object.keys(office())]);
    expect(decisions()).toEqual([]);
  });

  it("searches the agent's own tools with includeResolvedTools", async () => {
    const agent = { tools: office() };
    const { say } = officeWith({ tools: {}, includeResolvedTools: true }, ['get_weather'], { agent });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([['get_weather'], ['get_weather']]);
  });
});
