import type { SearchToolsResult, ToolSearchFilter } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, tool, toolRecord, weather } from '../support/harness.ts';
import { callIn, Session } from './session.ts';

const office = () => toolRecord(weather(), email(), tool('create_issue', 'Open a bug.'));
const numbered = (count: number) => toolRecord(...Array.from({ length: count }, (_, n) => tool(`t${n}`)));
const namesOf = ({ results }: SearchToolsResult): string[] => results.map(({ name }) => name);
const denying =
  (denied: string, name: string): ToolSearchFilter =>
  ({ phase, toolName }) =>
    phase !== denied || toolName !== name;

describe('a select: query', () => {
  it('loads by exact name at once, in the order asked', async () => {
    const session = new Session({ tools: office() });
    expect(await session.search({ query: 'select:send_email,get_weather' })).toEqual({
      results: [
        { name: 'send_email', description: 'Send an email message.', score: 1 },
        { name: 'get_weather', description: 'Get the current weather of a city.', score: 1 },
      ],
      message: 'Loaded 2 tool(s): send_email, get_weather. Call them now.',
      loaded: ['send_email', 'get_weather'],
      activation: { type: 'tool-search-auto-load', version: 1, loaded: ['send_email', 'get_weather'] },
    });
    expect(await session.sent()).toEqual(['send_email', 'get_weather']);
  });

  it.each([
    { query: 'SELECT: get_weather', why: 'in capitals, with a space' },
    { query: ' select :get_weather ', why: 'with spaces around' },
    { query: 'select:"get_weather"', why: 'in quotes' },
    { query: 'select:`get_weather`,', why: 'in backticks, with a comma behind' },
    { query: 'select:get_weather,get_weather', why: 'twice' },
    { query: 'select:weather', why: 'by record key' },
    { query: 'select:weather,get_weather', why: 'by name and record key' },
    { query: ['select:get_weather'], why: 'in a list' },
  ])('reads a name $why', async ({ query }) => {
    const { get_weather } = office();
    const session = new Session({ tools: { weather: get_weather as never, email: email() } });
    const result = await session.search({ query });
    expect(namesOf(result)).toEqual(['get_weather']);
    expect(result.loaded).toEqual(['get_weather']);
    expect(await session.sent()).toEqual(['get_weather']);
  });

  it.each([{ query: 'select:' }, { query: 'select: , ,' }, { query: 'select:""' }])(
    'is explained to the model when it has no names: $query',
    async ({ query }) => {
      expect(await new Session({ tools: office() }).search({ query })).toEqual({
        results: [],
        message:
          '"select:" needs exact tool names behind it, separated by commas. Call search_tools with keywords if you do not know them.',
      });
    },
  );

  it('names unknown tools, with what may be meant, and loads the rest', async () => {
    const session = new Session({ tools: office() });
    expect(await session.search({ query: 'select:getWeather,send_email,qqqq' })).toEqual({
      results: [{ name: 'send_email', description: 'Send an email message.', score: 1 }],
      message: 'Loaded 1 tool(s): send_email. Call it now. Not found: getWeather (did you mean get_weather?), qqqq.',
      loaded: ['send_email'],
      activation: { type: 'tool-search-auto-load', version: 1, loaded: ['send_email'] },
    });
  });

  it('says what to do when all names are unknown', async () => {
    expect(await new Session({ tools: office() }).search({ query: 'select:qqqq' })).toEqual({
      results: [],
      message: 'Not found: qqqq. Call search_tools with keywords to find tools.',
      loaded: [],
    });
  });

  it('counts a tool as loaded that was loaded before', async () => {
    const session = new Session({ tools: office() });
    await session.load({ toolName: 'get_weather' });
    const result = await session.search({ query: 'select:send_email,get_weather' });
    expect(namesOf(result)).toEqual(['send_email', 'get_weather']);
    expect(result.message).toMatch(/^Loaded 1 tool\(s\): send_email\. .* Already loaded: get_weather\.$/);
    expect(await session.sent()).toEqual(['get_weather', 'send_email']);
  });

  it('counts the tools that are always sent as loaded', async () => {
    const session = new Session({ tools: office(), alwaysLoaded: ['get_weather'] });
    const { tools } = await session.step({ tools: { own: tool('own') } });
    const result = await callIn<SearchToolsResult>(tools, 'search_tools', { query: 'select:get_weather,own' });
    expect(result.message).toBe('Already loaded: get_weather, own.');
    expect(namesOf(result)).toEqual(['get_weather']);
  });

  it('is not limited by topK, maxResults or minScore', async () => {
    const session = new Session({ tools: office(), search: { topK: 1, minScore: 1_000 } });
    const query = 'select:get_weather,send_email,create_issue';
    expect((await session.search({ query, maxResults: 1 })).results).toHaveLength(3);
  });

  it('asks no scorer', async () => {
    const index = () => {
      throw new Error('not asked');
    };
    const session = new Session({ tools: office(), search: { scorer: { name: 'none', index } } });
    expect(namesOf(await session.search({ query: 'select:get_weather' }))).toEqual(['get_weather']);
    expect(session.eventsOf('scorer-failed')).toEqual([]);
  });

  it('loads 20 tools, and says that there are more and that names beyond the first 100 were ignored', async () => {
    const session = new Session({ tools: numbered(130) });
    const result = await session.search({ query: `select:${Object.keys(numbered(130))}` });
    expect(result.loaded).toEqual(Object.keys(numbered(20)));
    expect(result.message).toContain('30 more name(s) were ignored');
    expect(result.message).toContain('80 more were not loaded');
    expect(await session.sent()).toHaveLength(20);
  });

  it('looks up 100 names in one call, however many queries it has', async () => {
    const session = new Session({ tools: numbered(130) });
    const names = Array.from({ length: 80 }, (_, n) => `unknown-${n}`);
    const queries = [names, names.map((name) => `${name}-too`)].map((list) => `select:${list}`);
    const { message } = await session.search({ query: queries });
    expect(message).toContain('60 more name(s) were ignored');
  });

  it('is never cut within a name', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `a_tool_with_quite_a_long_name_${n + 100}_end`);
    const session = new Session({ tools: toolRecord(...names.map((name) => tool(name))) });
    const { message } = await session.search({ query: `select:${names}` });
    expect(message).not.toContain('Not found');
  });

  it.each(['search', 'load'] as const)(
    'answers the same for a tool forbidden in the %s phase and for no tool',
    async (phase) => {
      const session = new Session({ tools: office(), filter: denying(phase, 'create_issue') });
      const forbidden = await session.search({ query: 'select:create_issue' });
      expect(forbidden).toEqual({
        results: [],
        message: 'Not found: create_issue. Call search_tools with keywords to find tools.',
        loaded: [],
      });
      expect(await session.sent()).toEqual([]);
    },
  );

  it('makes one search event with what was loaded', async () => {
    const session = new Session({ tools: office() });
    await session.search({ query: 'select:get_weather,qqqq' });
    expect(session.events).toEqual([
      { type: 'search', queries: ['select:get_weather,qqqq'], results: ['get_weather'], loaded: ['get_weather'] },
    ]);
  });
});

