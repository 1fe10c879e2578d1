import type { LoadToolResult, SearchToolsResult, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { callIn, Session } from './session.ts';

const office = () => toolRecord(weather(), email(), tool('create_issue', 'Open a bug.'));
const numbered = (count: number) => toolRecord(...Array.from({ length: count }, (_, n) => tool(`t${n}`)));
const names = (count: number): string[] => Object.keys(numbered(count));
const denying =
  (denied: string, ...toolNames: string[]): ToolSearchFilter =>
  ({ phase, toolName }) =>
    phase !== denied || (toolNames.length > 0 && !toolNames.includes(toolName));

describe('a load of several tools', () => {
  it.each([
    { what: 'an unknown one and one without room', toolNames: ['t0', 't1', 'qqqq'], maxLoaded: { tools: 1 } },
    { what: 'an unknown one and one too many for a call', toolNames: [...names(21), 'qqqq'], maxLoaded: {} },
    { what: 'one without room alone', toolNames: ['t0', 't1'], maxLoaded: { tools: 1 } },
  ])('has no success with $what', async ({ toolNames, maxLoaded }) => {
    const result = await new Session({ tools: numbered(21), maxLoaded }).load({ toolNames });
    expect(result).toMatchObject({ success: false, loaded: expect.arrayContaining(['t0']) });
  });

  it('without room for any says so, and nothing else', async () => {
    const session = new Session({ tools: office(), maxLoaded: { tokens: 1 } });
    expect(await session.load({ toolNames: ['get_weather', 'send_email'] })).toEqual({
      success: false,
      message: 'No room for: get_weather, send_email. Load fewer at a time.',
      loadedCount: 0,
    });
  });
});

describe('a request that can search for nothing', () => {
  const NOTHING =
    'No other tools are available at the moment. Searching again does not help now: go on without, or say what is missing.';

  it.each([
    { why: 'the catalog is empty', tools: {} },
    { why: 'the search phase hides all tools', tools: office(), filter: denying('search') },
  ])('is told so when it loads nothing but unknown names: $why', async ({ tools, filter }) => {
    const session = new Session({ tools, ...(filter ? { filter } : {}) });
    const { message } = await session.load({ toolNames: ['qqqq', 'zzzz'] });
    expect(message).toBe(`Not found: qqqq, zzzz. ${NOTHING}`);
  });

  it.each([
    { what: 'loads a tool', before: [], toolNames: ['t0'], maxLoaded: {} },
    { what: 'asks for a loaded one', before: ['t0'], toolNames: ['t0'], maxLoaded: {} },
    { what: 'loads one, and another is loaded before', before: ['t0'], toolNames: ['t0', 't1'], maxLoaded: {} },
    { what: 'loads one, and has no room for another', before: [], toolNames: ['t0', 't1'], maxLoaded: { tools: 1 } },
    { what: 'has no room for one', before: [], toolNames: ['t0'], maxLoaded: { tokens: 1 } },
    { what: 'loads as many as it leaves for another call', before: [], toolNames: names(40), maxLoaded: {} },
  ])('is not told so when it $what', async ({ before, toolNames, maxLoaded }) => {
    const session = new Session({ tools: numbered(40), filter: denying('search'), maxLoaded });
    await session.load({ toolNames: before });
    expect((await session.load({ toolNames })).message).not.toContain(NOTHING);
  });
});

describe('a tool that makes room', () => {
  it('can be loaded again in the same step', async () => {
    const session = new Session({ tools: office(), maxLoaded: { tools: 1 } });
    await session.load({ toolName: 'get_weather' });
    const { tools } = await session.step();
    const load = (toolName: string) => callIn<LoadToolResult>(tools, 'load_tool', { toolName });
    expect(await load('send_email')).toMatchObject({ loaded: ['send_email'], unloaded: ['get_weather'] });
    expect(await load('get_weather')).toMatchObject({ loaded: ['get_weather'], unloaded: ['send_email'] });
    expect(await session.sent()).toEqual(['get_weather']);
  });

  it.each([
    { phase: 'load', unloaded: ['get_weather'], why: 'another phase denies it' },
    { phase: 'active', unloaded: undefined, why: 'the request was not sent it' },
  ])('is named as unloaded: $unloaded, where $why', async ({ phase, unloaded }) => {
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

it('select: shows no tool for which there is no room', async () => {
  const session = new Session({ tools: office(), maxLoaded: { tools: 1 } });
  const { results, message } = await session.search({ query: 'select:get_weather,send_email' });
  expect(results.map(({ name }) => name)).toEqual(['get_weather']);
  expect(message).toContain('No room for: send_email.');
});

it('a tool of the agent that the caller has switched off is neither loaded nor called loaded', async () => {
  const session = new Session({ tools: office() });
  const { tools } = await session.step({ tools: { get_weather: weather() }, activeTools: [] });
  const loaded = await callIn<LoadToolResult>(tools, 'load_tool', { toolNames: ['get_weather', 'send_email'] });
  expect(loaded).toMatchObject({ success: false, loaded: ['send_email'], notFound: ['get_weather'] });
  const selected = await callIn<SearchToolsResult>(tools, 'search_tools', { query: 'select:get_weather' });
  expect(selected).toMatchObject({ results: [], loaded: [] });
});
