import { TokenLimiterProcessor } from '@mastra/core/processors';
import { type AddOptions, memoryStore, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { call, calls, load, META, rig, tool, toolRecord } from '../../support/harness.ts';
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

  it.each(['in-memory', 'context'] as const)(
    'keeps a tool for the next run only when it was called, with storage %s',
    async (storage) => {
      for (const called of [[], ['get_weather']]) {
        const { say } = officeWith({ storage }, called, { agent: withMemory() });
        await say(ASKS_FOR_WEATHER, inThread('t'), mode);
        expect((await say(CHATS, inThread('t'), mode))[0]).toEqual(called);
      }
    },
  );
});

describe('preselect', () => {
  it('is off by default', async () => {
    const { say, decisions } = officeWith({ preselect: false });
    expect(await say(ASKS_FOR_WEATHER)).toEqual([[]]);
    const { agent, model } = rig({ tools: office() }, { script: calls() });
    await agent.generate(ASKS_FOR_WEATHER);
    expect([model.sent(0), decisions()]).toEqual([META, []]);
  });

  it.each([
    [CHATS, 'no-text'],
    ['Hello! How are you today?', 'no-text'],
    ['…', 'no-text'],
    ['xyzzy plugh', 'no-match'],
    ['My grandmother used to tell long stories about the old country and its many rivers', 'below-confidence'],
  ])('sends nothing for "%s": %s', async (message, reason) => {
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

  it.each<[why: string, confidences: number[], count: number, preselect?: object]>([
    ['the best one, where it is clear', [0.9, 0.8], 1],
    ['the best one, 0.55 as likely as wanted', [0.45, 0.09], 1],
    ['another, an eighth as likely as wanted', [0.45, 0.11], 2],
    ['none, where the best one is less likely', [0.43, 0.43], 0],
    ['two that may be meant', [0.52, 0.42], 2],
    ['three, where certainty is wanted', [0.9, 0.85, 0.82], 3, { minConfidence: 1 }],
    ['two at most', [0.9, 0.85, 0.82], 2, { minConfidence: 1, maxTools: 2 }],
    ['the best one, whatever it is', [0.01, 0.01], 1, { minConfidence: 0 }],
    ['only what is clear', [0.54, 0.54], 0, { minConfidence: 1 }],
  ])('sends %s: of the confidences %j, %d', async (_, confidences, count, preselect = {}) => {
    const names = ['get_weather', 'send_email', 'create_invoice'];
    const lines = confidences.map((confidence, place): Line => [names[place] ?? '', 3 - place, confidence]);
    const { say, events } = officeWith({ preselect, search: { scorer: scripted({ 'do my work': lines }) } });
    expect(await say('do my work')).toEqual([names.slice(0, count)]);
    const wrong = confidences.slice(0, count).reduce((product, confidence) => product * (1 - confidence), 1);
    const told = count === 0 ? confidences[0]! : 1 - wrong;
    expect(events.find(({ type }) => type === 'preselect')).toMatchObject({ confidence: expect.closeTo(told) });
  });

  it('counts a tool that is there, and sends the next that is likely', async () => {
    const lines: Line[] = [
      ['get_weather', 3, 0.45],
      ['send_email', 2, 0.42],
      ['create_invoice', 1, 0.41],
    ];
    const search = { scorer: scripted({ 'do my work': lines }) };
    const { say } = officeWith({ preselect: { minConfidence: 0.5 }, alwaysLoaded: ['get_weather'], search });
    expect(await say('do my work')).toEqual([['get_weather', 'send_email']]);
  });

  it('sends first what several clauses of a long message find', async () => {
    const clauses = ['Then look at the first of them.', 'Then look at the second of them.'];
    const long = ['There is a lot to tell about my holidays.'.repeat(9).replaceAll('.', ' '), ...clauses].join(' ');
    const found: Record<string, Line[]> = {
      [long]: [
        ['get_weather', 3, 0.7],
        ['send_email', 2, 0.3],
      ],
      [clauses[1]!]: [
        ['send_email', 3, 0.6],
        ['create_invoice', 2, 0.2],
      ],
    };
    const { say } = officeWith({ preselect: { minConfidence: 1 }, search: { scorer: scripted(found) } });
    expect(await say(long)).toEqual([['send_email', 'get_weather', 'create_invoice']]);
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
});
