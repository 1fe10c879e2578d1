import fc from 'fast-check';
import type { LoadToolResult, SearchToolsResult, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { tool, weather } from '../support/agent.ts';
import { callIn, denying, numbered, office, Session } from './session.ts';

describe('load_tool with toolName', () => {
  it('loads the tool by name or record key, which is sent from the next step on, and says then that it needs no load', async () => {
    const session = new Session({ tools: { wx: weather() } });
    const loaded = { success: true, toolName: 'get_weather', loaded: ['get_weather'] };
    const message = 'Tool "get_weather" loaded successfully. Call it now.';
    expect(await session.load({ toolName: 'wx' })).toEqual({ ...loaded, message });
    expect(await session.sent()).toEqual(['get_weather']);
    for (const toolName of ['get_weather', 'wx']) {
      const again = expect.stringContaining('"get_weather"');
      expect(await session.load({ toolName })).toEqual({ ...loaded, message: again });
    }
  });

  it.each([
    ["the agent's own", 'own'],
    ['pinned by alwaysLoaded', 'get_weather'],
    ['a meta-tool', 'search_tools'],
  ])('says that a tool that is always sent needs no load: %s', async (_, name) => {
    const session = new Session({ tools: office(), alwaysLoaded: ['get_weather'] });
    const { tools } = await session.step({ tools: { own: tool('own') } });
    const message = expect.stringContaining(`"${name}" needs no loading`);
    expect(await callIn(tools, 'load_tool', { toolName: name })).toEqual({ success: true, message, toolName: name });
    expect(session.eventsOf('load')).toEqual([{ type: 'load', loaded: [], alreadyLoaded: [name], notFound: [] }]);
  });
});

describe('load_tool with toolNames', () => {
  it('lists tools as loaded in the order asked, loaded before, or unknown, within a step as well', async () => {
    const session = new Session({ tools: office() });
    const { tools } = await session.step();
    const load = (...toolNames: string[]) => callIn<LoadToolResult>(tools, 'load_tool', { toolNames });
    expect(await load('send_email', 'get_weather')).toEqual({
      success: true,
      message: 'Loaded: send_email, get_weather — call them now',
      loadedCount: 2,
      loaded: ['send_email', 'get_weather'],
    });
    const lists = { alreadyLoaded: ['get_weather'], loaded: [], notFound: ['qqqq', 'createIssue'] };
    expect(await load('qqqq', 'get_weather', 'createIssue')).toMatchObject({
      ...{ success: false, loadedCount: 0, alreadyLoaded: lists.alreadyLoaded, notFound: lists.notFound },
      message: 'Already loaded: get_weather | Not found: qqqq, createIssue (did you mean create_issue?)',
    });
    expect(await session.sent()).toEqual(['send_email', 'get_weather']);
    expect(session.eventsOf('load')[1]).toMatchObject(lists);
  });

  it('looks up 100 names, each once, loads 20 tools, and says how many more there are', async () => {
    const session = new Session({ tools: numbered(130) });
    const result = await session.load({ toolNames: Object.keys(numbered(130)) });
    expect(result).toMatchObject({ success: false, loaded: Object.keys(numbered(20)) });
    expect(result.message).toContain(' | 30 more name(s) were ignored; load fewer at a time');
    expect(result.message).toContain(' 80 more were not loaded, as one call loads no more: t20, ');
    const names = Object.keys(numbered(20));
    const twice = await new Session({ tools: numbered(20) }).load({ toolNames: [...names, ...names, ...names] });
    expect(twice).toMatchObject({ success: true, loadedCount: 20 });
    const wx = await new Session({ tools: { wx: weather() } }).load({ toolNames: ['wx', 'get_weather', 'wx'] });
    expect(wx).toMatchObject({ loadedCount: 1, loaded: ['get_weather'] });
  });

  it('puts each given name in exactly one list', async () => {
    const pool = ['get_weather', 'send_email', 'create_issue', 'qqqq', 'zzzz', 'get_wether'];
    const given = fc.array(fc.constantFrom(...pool), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(given, fc.subarray(pool), async (asked, before) => {
        const session = new Session({ tools: office() });
        if (before.length > 0) await session.load({ toolNames: before });
        const { loaded = [], alreadyLoaded = [], notFound = [], ...rest } = await session.load({ toolNames: asked });
        const names = [...new Set(asked)];
        const known = names.filter((name) => Object.hasOwn(office(), name));
        expect(loaded).toEqual(known.filter((name) => !before.includes(name)));
        expect(alreadyLoaded).toEqual(known.filter((name) => before.includes(name)));
        expect(notFound).toEqual(names.filter((name) => !known.includes(name)));
        expect(rest.loadedCount).toBe(loaded.length);
      }),
      { numRuns: 40 },
    );
  });
});

describe('load_tool finds names', () => {
  const one = ['get_weather'];
  const two = ['get_weather', 'send_email'];
  it.each<[why: string, input: unknown, loaded: string[]]>([
    ['a bare text', { toolNames: 'get_weather' }, one],
    ['JSON', { toolNames: ' ["get_weather","send_email"]' }, two],
    ['commas', { toolNames: 'get_weather, send_email' }, two],
    ['two names in one text', { toolName: 'get_weather,send_email' }, two],
    ['lists and objects in a list', { toolNames: [['get_weather'], { name: 'send_email' }] }, two],
    ['empty ones and other things between', { toolNames: [' get_weather ', '', ' ', 7, null, {}] }, one],
    ['two lists', { toolName: ['get_weather'], toolNames: ['send_email'] }, two],
    ['both, as in @mastra/core', { toolName: 'get_weather', toolNames: ['send_email'] }, two.toReversed()],
    ['both, as strict models fill them', { toolName: '', toolNames: one }, one],
    ['both, one of them empty', { toolName: 'get_weather', toolNames: [] }, one],
    ['the whole input as JSON', '{"toolNames":["get_weather"]}', one],
  ])('in %s', async (_, input, loaded) => {
    const result = await new Session({ tools: office() }).load(input);
    expect(result).toMatchObject({ success: true, loaded, loadedCount: loaded.length });
  });

  it.each([
    ['white space around', { toolName: ' get_weather ' }],
    ['a list of one as JSON', { toolName: '["get_weather"]' }],
    ['the whole input as JSON', '{"toolName":"get_weather"}'],
  ])('in a single toolName: %s', async (_, input) => {
    const result = await new Session({ tools: office() }).load(input);
    expect(result).toMatchObject({ success: true, toolName: 'get_weather' });
    expect(result).not.toHaveProperty('loadedCount');
  });

  it('nowhere, and says so', async () => {
    const session = new Session({ tools: office() });
    const message = 'You must provide either toolName (string) or toolNames (array) to load.';
    const inputs = [{}, { toolName: ' ' }, { toolName: 7 }, { toolName: null }, null, 'get_weather', '{"too', []];
    for (const input of inputs) expect(await session.load(input)).toEqual({ success: false, message });
    const empty = 'toolNames array must not be empty.';
    for (const toolNames of [[], '', [''], ',', {}])
      expect(await session.load({ toolNames })).toEqual({ success: false, message: empty });
    expect(await session.load({ toolName: [] })).toEqual({ success: false, message: empty });
    expect(session.eventsOf('load')).toEqual([]);
  });
});

describe('a load without room', () => {
  it.each([
    { what: 'an unknown one too many for a call', toolNames: [...Object.keys(numbered(21)), 'qqqq'], maxLoaded: {} },
    { what: 'one without room alone', toolNames: ['t0', 't1'], maxLoaded: { tools: 1 } },
  ])('has no success with $what', async ({ toolNames, maxLoaded }) => {
    const result = await new Session({ tools: numbered(21), maxLoaded }).load({ toolNames });
    expect(result).toMatchObject({ success: false, loaded: expect.arrayContaining(['t0']) });
  });

  it('for any says so, and nothing else', async () => {
    const session = new Session({ tools: office(), maxLoaded: { tokens: 1 } });
    const message = 'No room for: get_weather, send_email. Load fewer at a time.';
    const toolNames = ['get_weather', 'send_email'];
    expect(await session.load({ toolNames })).toEqual({ success: false, message, loadedCount: 0 });
  });

  it('is none for a tool that made room: the same step can load it again', async () => {
    const session = new Session({ tools: office(), maxLoaded: { tools: 1 } });
    await session.load({ toolName: 'get_weather' });
    const { tools } = await session.step();
    const load = (toolName: string) => callIn(tools, 'load_tool', { toolName });
    expect(await load('send_email')).toMatchObject({ loaded: ['send_email'], unloaded: ['get_weather'] });
    expect(await load('get_weather')).toMatchObject({ loaded: ['get_weather'], unloaded: ['send_email'] });
    expect(await session.sent()).toEqual(['get_weather']);
  });

  it.each([
    { phase: 'load', unloaded: ['get_weather'], why: 'another phase denies it' },
    { phase: 'active', unloaded: undefined, why: 'the request was not sent it' },
  ])('names $unloaded as the tool that made room, where $why', async ({ phase, unloaded }) => {
    let denied = 'none';
    const filter: ToolSearchFilter = (args) => args.phase !== denied || args.toolName !== 'get_weather';
    const session = new Session({ tools: office(), filter, maxLoaded: { tools: 1 } });
    await session.load({ toolName: 'get_weather' });
    denied = phase;
    const result = await session.load({ toolName: 'send_email' });
    expect([result.success, result.unloaded]).toEqual([true, unloaded]);
    expect(session.eventsOf('evict')).toEqual([{ type: 'evict', toolNames: ['get_weather'] }]);
  });
});

it('a request that can search for nothing is told so when it loads nothing but unknown names', async () => {
  const NOTHING = 'No other tools are available at the moment.';
  const told = async (session: Session, ...toolNames: string[]) => (await session.load({ toolNames })).message;
  const filter = denying('search');
  for (const options of [{ tools: {} }, { tools: office(), filter }])
    expect(await told(new Session(options), 'qqqq', 'zzzz')).toContain(`Not found: qqqq, zzzz. ${NOTHING}`);
  const session = new Session({ tools: numbered(40), filter });
  for (const _ of ['loads', 'has loaded']) expect(await told(session, 't0')).not.toContain(NOTHING);
  const full = new Session({ tools: numbered(40), filter, maxLoaded: { tokens: 1 } });
  expect(await told(full, 't0')).not.toContain(NOTHING);
});

it('a tool of the agent that the caller has switched off is neither loaded nor called loaded', async () => {
  const session = new Session({ tools: office() });
  const { tools } = await session.step({ tools: { get_weather: weather() }, activeTools: [] });
  const loaded = await callIn<LoadToolResult>(tools, 'load_tool', { toolNames: ['get_weather', 'send_email'] });
  expect(loaded).toMatchObject({ success: false, loaded: ['send_email'], notFound: ['get_weather'] });
  const selected = await callIn<SearchToolsResult>(tools, 'search_tools', { query: 'select:get_weather' });
  expect(selected).toMatchObject({ results: [], loaded: [] });
});