describe('a search with autoLoad', () => {
  const options = { tools: office(), search: { autoLoad: true } };

  it('loads what it shows, and needs no load_tool', async () => {
    const session = new Session(options);
    expect(Object.keys((await session.step()).tools)).toEqual(['search_tools']);
    expect(await session.search({ query: 'weather' })).toEqual({
      results: [expect.objectContaining({ name: 'get_weather' })],
      message: 'Found and loaded 1 tool(s): get_weather. Call it now.',
      loaded: ['get_weather'],
      activation: { type: 'tool-search-auto-load', version: 1, loaded: ['get_weather'] },
    });
    expect(await session.sent()).toEqual(['get_weather']);
  });

  it('lists loaded tools in the order of the results, those loaded before included', async () => {
    const session = new Session(options);
    await session.search({ query: 'email' });
    const again = await session.search({ query: 'current weather, send email' });
    expect(again.loaded).toEqual(namesOf(again));
    expect([...(again.loaded ?? [])].sort()).toEqual(['get_weather', 'send_email']);
    expect(again.message).toMatch(/^Found and loaded 2 tool\(s\): .* Some were already loaded\.$/);
    expect(await session.sent()).toEqual(['send_email', 'get_weather']);
  });

  it('shows nothing that the load phase denies', async () => {
    const session = new Session({ ...options, filter: denying('load', 'get_weather') });
    const result = await session.search({ query: 'weather send email' });
    expect(namesOf(result)).toEqual(['send_email']);
    expect(result.loaded).toEqual(['send_email']);
    expect(result.message).toContain('Found and loaded 1 tool(s): send_email.');
    expect(JSON.stringify(result)).not.toContain('get_weather');
    expect(await session.sent()).toEqual(['send_email']);
  });

  it('says so when the load phase denies all', async () => {
    const session = new Session({ ...options, filter: ({ phase }) => phase !== 'load' });
    expect(await session.search({ query: 'weather' })).toEqual({
      results: [],
      message: 'No tools available to load matching "weather". Try different keywords.',
    });
  });

  it('loads nothing where nothing is found', async () => {
    const session = new Session(options);
    expect(await session.search({ query: 'qqqq' })).not.toHaveProperty('loaded');
    expect(await session.sent()).toEqual([]);
  });

  it('loads no more than the limit', async () => {
    const tools = toolRecord(...['one', 'two', 'three', 'four'].map((name) => tool(`report_${name}`, 'Makes it.')));
    const session = new Session({ tools, search: { autoLoad: true, topK: 3 } });
    expect((await session.search({ query: 'report' })).loaded).toHaveLength(3);
    expect(await session.sent()).toHaveLength(3);
  });

  it('makes one search event with what was loaded', async () => {
    const session = new Session(options);
    await session.search({ query: 'weather' });
    expect(session.events).toEqual([
      { type: 'search', queries: ['weather'], results: ['get_weather'], loaded: ['get_weather'] },
    ]);
  });

  it('accepts a select: as well', async () => {
    const session = new Session(options);
    expect((await session.search({ query: 'select:create_issue' })).loaded).toEqual(['create_issue']);
    expect(await session.sent()).toEqual(['create_issue']);
  });
});
