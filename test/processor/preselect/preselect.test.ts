import { TokenLimiterProcessor } from '@mastra/core/processors';
import { bm25Scorer, memoryStore, type ToolScorer, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Session } from '../../meta-tools/session.ts';
import { through } from '../../modes/call/setup.ts';
import { call, calls, fillerTools, load, META, rig, tool, toolRecord } from '../../support/agent.ts';
import { lastToolResult, systemText } from '../../support/scripted-model.ts';
import { type Line, scripted } from '../../support/scripted-scorer.ts';
import {
  ASKS_FOR_EMAIL,
  ASKS_FOR_WEATHER,
  CHATS,
  gate,
  inThread,
  inTurns,
  MODES,
  office,
  officeWith,
} from './office.ts';

const WEATHER = call('get_weather');
const t = inThread('t');
const timeouts = { preselect: 10_000 };
const makeAnew = () => [new ToolSearchProcessor({ tools: office(), preselect: true, timeouts })];

const rows: [what: string, options: object, agent?: object][] = [
  ['as it is', {}],
  ['with tools as a function', { tools: async () => office() }],
  ['with a catalog of more than 500 tools', { tools: { ...office(), ...fillerTools(501) } }],
  ['with search.autoLoad', { search: { autoLoad: true } }],
  ['with an injected catalog', { injectCatalog: 'names' }],
  ['with a filter', { filter: () => true }],
  ['with a scope of its own', { scope: () => undefined }],
  ['with a processor that is made for each request', {}, { inputProcessors: makeAnew }],
  ['before a TokenLimiter', {}, { inputProcessors: () => [...makeAnew(), new TokenLimiterProcessor(2_000)] }],
];

describe.each(MODES)('preselect in %s', (mode) => {
  it.each(rows.filter((_, at) => MODES[at % MODES.length] === mode))(
    'sends what the words ask for with the first model call, so that it is called at once: %s',
    async (...row) => {
      const [, options, agent = {}] = row;
      const { say, model, decisions } = officeWith(options, calls(WEATHER), agent);
      expect(await say(ASKS_FOR_WEATHER, {}, mode)).toEqual([['get_weather'], ['get_weather']]);
      expect(lastToolResult(model.calls[1]!.prompt)).toMatchObject({ isError: false, value: { ran: 'get_weather' } });
      if (!('inputProcessors' in agent)) expect(decisions()).toEqual([{ tools: ['get_weather'] }]);
    },
  );

  it.each(['in-memory', 'context'] as const)(
    'keeps a tool for the next run only when it was called: %s',
    async (storage) => {
      for (const called of [[], [WEATHER]]) {
        const { say } = officeWith({ storage }, inTurns(called));
        await say(ASKS_FOR_WEATHER, t, mode);
        expect((await say(CHATS, t, mode))[0]).toEqual(called.map(({ toolName }) => toolName));
      }
    },
  );
});

