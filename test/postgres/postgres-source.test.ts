import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import type { ToolSearchEvent } from 'mastra-tool-search';
import { type PostgresSourceOptions, postgresSource, type ToolDefinition } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rig, searchLoadCall } from '../support/harness.ts';
import { lastToolResult } from '../support/scripted-model.ts';
import { type Database, describeDatabases } from './databases.ts';

const calls: unknown[] = [];
const toTool: PostgresSourceOptions['toTool'] = ({ name, description, inputSchema, metadata }) => ({
  description,
  inputSchema,
  execute: async (input: unknown) => {
    calls.push(input);
    return { by: name, at: metadata?.['url'] };
  },
});
const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  metadata: { url: 'https://weather.example.com' },
};
const email: ToolDefinition = { name: 'send_email', description: 'Sends an email to somebody.' };
const contextOf = (tenant: string) => new RequestContext([['tenant', tenant]] as never);

function sourceIn(database: Database, options: Partial<PostgresSourceOptions> = {}) {
  return postgresSource({ pool: database.pool, table: database.freshTable(), toTool, ...options });
}

describeDatabases('an agent over postgresSource', (database) => {
  it('finds a tool, loads it, and calls it with an input of its schema', async () => {
    const source = sourceIn(database);
    await source.migrate();
    await source.sync([weather, email]);
    const { agent, model } = rig({ tools: source }, { script: searchLoadCall('weather', { city: 'Rome' }) });
    calls.length = 0;
    await agent.generate('weather in Rome?');
    expect(lastToolResult(model.calls[3]!.prompt)?.value).toEqual({
      by: 'get_weather',
      at: 'https://weather.example.com',
    });
    expect(calls).toEqual([{ city: 'Rome' }]);
    const sent = model.calls[2]!.tools?.find(({ name }) => name === 'get_weather') as { inputSchema: object };
    expect(sent.inputSchema).toMatchObject(weather.inputSchema as object);
  });

  it('finds tools of Mastra that toTool makes again', async () => {
    const made = createTool({
      id: 'get_weather',
      description: 'The weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `sunny in ${city}`,
    });
    const source = sourceIn(database, { toTool: () => made });
    await source.migrate();
    await source.sync({ made });
    const { agent, model } = rig({ tools: source }, { script: searchLoadCall('weather', { city: 'Rome' }) });
    await agent.generate('weather?');
    expect(lastToolResult(model.calls[3]!.prompt)?.value).toBe('sunny in Rome');
  });

  it('calls a tool whose stub toTool returned', async () => {
    const execute = async (input: unknown) => input;
    const source = sourceIn(database, {
      toTool: ({ name, description, inputSchema }) => ({
        ...{ id: name, description },
        resolve: async () => ({ description, inputSchema, execute }),
      }),
    });
    await source.migrate();
    await source.sync([weather]);
    const { agent, model } = rig({ tools: source }, { script: searchLoadCall('weather', { city: 'Rome' }) });
    await agent.generate('weather?');
    expect(lastToolResult(model.calls[3]!.prompt)?.value).toEqual({ city: 'Rome' });
  });

  it('has the tools of its tenant, and none where the tenant is not known', async () => {
    const events: ToolSearchEvent[] = [];
    const source = sourceIn(database, {
      tenant: ({ requestContext }) => {
        const tenant = requestContext?.get('tenant');
        if (typeof tenant !== 'string') throw new Error('who are you?');
        return tenant;
      },
    });
    await source.migrate();
    await source.sync([weather], { tenant: 'one' });
    await source.sync([email], { tenant: 'two' });
    const shownTo = async (requestContext?: RequestContext): Promise<string> => {
      const onEvent = (event: ToolSearchEvent): void => void events.push(event);
      const { agent, model } = rig(
        { tools: source, onEvent },
        { script: searchLoadCall('weather email', { city: '' }) },
      );
      await agent.generate('go', requestContext ? { requestContext } : {});
      return JSON.stringify(model.calls.map(({ prompt }) => prompt).slice(1));
    };
    expect(await shownTo(contextOf('one'))).toContain('The weather of a city');
    expect(await shownTo(contextOf('two'))).not.toContain('The weather of a city');
    expect(events.map(({ type }) => type)).not.toContain('source-failed');
    expect(await shownTo()).not.toMatch(/The weather of a city|Sends an email to/);
    expect(events.find(({ type }) => type === 'source-failed')).toMatchObject({ error: { message: 'who are you?' } });
    await expect(source.sync([weather])).rejects.toThrow('sync() needs "tenant"');
  });

  it('says that the function for the tenant returned none', async () => {
    const source = sourceIn(database, { tenant: ({ requestContext }) => requestContext?.get('tenant') as string });
    await expect(source.get(['get_weather'], {})).rejects.toThrow(
      'returned as a text of at most 500 characters for each',
    );
  });

  it('hears that nobody made the tables, in an event that says what to do', async () => {
    const events: ToolSearchEvent[] = [];
    const { agent } = rig({ tools: sourceIn(database), onEvent: (event) => void events.push(event) });
    await agent.generate('weather?');
    expect(events.find(({ type }) => type === 'source-failed')).toMatchObject({
      error: { code: 'storage-unavailable', message: expect.stringContaining('await source.migrate()') },
    });
  });

  it('finds at once what its own process has synced', async () => {
    const source = sourceIn(database);
    await source.migrate();
    await source.sync([email]);
    const found = async () =>
      (await source.search({ text: 'weather', keywords: ['weather'], required: [] }, { limit: 5 })).map(
        ({ name }) => name,
      );
    expect(await found()).toEqual([]);
    await source.sync([email, weather]);
    expect(await found()).toEqual(['get_weather']);
    await expect(source.remove({ tenant: '', table: 'other' } as never)).rejects.toThrow('no option of remove()');
    expect(await source.remove({ tenant: '' })).toBe(2);
    expect(await found()).toEqual([]);
  });

  it('keeps no figures that were read before a sync, and arrive after it', async () => {
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const held: Promise<unknown>[] = [];
    const source = sourceIn(database, {
      readPool: {
        async query(text, values) {
          const read = database.another().query(text, values);
          held.push(Promise.resolve(read));
          const answer = await read;
          await arrived;
          return answer;
        },
      },
    });
    await source.migrate();
    const find = () => source.search({ text: 'weather', keywords: ['weather'], required: [] }, { limit: 5 });
    const before = find();
    await expect.poll(() => held.length).toBe(1);
    await held[0];
    await source.sync([weather]);
    arrive();
    await before;
    expect(await find()).toMatchObject([{ name: 'get_weather' }]);
  });

  it('tells that toTool made no tool', async () => {
    const events: ToolSearchEvent[] = [];
    const source = sourceIn(database, { toTool: (() => undefined) as never });
    await source.migrate();
    await source.sync([weather]);
    const { agent } = rig({ tools: source, onEvent: (event) => void events.push(event) });
    await agent.generate('weather?');
    expect(events.find(({ type }) => type === 'stub-failed')).toMatchObject({
      toolName: 'get_weather',
      error: { message: 'toTool() returned no tool for "get_weather"' },
    });
  });

  it('reads from one pool and writes to another', async () => {
    const asked: string[] = [];
    const readPool: PostgresSourceOptions['readPool'] = {
      query(text, values) {
        asked.push(text);
        return database.another().query(text, values);
      },
    };
    const source = sourceIn(database, { readPool: readPool as never });
    await source.migrate();
    await source.sync([weather]);
    expect(asked).toEqual([]);
    await source.search({ text: 'weather', keywords: ['weather'], required: [] }, { limit: 5 });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.join('\n')).not.toMatch(/INSERT|UPDATE|DELETE|advisory/);
  });
});

