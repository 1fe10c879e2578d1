import { createTool } from '@mastra/core/tools';
import { tool as aiTool, jsonSchema } from 'ai';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Session } from '../meta-tools/session.ts';
import { tool } from '../support/harness.ts';
import { catalogOf, nameless, namesOf, refusal } from './build.ts';

describe('the name of a tool', () => {
  it.each([
    { why: 'the id', tools: { key: tool('the_id') }, name: 'the_id' },
    { why: 'the key without an id', tools: { the_key: nameless() }, name: 'the_key' },
    { why: 'the key for an empty id', tools: { the_key: { ...nameless(), id: '' } }, name: 'the_key' },
    { why: 'the key for an id that is no text', tools: { the_key: { ...nameless(), id: 7 } }, name: 'the_key' },
    {
      why: "the key of a provider's tool, whose id is the provider's",
      tools: { web: { type: 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} } },
      name: 'web',
    },
    {
      why: 'the key of a newer provider tool',
      tools: {
        web: { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {}, isProviderExecuted: true },
      },
      name: 'web',
    },
    {
      why: 'the key of an AI SDK tool',
      tools: { sendEmail: aiTool({ inputSchema: z.object({}) }) },
      name: 'sendEmail',
    },
    {
      why: 'the key of an AI SDK tool over a JSON schema',
      tools: { mail: aiTool({ inputSchema: jsonSchema({ type: 'object' }) }) },
      name: 'mail',
    },
  ])('is $why', ({ tools, name }) => {
    expect(namesOf(tools)).toEqual([name]);
  });

  it('keeps its place in the record', () => {
    expect(namesOf({ z: tool('z'), a: tool('a'), m: nameless() })).toEqual(['z', 'a', 'm']);
  });

  it('has the record key for a second spelling, as in @mastra/core', () => {
    const { catalog } = catalogOf({ weather: tool('get_weather') });
    expect(catalog.get('weather')).toBe(catalog.get('get_weather'));
    expect([...catalog.names]).toEqual(['get_weather']);
  });

  it("wins over another tool's record key", () => {
    const { catalog } = catalogOf({ b: tool('a'), c: tool('b') });
    expect(catalog.get('b')?.tool.id).toBe('b');
    expect(catalog.get('c')?.tool.id).toBe('b');
    expect(catalog.get('a')?.tool.id).toBe('a');
  });
});

describe('a clash of names', () => {
  it('is refused with both keys when two tools share a name', () => {
    const { code, message } = refusal({ github: tool('search'), jira: tool('search') });
    expect(code).toBe('duplicate-tool');
    expect(message).toBe('Two tools are both called "search" (keys "github" and "jira"). Give one of them another id.');
  });

  it('is refused with both keys when a key is the id of another tool', () => {
    const { code, message } = refusal({ first: tool('search'), search: nameless() });
    expect(code).toBe('duplicate-tool');
    expect(message).toContain('keys "first" and "search"');
  });

  it('does not arise between names that differ in case', () => {
    expect(namesOf({ a: tool('search'), b: tool('Search') })).toEqual(['search', 'Search']);
  });

  it.each([
    { name: 'search_tools', tools: { mine: tool('search_tools') }, key: 'mine' },
    { name: 'load_tool', tools: { load_tool: nameless() }, key: 'load_tool' },
  ])('is refused for the reserved name $name', ({ name, tools, key }) => {
    const { code, message } = refusal(tools);
    expect(code).toBe('reserved-name');
    expect(message).toContain(`"${name}"`);
    expect(message).toContain(`"${key}"`);
    expect(message).toContain('metaTools.');
  });

  it('is refused for the names that metaTools gives the meta-tools', () => {
    const tools = { a: tool('search_tools'), b: tool('load_tool') };
    const metaTools = { search: { name: 'find' }, load: { name: 'take' } };
    expect(new ToolSearchProcessor({ tools, metaTools })).toBeInstanceOf(ToolSearchProcessor);
    expect(() => new ToolSearchProcessor({ tools: { x: tool('find') }, metaTools })).toThrow(/"find"/);
    expect(() => new ToolSearchProcessor({ tools: { x: tool('take') }, metaTools })).toThrow(/"take"/);
  });

  it('is refused with both keys when two tools share a name that providers refuse', () => {
    expect(refusal({ github: tool('issues.search'), jira: tool('issues.search') })).toMatchObject({
      code: 'duplicate-tool',
      message: expect.stringContaining('keys "github" and "jira"'),
    });
  });
});

describe('a value that is no tool', () => {
  it.each([
    { why: 'null', value: null, what: 'null' },
    { why: 'undefined', value: undefined, what: 'undefined' },
    { why: 'a text', value: 'get_weather', what: 'string' },
    { why: 'a number', value: 5, what: 'number' },
    { why: 'a function', value: () => {}, what: 'function' },
    { why: 'an empty object', value: {}, what: 'object without execute or schema' },
    { why: 'a promise', value: Promise.resolve(tool('a')), what: 'a promise' },
    { why: 'an array', value: [tool('a')], what: 'object' },
    { why: 'a record of a tool and something else', value: { a: tool('a'), b: 5 }, what: 'object' },
    { why: 'a description alone', value: { id: 'a', description: 'Does it.' }, what: 'object' },
  ])('is refused with its key: $why', ({ value, what }) => {
    const { code, message } = refusal({ good: tool('good'), 'the key': value });
    expect(code).toBe('invalid-tool');
    expect(message).toContain('tools["the key"]');
    expect(message).toContain(what);
    expect(message).toContain('createTool()');
  });
});

it('takes AI SDK tools and calls them the way the AI SDK does', async () => {
  const execute = vi.fn(async (input: { city: string }, options: { toolCallId: string }) => [
    input,
    options.toolCallId,
  ]);
  const weather = aiTool({
    description: 'Weather.',
    inputSchema: z.object({ city: z.string() }),
    execute: execute as never,
  });
  const { catalog } = catalogOf({ getWeather: weather });
  const context = { agent: { toolCallId: 'call-1', messages: [] } };
  const result = await catalog.get('getWeather')?.tool.execute?.({ city: 'Rome' }, context as never);
  expect(result).toEqual([{ city: 'Rome' }, 'call-1']);
});

it("takes a provider's own tool as it is", () => {
  const webSearch = { type: 'provider-defined', id: 'openai.web_search', name: 'web_search', args: {} };
  expect(catalogOf({ web: webSearch }).catalog.get('web')?.tool).toBe(webSearch);
});

it("changes none of the caller's tools, which may be frozen", async () => {
  const own = Object.freeze(createTool({ id: 'own', description: 'Own.', execute: async () => 'ran' }));
  const session = new Session({ tools: { own } as never });
  await session.load({ toolName: 'own' });
  expect(await session.sent()).toEqual(['own']);
});