describe('preselect', () => {
  it('is off by default', async () => {
    const { agent, model } = rig({ tools: office() }, { script: calls() });
    await agent.generate(ASKS_FOR_WEATHER);
    expect(model.sent(0)).toEqual(META);
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

  const query = (messages: readonly object[]): string => (messages.length === 1 ? ASKS_FOR_EMAIL : '');
  it.each<[what: string, message: string, sent: string, options?: object]>([
    ['what `query` makes of the conversation', ASKS_FOR_WEATHER, 'send_email', { preselect: { query } }],
    ['words, and no selection', 'select: send_email', 'send_email'],
    ['words, of which none is required', `${ASKS_FOR_WEATHER} Call me: +49 +unheard`, 'get_weather'],
  ])('searches %s', async (_, message, sent, options) => {
    expect(await officeWith(options).say(message)).toEqual([[sent]]);
  });

  it.each<[why: string, confidences: number[], count: number, preselect?: object]>([
    ['the best one, where it is clear', [0.9, 0.8], 1],
    ['the best one, as likely as wanted', [0.5, 0.29], 1],
    ['another, 0.6 times as likely as wanted', [0.5, 0.31], 2],
    ['none, where the best one is less likely', [0.49, 0.49], 0],
    ['two at most', [0.6, 0.55, 0.5], 2],
    ['three, where so many are wanted', [0.6, 0.55, 0.5], 3, { maxTools: 3 }],
    ['two, where these are clear together', [0.7, 0.68, 0.66], 2, { maxTools: 3 }],
    ['the best ones, whatever they are', [0.01, 0.01], 2, { minConfidence: 0 }],
    ['only what is clear', [0.89, 0.89], 0, { minConfidence: 0.9 }],
  ])('sends %s: of the confidences %j, %d', async (_, confidences, count, preselect = {}) => {
    const names = ['get_weather', 'send_email', 'create_invoice'];
    const lines = confidences.map((confidence, place): Line => [names[place] ?? '', 3 - place, confidence]);
    const { say, events } = officeWith({ preselect, search: { scorer: scripted({ 'do my work': lines }) } });
    expect(await say('do my work')).toEqual([names.slice(0, count)]);
    const wrong = confidences.slice(0, count).reduce((product, confidence) => product * (1 - confidence), 1);
    const told = count === 0 ? confidences[0]! : 1 - wrong;
    expect(events.find(({ type }) => type === 'preselect')).toMatchObject({ confidence: expect.closeTo(told) });
  });

  it.each<[message: string, tool: string, isSent: boolean, destructiveHint?: boolean]>([
    ['delete my account', 'kube_kubectl_delete', false],
    ['delete my account', 'kube_kubectl_delete', false, true],
    ['delete my account', 'user_delete_account', true, true],
    ['delete the file report.pdf', 'kube_kubectl_delete', false, true],
    ['delete the file report.pdf', 'drive_delete_file', true],
    ['remove the pic of my dog', 'delete_picture', true],
    ['delete the comment of Tom', 'delete_comments', true],
    ['delete the contact of Tom', 'delete_contact_property', false],
    ['delete the post of Tom', 'delete_post', true],
    ['run the cleanup', 'run_job', false, true],
    ['run the job', 'run_job', true, true],
    ['run the cleanup', 'run_job', true],
    ['delete it', 'delete', false],
  ])('sends what destroys only where its object is asked for: "%s", %s, %s', async (message, name, isSent, hint) => {
    const mcp = hint ? { annotations: { destructiveHint: true } } : {};
    const tools = { ...office(), ...toolRecord({ ...tool(name, 'Works on it.'), mcp } as never) };
    const inner = bm25Scorer();
    const scorer: ToolScorer = {
      name: 'sure',
      async index(documents) {
        const index = await inner.index(documents);
        return {
          search: () => [{ name, score: 1 }],
          confidence: (_, names) => names.map(() => 0.9),
          explain: (query, of) => index.explain?.(query, of),
        };
      },
    };
    const { say, decisions } = officeWith({ tools, search: { scorer } });
    expect(await say(message)).toEqual([isSent ? [name] : []]);
    expect(decisions()).toEqual([isSent ? { tools: [name] } : { tools: [], reason: 'no-match' }]);
  });

  it('counts a tool that is there, and sends the next that is likely', async () => {
    const lines: Line[] = Object.keys(office()).map((name, place) => [name, 5 - place, 0.6 - place / 100]);
    const search = { scorer: scripted({ 'do my work': lines }) };
    const { say } = officeWith({ alwaysLoaded: ['get_weather'], search });
    expect(await say('do my work')).toEqual([['get_weather', 'send_email', 'create_invoice']]);
  });

  it('sends first what several clauses of a long message find', async () => {
    const clauses = ['Then look at the first of them.', 'Then look at the second of them.'];
    const long = ['There is a lot to tell about my holidays.'.repeat(9).replaceAll('.', ' '), ...clauses].join(' ');
    const lines = (...found: [name: string, confidence: number][]) =>
      found.map(([name, confidence], place): Line => [name, 3 - place, confidence]);
    const whole = lines(['get_weather', 0.7], ['send_email', 0.3]);
    const clause = lines(['send_email', 0.6], ['create_invoice', 0.2]);
    const search = { scorer: scripted({ [long]: whole, [clauses[1]!]: clause }) };
    const { say } = officeWith({ preselect: { minConfidence: 0.3, maxTools: 3 }, search });
    expect(await say(long)).toEqual([['send_email', 'get_weather', 'create_invoice']]);
  });

  it('appends to the list, and to that of the caller: behind own and loaded tools, before what the run loads', async () => {
    const script = inTurns([load('list_holidays')], [load('create_invoice'), WEATHER]);
    const { say } = officeWith({}, script, { tools: toolRecord(tool('clock'), tool('hidden')) });
    const request = { ...t, activeTools: ['clock'] };
    await say(CHATS, request);
    const begun = ['clock', 'list_holidays', 'get_weather'];
    const later = [...begun, 'create_invoice'];
    expect(await say(ASKS_FOR_WEATHER, request)).toEqual([begun, later, later]);
  });

  it('sends nothing besides what is there already', async () => {
    const { say, decisions } = officeWith({}, inTurns([WEATHER]));
    await say(ASKS_FOR_WEATHER, t);
    expect((await say(ASKS_FOR_WEATHER, t))[0]).toEqual(['get_weather']);
    const pinned = officeWith({ alwaysLoaded: ['get_weather'] });
    expect(await pinned.say(ASKS_FOR_WEATHER)).toEqual([['get_weather']]);
    for (const last of [decisions()[1], pinned.decisions()[0]])
      expect(last).toEqual({ tools: [], reason: 'already-there' });
    const whole = officeWith({ passthroughBelow: 10 });
    expect(await whole.say(ASKS_FOR_WEATHER)).toEqual([Object.keys(office())]);
    expect(whole.decisions()).toEqual([]);
  });

  it('makes no loaded tool go, and goes before one when the run loads more', async () => {
    const full = officeWith({ maxLoaded: { tools: 1 } }, inTurns([WEATHER]));
    await full.say(ASKS_FOR_WEATHER, t);
    expect((await full.say(ASKS_FOR_EMAIL, t))[0]).toEqual(['get_weather']);
    expect(full.decisions()[1]).toEqual({ tools: [], reason: 'no-room' });
    const two = officeWith({ maxLoaded: { tools: 1 } }, calls(load('create_invoice')));
    expect(await two.say(ASKS_FOR_WEATHER)).toEqual([['get_weather'], ['create_invoice']]);
  });

  it('says that a preselected tool is loaded, when the model loads it', async () => {
    const { say, model } = officeWith({}, calls(load('get_weather')));
    await say(ASKS_FOR_WEATHER, t);
    const message = expect.stringContaining('needs no loading');
    expect(lastToolResult(model.calls[1]!.prompt)?.value).toMatchObject({ success: true, message });
  });

  it('is seen in getLoadedToolsForRequestContext() of its run', async () => {
    const session = new Session({ tools: office(), preselect: true, timeouts });
    const { messageList, requestContext, processor } = session;
    messageList.add({ role: 'user', content: ASKS_FOR_WEATHER }, 'input');
    expect(await session.sent()).toEqual(['get_weather']);
    const stepArgs = { messageList, requestContext } as never;
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ stepArgs }))).toEqual(['get_weather']);
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({});
  });

  it('writes to the store what is called, once, and nothing else', async () => {
    const storage = memoryStore();
    const add = vi.spyOn(storage, 'add');
    const { say } = officeWith({ storage, onMiss: 'error' }, inTurns([], [WEATHER, WEATHER]));
    await say(ASKS_FOR_EMAIL, t);
    expect(add).not.toHaveBeenCalled();
    await say(ASKS_FOR_WEATHER, t);
    expect(add.mock.calls.map(([, names]) => names)).toEqual([['get_weather']]);
  });

  it('keeps runs of one thread apart', async () => {
    const { say } = officeWith();
    const runs = await Promise.all([ASKS_FOR_WEATHER, ASKS_FOR_EMAIL, CHATS].map((text) => say(text, t)));
    // The calls of runs at the same time are counted together.
    expect(new Set(runs.flat().map(String))).toEqual(new Set(['get_weather', 'send_email', '']));
    expect(await say(CHATS, t)).toEqual([[]]);
  });
});

