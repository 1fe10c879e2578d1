import type { SearchToolsResult } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, tool, toolRecord, weather } from '../support/agent.ts';
import { callIn, denying, namesOf, numbered, office, Session } from './session.ts';

describe('a select: query', () => {
  it('loads by exact name at once, in the order asked, and is one event', async () => {
    const session = new Session({ tools: office() });
    const names = ['send_email', 'get_weather'];
    expect(await session.search({ query: 'select:send_email,get_weather' })).toEqual({
      results: [
        { name: 'send_email', description: 'Send an email message.', score: 1 },
        { name: 'get_weather', description: 'Get the current weather of a city.', score: 1 },
      ],
      message: 'Loaded 2 tool(s): send_email, get_weather. Call them now.',
      loaded: names,
      activation: { type: 'tool-search-auto-load', version: 1, loaded: names },
    });
    expect(await session.sent()).toEqual(names);
    expect(session.events).toEqual([
      { type: 'search', queries: ['select:send_email,get_weather'], results: names, loaded: names },
    ]);
  });

  it.each([
    ['in capitals, with a space', 'SELECT: get_weather'],
    ['with spaces around', ' select :get_weather '],
    ['in quotes', 'select:"get_weather"'],
    ['in backticks, with a comma behind', 'select:`get_weather`,'],
    ['by name and record key', 'select:weather,get_weather,get_weather'],
    ['in a list', ['select:get_weather']],
  ])('reads a name %s', async (_, query) => {
    const session = new Session({ tools: { weather: weather(), email: email() } });
    const result = await session.search({ query });
    expect([namesOf(result), result.loaded, await session.sent()]).toEqual(Array(3).fill(['get_weather']));
  });

  it.each([
    ['no names', 'select: , ,', /^"select:" needs exact tool names/],
    ['others', 'select:getWeather,send_email,qqqq', /: send_email\. .* get_weather\?\), qqqq\.$/],
  ])('with %s says so', async (_, query, message) => {
    const answer = await new Session({ tools: office() }).search({ query });
    expect(answer.message).toMatch(message);
    expect(namesOf(answer)).toEqual(query.includes('send_email') ? ['send_email'] : []);
  });

  it('counts as loaded what was loaded before, and what is always sent', async () => {
    const session = new Session({ tools: office(), alwaysLoaded: ['create_issue'] });
    await session.load({ toolName: 'get_weather' });
    const { tools } = await session.step({ tools: { own: tool('own') } });
    const query = 'select:send_email,get_weather,create_issue,own';
    const result = await callIn<SearchToolsResult>(tools, 'search_tools', { query });
    expect(namesOf(result)).toEqual(['send_email', 'get_weather', 'create_issue']);
    expect(result.message).toMatch(/^Loaded 1 .*: send_email\. .* Already loaded: get_weather, create_issue, own/);
    expect(await session.sent()).toEqual(['create_issue', 'get_weather', 'send_email']);
  });

  it('is not limited by topK, maxResults or minScore, and asks no scorer', async () => {
    const index = () => expect.unreachable();
    const search = { topK: 1, minScore: 1_000, scorer: { name: 'none', index } };
    const session = new Session({ tools: office(), search });
    const query = 'select:get_weather,send_email,create_issue';
    expect((await session.search({ query, maxResults: 1 })).results).toHaveLength(3);
    expect(session.eventsOf('scorer-failed')).toEqual([]);
  });

  it('loads 20 tools, and looks up 100 names in one call, however many queries it has', async () => {
    const result = await new Session({ tools: numbered(130) }).search({
      query: `select:${Object.keys(numbered(130))}`,
    });
    expect(result.loaded).toEqual(Object.keys(numbered(20)));
    expect(result.message).toContain('30 more name(s) were ignored');
    expect(result.message).toContain('80 more were not loaded');
    const names = Array.from({ length: 80 }, (_, n) => `unknown-${n}`);
    const queries = [names, names.map((name) => `${name}-too`)].map((list) => `select:${list}`);
    const { message } = await new Session({ tools: numbered(130) }).search({ query: queries });
    expect(message).toContain('60 more name(s) were ignored');
  });
});

describe('a search with autoLoad', () => {
  const options = { tools: office(), search: { autoLoad: true } };

  it('loads what it shows, needs no load_tool, and is one event', async () => {
    const session = new Session(options);
    expect(Object.keys((await session.step()).tools)).toEqual(['search_tools']);
    const names = ['get_weather'];
    expect(await session.search({ query: 'weather' })).toEqual({
      results: [expect.objectContaining({ name: 'get_weather' })],
      message: 'Found and loaded 1 tool(s): get_weather. Call it now.',
      loaded: names,
      activation: { type: 'tool-search-auto-load', version: 1, loaded: names },
    });
    expect(await session.sent()).toEqual(names);
    expect(session.events).toEqual([{ type: 'search', queries: ['weather'], results: names, loaded: names }]);
    // In the order of the results, those loaded before included.
    const again = await session.search({ query: 'current weather, send email' });
    expect(again.loaded).toEqual(namesOf(again));
    expect(again.loaded?.toSorted()).toEqual(['get_weather', 'send_email']);
    expect(again.message).toMatch(/^Found and loaded 2 tool\(s\): .* Some were already loaded\.$/);
    expect(await session.search({ query: 'qqqq' })).not.toHaveProperty('loaded');
    expect(await session.sent()).toEqual(['get_weather', 'send_email']);
  });

  it('shows nothing that the load phase denies, and says so where that is all', async () => {
    const session = new Session({ ...options, filter: denying('load', 'get_weather') });
    const result = await session.search({ query: 'weather send email' });
    expect([namesOf(result), result.loaded]).toEqual([['send_email'], ['send_email']]);
    expect(JSON.stringify(result)).not.toContain('get_weather');
    const none = await new Session({ ...options, filter: denying('load') }).search({ query: 'weather' });
    expect(none).toEqual({ results: [], message: expect.stringContaining('No tools available to load matching') });
  });

  it('loads no more than the limit, and a select: whatever the limit', async () => {
    const tools = toolRecord(...['one', 'two', 'three', 'four'].map((name) => tool(`report_${name}`, 'Makes it.')));
    const session = new Session({ tools, search: { autoLoad: true, topK: 3 } });
    expect((await session.search({ query: 'report' })).loaded).toHaveLength(3);
    expect((await session.search({ query: `select:${Object.keys(tools)}` })).loaded).toHaveLength(4);
  });
});