describe('the options of postgresSource', () => {
  const pool = { query: async () => ({ rows: [] }) };
  it.each([
    { options: undefined, says: '"options" must be an object' },
    { options: pool, says: 'postgresSource() was given the pool itself' },
    { options: { toTool }, says: '"pool" must be a Pool of pg' },
    { options: { pool, readPool: {}, toTool }, says: '"readPool" must be a Pool of pg' },
    { options: { pool: { ...pool, escapeIdentifier: () => '' }, toTool }, says: '"pool" is a single client of pg' },
    { options: { pool }, says: '"toTool" must be a function' },
    { options: { pool, toTool, table: 'a b' }, says: '"table" must be a name' },
    { options: { pool, toTool, tenant: 7 }, says: 'or a function that returns one; got 7' },
    { options: { pool, toTool, tenant: 'a\0' }, says: '"tenant" must be a text' },
    { options: { pool, toTool, prepare: 'no' }, says: '"prepare" must be true or false' },
    { options: { pool, toTool, tabel: 'tools' }, says: 'Did you mean "table"' },
  ])('are refused: $says', ({ options, says }) => {
    expect(() => postgresSource(options as never)).toThrow(says);
  });

  it.each([
    { tools: undefined, options: {}, says: '"tools" must be' },
    { tools: 'tools', options: {}, says: '"tools" must be' },
    { tools: new Map(), options: {}, says: '"tools" must be' },
    { tools: [], options: { batchSize: 0 }, says: '"batchSize" must be a whole number' },
    { tools: [], options: { signal: 'now' }, says: '"signal" must be an AbortSignal' },
    { tools: [], options: { onProgress: 7 }, says: '"onProgress" must be a function' },
    { tools: [], options: { keywords: [] }, says: '"keywords" must be a record' },
    { tools: [], options: { tenants: 'a' }, says: 'Did you mean "tenant"' },
  ])('of sync are refused: $says', async ({ tools, options, says }) => {
    const source = postgresSource({ pool: { query: async () => ({ rows: [{ done: true }] }) }, toTool });
    await expect(source.sync(tools as never, options as never)).rejects.toThrow(says);
  });

  it('take a Pool of pg that is not connected', async () => {
    const unreachable = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    await expect(postgresSource({ pool: unreachable, toTool }).migrate()).rejects.toThrow('ECONNREFUSED');
    await unreachable.end();
  });
});
