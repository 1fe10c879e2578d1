import fc from 'fast-check';
import type { LoadToolResult, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { callIn, Session } from './session.ts';

const office = () => toolRecord(weather(), email(), tool('create_issue', 'Open a bug.'));
const numbered = (count: number) => toolRecord(...Array.from({ length: count }, (_, n) => tool(`t${n}`)));

describe('load_tool with toolName', () => {
  it('loads the tool, which can be called on the next step', async () => {
    const session = new Session({ tools: office() });
    expect(await session.load({ toolName: 'get_weather' })).toEqual({
      success: true,
      message: 'Tool "get_weather" loaded successfully. Call it now.',
      toolName: 'get_weather',
      loaded: ['get_weather'],
    });
    expect(await session.sent()).toEqual(['get_weather']);
  });

  it('says at the second call that the tool needs no load', async () => {
    const session = new Session({ tools: office() });
    await session.load({ toolName: 'get_weather' });
    expect(await session.load({ toolName: 'get_weather' })).toEqual({
      success: true,
      message: 'Tool "get_weather" needs no loading: it is in your list. Do not load it again. Call it now.',
      toolName: 'get_weather',
      loaded: ['get_weather'],
    });
  });

  it('says so at a second call of the same step too', async () => {
    const { tools } = await new Session({ tools: office() }).step();
    const load = () => callIn<LoadToolResult>(tools, 'load_tool', { toolNames: ['get_weather'] });
    expect((await load()).loaded).toEqual(['get_weather']);
    expect(await load()).toMatchObject({ loadedCount: 0, alreadyLoaded: ['get_weather'] });
  });

  it('says how to find a tool when the name is unknown', async () => {
    expect(await new Session({ tools: office() }).load({ toolName: 'qqqq' })).toEqual({
      success: false,
      message: 'Tool "qqqq" not found. Use search_tools to find available tools.',
      toolName: 'qqqq',
    });
  });

  it('accepts a record key, and answers with the name', async () => {
    const session = new Session({ tools: { wx: weather() } });
    expect(await session.load({ toolName: 'wx' })).toMatchObject({ success: true, toolName: 'get_weather' });
    expect(await session.load({ toolName: 'wx' })).toMatchObject({
      message: 'Tool "get_weather" needs no loading: it is in your list. Do not load it again. Call it now.',
    });
  });
});

describe('load_tool with toolNames', () => {
  it('loads the tools in the order asked', async () => {
    const session = new Session({ tools: office() });
    expect(await session.load({ toolNames: ['send_email', 'get_weather'] })).toEqual({
      success: true,
      message: 'Loaded: send_email, get_weather — call them now',
      loadedCount: 2,
      loaded: ['send_email', 'get_weather'],
    });
    expect(await session.sent()).toEqual(['send_email', 'get_weather']);
  });

  it('lists tools as loaded, loaded before, or unknown', async () => {
    const session = new Session({ tools: office() });
    await session.load({ toolName: 'send_email' });
    expect(await session.load({ toolNames: ['get_weather', 'qqqq', 'send_email', 'createIssue'] })).toEqual({
      success: false,
      message:
        'Loaded: get_weather — call it now | Already loaded: send_email | Not found: qqqq, createIssue (did you mean create_issue?)',
      loadedCount: 1,
      loaded: ['get_weather'],
      notFound: ['qqqq', 'createIssue'],
      alreadyLoaded: ['send_email'],
    });
  });

  it('loads a tool once that is named by its id and by its record key', async () => {
    const session = new Session({ tools: { wx: weather() } });
    const result = await session.load({ toolNames: ['wx', 'get_weather', 'wx', 'get_weather'] });
    expect(result).toMatchObject({ loadedCount: 1, loaded: ['get_weather'] });
  });

  it('looks up 100 names, loads 20 tools, and says how many more there are', async () => {
    const session = new Session({ tools: numbered(130) });
    const result = await session.load({ toolNames: Object.keys(numbered(130)) });
    expect(result).toMatchObject({ success: false, loaded: Object.keys(numbered(20)) });
    expect(result.message).toContain(' | 30 more name(s) were ignored; load fewer at a time');
    expect(result.message).toContain(' 80 more were not loaded, as one call loads no more: t20, ');
    expect(await session.sent()).toHaveLength(20);
  });

  it('counts a name once that is given twice', async () => {
    const session = new Session({ tools: numbered(20) });
    const names = Object.keys(numbered(20));
    expect(await session.load({ toolNames: [...names, ...names] })).toMatchObject({ success: true, loadedCount: 20 });
  });

  it('puts each given name in exactly one list', async () => {
    const pool = ['get_weather', 'send_email', 'create_issue', 'qqqq', 'zzzz', 'get_wether'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...pool), { minLength: 1 }),
        fc.subarray(pool),
        async (asked, before) => {
          const session = new Session({ tools: office() });
          if (before.length > 0) await session.load({ toolNames: before });
          const {
            loaded = [],
            alreadyLoaded = [],
            notFound = [],
            loadedCount,
          } = await session.load({ toolNames: asked });
          const names = [...new Set(asked)];
          const known = names.filter((name) => Object.hasOwn(office(), name));
          expect(loaded).toEqual(known.filter((name) => !before.includes(name)));
          expect(alreadyLoaded).toEqual(known.filter((name) => before.includes(name)));
          expect(notFound).toEqual(names.filter((name) => !known.includes(name)));
          expect(loadedCount).toBe(loaded.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('load_tool finds names', () => {
  it.each([
    { input: { toolNames: 'get_weather' }, loaded: ['get_weather'], why: 'a bare text' },
    { input: { toolNames: '["get_weather","send_email"]' }, loaded: ['get_weather', 'send_email'], why: 'JSON' },
    { input: { toolNames: ' ["get_weather"] ' }, loaded: ['get_weather'], why: 'JSON with spaces around' },
    { input: { toolNames: 'get_weather, send_email' }, loaded: ['get_weather', 'send_email'], why: 'commas' },
    {
      input: { toolName: 'get_weather,send_email' },
      loaded: ['get_weather', 'send_email'],
      why: 'two names in one text',
    },
    {
      input: { toolNames: [['get_weather'], { name: 'send_email' }] },
      loaded: ['get_weather', 'send_email'],
      why: 'lists and objects in a list',
    },
    {
      input: { toolNames: ['get_weather,send_email'] },
      loaded: ['get_weather', 'send_email'],
      why: 'commas in a list',
    },
    { input: { toolNames: [' get_weather '] }, loaded: ['get_weather'], why: 'white space around' },
    { input: { toolNames: ['get_weather', '', ' '] }, loaded: ['get_weather'], why: 'empty ones between' },
    { input: { toolNames: ['get_weather', 7, null, {}] }, loaded: ['get_weather'], why: 'other things between' },
    {
      input: { toolName: ['get_weather', 'send_email'] },
      loaded: ['get_weather', 'send_email'],
      why: 'a list in toolName',
    },
    {
      input: { toolName: ['get_weather'], toolNames: ['send_email'] },
      loaded: ['get_weather', 'send_email'],
      why: 'two lists',
    },
    {
      input: { toolName: 'get_weather', toolNames: ['send_email'] },
      loaded: ['send_email', 'get_weather'],
      why: 'both, as in @mastra/core',
    },
    {
      input: { toolName: '', toolNames: ['get_weather'] },
      loaded: ['get_weather'],
      why: 'both, as strict models fill them',
    },
    { input: { toolName: 'get_weather', toolNames: ['get_weather'] }, loaded: ['get_weather'], why: 'both, the same' },
    { input: { toolName: 'get_weather', toolNames: [] }, loaded: ['get_weather'], why: 'both, one of them empty' },
    { input: '{"toolNames":["get_weather"]}', loaded: ['get_weather'], why: 'the whole input as JSON' },
  ])('in $why', async ({ input, loaded }) => {
    const session = new Session({ tools: office() });
    expect(await session.load(input)).toMatchObject({ success: true, loaded, loadedCount: loaded.length });
    expect(await session.sent()).toEqual(loaded);
  });

  it.each([
    { input: { toolName: ' get_weather ' }, why: 'white space around' },
    { input: { toolName: '["get_weather"]' }, why: 'a list of one as JSON' },
    { input: { toolName: 'get_weather', toolNames: null }, why: 'null for what is not given' },
    { input: { toolName: 'get_weather', reason: 'because' }, why: 'unknown fields' },
    { input: '{"toolName":"get_weather"}', why: 'the whole input as JSON' },
  ])('in a single toolName: $why', async ({ input }) => {
    const result = await new Session({ tools: office() }).load(input);
    expect(result).toMatchObject({ success: true, toolName: 'get_weather' });
    expect(result).not.toHaveProperty('loadedCount');
  });

  it.each([
    {},
    { toolName: '' },
    { toolName: ' ' },
    { toolName: 7 },
    { toolName: null },
    null,
    'get_weather',
    '{"too',
    [],
  ])('nowhere in %j, and asks for them', async (input) => {
    expect(await new Session({ tools: office() }).load(input)).toEqual({
      success: false,
      message: 'You must provide either toolName (string) or toolNames (array) to load.',
    });
  });

  it.each([
    { toolNames: [] },
    { toolNames: '' },
    { toolNames: [''] },
    { toolNames: ',' },
    { toolNames: {} },
    { toolName: [] },
  ])('nowhere in %j, and says that the list is empty', async (input) => {
    expect(await new Session({ tools: office() }).load(input)).toEqual({
      success: false,
      message: 'toolNames array must not be empty.',
    });
  });
});

describe('load_tool with the name of a tool that is always sent', () => {
  it.each([
    { name: 'own', why: "the agent's own" },
    { name: 'get_weather', why: 'pinned by alwaysLoaded' },
    { name: 'search_tools', why: 'a meta-tool' },
  ])('says that it needs no load: $why', async ({ name }) => {
    const session = new Session({ tools: office(), alwaysLoaded: ['get_weather'] });
    const { tools } = await session.step({ tools: { own: tool('own') } });
    expect(await callIn(tools, 'load_tool', { toolName: name })).toEqual({
      success: true,
      message: `Tool "${name}" needs no loading: it is in your list. Do not load it again. Call it now.`,
      toolName: name,
    });
    expect(session.eventsOf('load')).toEqual([{ type: 'load', loaded: [], alreadyLoaded: [name], notFound: [] }]);
  });
});

describe('the event load', () => {
  it('says what came of each call', async () => {
    const filter: ToolSearchFilter = ({ phase, toolName }) => phase !== 'load' || toolName !== 'create_issue';
    const session = new Session({ tools: office(), filter });
    await session.load({ toolName: 'get_weather' });
    await session.load({ toolNames: ['get_weather', 'send_email', 'create_issue', 'qqqq'] });
    await session.load({});
    expect(session.eventsOf('load')).toEqual([
      { type: 'load', loaded: ['get_weather'], alreadyLoaded: [], notFound: [] },
      {
        type: 'load',
        loaded: ['send_email'],
        alreadyLoaded: ['get_weather'],
        notFound: ['qqqq'],
        denied: ['create_issue'],
      },
    ]);
  });
});