describe('a preselected tool', () => {
  const select = call('search_tools', { query: 'select:get_weather' });
  it.each<[how: string, asked: ReturnType<typeof call>, options: object]>([
    ['load_tool', load('get_weather'), {}],
    ['load_tool, kept in the conversation', load('get_weather'), { storage: 'context' }],
    ['load_tool, among others', call('load_tool', { toolNames: ['get_*', 'send_email'] }), {}],
    ['a select:', select, { storage: 'context' }],
    ['a select:, with autoLoad', select, { search: { autoLoad: true } }],
    [
      'a search, with autoLoad',
      call('search_tools', { query: 'weather of a city' }),
      { search: { autoLoad: true }, storage: 'context' },
    ],
  ])('stays for the thread once the model loads it by %s', async (_, asked, options) => {
    const { say } = officeWith(options, inTurns([asked]));
    expect((await say(ASKS_FOR_WEATHER, t))[0]).toEqual(['get_weather']);
    expect((await say(CHATS, t))[0]).toContain('get_weather');
  });

  it('stays where it was called in the last step, though another run of the thread began meanwhile', async () => {
    const [first, second] = [gate(), gate()];
    const { say } = officeWith({}, async ({ prompt, step }) => {
      const text = JSON.stringify(prompt.findLast(({ role }) => role === 'user'));
      if (!text.includes('weather') || step > 0) return { text: 'done' };
      first.open();
      await second.passed;
      return { toolCalls: [WEATHER] };
    });
    const cut = say(ASKS_FOR_WEATHER, { ...t, maxSteps: 1 });
    await first.passed;
    await say(ASKS_FOR_EMAIL, t);
    second.open();
    await cut;
    expect((await say(CHATS, t))[0]).toEqual(['get_weather']);
  });

  it('is suggested in call mode, in the same words over all steps, also once it was called', async () => {
    const { say, model } = officeWith({ mode: 'call' }, calls(through('get_weather'), through('get_weather')));
    await say(ASKS_FOR_WEATHER);
    const texts = model.calls.map(({ prompt }) => systemText(prompt));
    expect(texts[0]).toContain('<suggested-tools>');
    expect([texts.length, new Set(texts).size]).toEqual([3, 1]);
  });

  it('does not come back by an old call, nor once it was unloaded', async () => {
    const old = officeWith({}, inTurns([WEATHER]));
    await old.say(ASKS_FOR_WEATHER, t);
    await old.processor.unload({ threadId: 't', resourceId: 'ada' }, ['get_weather']);
    expect(await old.say(ASKS_FOR_WEATHER, t)).toEqual([['get_weather']]);
    expect(await old.say(CHATS, t)).toEqual([[]]);

    const unload = call('unload_tool', { toolNames: ['get_weather'] });
    const script = inTurns([], [load('get_weather'), WEATHER, unload], [], [unload]);
    const { say } = officeWith({ metaTools: { unload: true } }, script);
    expect(await say(ASKS_FOR_WEATHER, t)).toEqual([['get_weather']]);
    await say(CHATS, t);
    expect(await say(CHATS, t)).toEqual([[]]);
    expect(await say(ASKS_FOR_WEATHER, t)).toEqual([['get_weather'], []]);
  });
});
