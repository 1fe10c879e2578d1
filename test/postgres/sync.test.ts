import { createTool } from '@mastra/core/tools';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { SyncedTool } from '../../src/postgres/sync.ts';
import { countsOf } from './counts.ts';
import { type Database, describeDatabases } from './databases.ts';
import { contentsOf, writerIn } from './writers.ts';

const BOILERPLATE = 'Ask the user before you use this tool.';
const definitions = (count: number, from = 0): SyncedTool[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `tool_${from + at}`,
    description: `Does thing number ${from + at}. ${BOILERPLATE}`,
    inputSchema: { type: 'object', properties: { zebra: { type: 'string' }, apple: { type: 'number' } } },
    group: `server ${(from + at) % 3}`,
    metadata: { url: `https://example.com/${from + at}` },
  }));
async function* stream(items: readonly SyncedTool[]): AsyncIterable<SyncedTool> {
  yield* items;
}
const namesIn = async (database: Database, table: string): Promise<unknown[]> =>
  (await database.rows(`SELECT name FROM ${table} ORDER BY name`)).map(({ name }) => name);

describeDatabases('sync', (database) => {
  it('writes what is new, then what has changed, and deletes what is gone', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const tools = definitions(25);
    expect(await source.sync(tools, { batchSize: 10 })).toEqual({
      ...{ added: 25, updated: 0, unchanged: 0, deleted: 0, problems: [] },
      ms: expect.any(Number),
    });
    expect(await source.sync(tools)).toMatchObject({ added: 0, updated: 0, unchanged: 25, deleted: 0 });
    const next = [...tools.slice(5, 24), { name: 'tool_24', description: 'Another one.' }, ...definitions(2, 30)];
    expect(await source.sync(next)).toMatchObject({ added: 2, updated: 1, unchanged: 19, deleted: 5 });
    const { kept, counted } = await countsOf(database, table);
    expect(kept).toEqual(counted);
    const fresh = database.freshTable();
    await (await writerIn(database, fresh)).sync(next);
    expect(await contentsOf(database, table)).toEqual(await contentsOf(database, fresh));
  });

  it('keeps all of a tool that is no function, with its parameters in their order', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    await source.sync(definitions(1));
    const [row] = await database.rows(`SELECT definition::text AS definition, server, spelling FROM ${table}`);
    expect(row).toMatchObject({ server: 'server 0', spelling: 'tool0' });
    const definition = JSON.parse(row?.['definition'] as string);
    expect(definition).toEqual({
      description: `Does thing number 0. ${BOILERPLATE}`,
      group: 'server 0',
      inputSchema: { type: 'object', properties: { zebra: { type: 'string' }, apple: { type: 'number' } } },
      metadata: { url: 'https://example.com/0' },
    });
    expect(Object.keys(definition.inputSchema.properties)).toEqual(['zebra', 'apple']);
  });

  it('takes tools of Mastra, of the AI SDK, stubs, and servers with their tools', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const tools = {
      mail: {
        send: createTool({
          id: 'mail_send',
          description: 'Sends a mail.',
          inputSchema: z.object({ to: z.string().describe('Who gets it') }),
          execute: async () => 'sent',
        }),
      },
      clock: { description: 'The time.', inputSchema: z.object({ city: z.string() }), execute: async () => 'noon' },
      later: { id: 'later', description: 'Comes later.', parameters: ['when'], resolve: () => ({ inputSchema: {} }) },
    };
    expect(await source.sync(tools, { keywords: { clock: ['hour'] } })).toMatchObject({ added: 3, problems: [] });
    const rows = await database.rows(`SELECT name, definition, document FROM ${table} ORDER BY name`);
    const properties = rows.map(({ definition }) =>
      Object.keys((definition as { inputSchema: { properties: object } }).inputSchema.properties),
    );
    expect(rows.map(({ name }) => name)).toEqual(['clock', 'later', 'mail_send']);
    expect(properties).toEqual([['city'], ['when'], ['to']]);
    expect(rows[0]?.['document']).toMatchObject({ keywords: ['hour'] });
  });

  it('tells what is wrong with tools as a catalog does, and takes the others', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const list = [
      { name: 'one', description: 'One.' },
      { name: 'one', description: 'Another one.' },
      { name: 'two.parts', description: 'Two.' },
      { name: 'silent' },
      { description: 'Nameless.' } as never,
    ];
    for (const tools of [list, stream(list)]) {
      const { problems } = await source.sync(tools as never);
      expect(await namesIn(database, table)).toEqual(['one', 'silent', 'two_parts']);
      expect(problems.map(({ toolName, problem }) => `${toolName}: ${problem}`)).toEqual(
        expect.arrayContaining(['one: left-out', ': left-out', 'two.parts: renamed', 'silent: missing-description']),
      );
      expect(problems.find(({ toolName }) => toolName === '')?.message).toContain('It has no name.');
    }
    const [row] = await database.rows(`SELECT definition FROM ${table} WHERE name = 'two_parts'`);
    expect(row?.['definition']).toMatchObject({ originalName: 'two.parts' });
  });

  it('tells of what it cannot store of a tool, and leaves out what it cannot read', async () => {
    const source = await writerIn(database, database.freshTable());
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const list = [
      { name: 'odd_input', description: 'One.', inputSchema: { const: 1n } },
      { name: 'odd_metadata', description: 'Two.', metadata: cyclic },
      Object.defineProperty({ name: 'odd' }, 'description', {
        enumerable: true,
        get: () => {
          throw new Error('gone');
        },
      }),
      { name: 'even', description: 'Three.' },
    ];
    const { added, problems } = await source.sync(stream(list));
    expect(added).toBe(3);
    expect(problems).toMatchObject([
      { toolName: 'odd', problem: 'left-out', message: expect.stringContaining('gone') },
      { toolName: 'odd_input', problem: 'unreadable-schema', message: expect.stringContaining('its inputSchema') },
      { toolName: 'odd_metadata', problem: 'unreadable-schema', message: expect.stringContaining('its metadata') },
    ]);
  });

  it('finds the same name again in a later batch of an iterable', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const list = [...definitions(5), ...definitions(1), { name: 'tool.1', description: 'Odd.' }];
    const { problems, added } = await source.sync(stream(list), { batchSize: 2 });
    expect(added).toBe(6);
    expect(problems).toContainEqual(expect.objectContaining({ toolName: 'tool_0', problem: 'left-out' }));
    expect((await namesIn(database, table))[2]).toMatch(/^tool_1_[0-9a-f]{8}$/);
  });

  it('leaves out of documents what more than eight tools say: of a list everywhere, of an iterable from there on', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const withIt = async (): Promise<unknown> =>
      (
        await database.rows(`SELECT count(*)::int AS count FROM ${table} WHERE document->>'description' LIKE '%Ask%'`)
      )[0]?.['count'];
    await source.sync(stream(definitions(20)), { batchSize: 3 });
    expect(await withIt()).toBe(8);
    expect(await source.sync(definitions(20))).toMatchObject({ updated: 8 });
    expect(await withIt()).toBe(0);
    expect(await source.sync(definitions(4))).toMatchObject({ updated: 4, deleted: 16 });
    expect(await withIt()).toBe(4);
  });

  it('keeps tenants apart, and removes one that leaves', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    await source.sync(definitions(3), { tenant: 'a' });
    await source.sync(definitions(2), { tenant: 'b' });
    expect(await source.sync(definitions(1), { tenant: 'a' })).toMatchObject({ unchanged: 1, updated: 0, deleted: 2 });
    expect(await source.remove({ tenant: 'a' })).toBe(1);
    expect(await database.rows(`SELECT tenant, documents::int FROM ${table}_tenants`)).toEqual([
      { tenant: 'b', documents: 2 },
    ]);
    expect(await database.rows(`SELECT DISTINCT tenant FROM ${table}_words`)).toEqual([{ tenant: 'b' }]);
  });

  it('tells how far it has come, to whoever listens, faults of theirs aside', async () => {
    const source = await writerIn(database, database.freshTable());
    const seen: number[] = [];
    await source.sync(definitions(25), {
      batchSize: 10,
      onProgress: ({ read }) => {
        seen.push(read);
        throw new Error('not my day');
      },
    });
    await source.sync(definitions(0), { onProgress: async () => Promise.reject(new Error('nor mine')) });
    // Batches are written side by side: the last one, of five, may be done before the one in front of it.
    expect([
      [10, 20, 25],
      [10, 15, 25],
      [5, 15, 25],
    ]).toContainEqual(seen);
  });

  it('ends between two batches when it is aborted, keeps what it wrote, and deletes nothing', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    await source.sync(definitions(5, 100));
    const abort = new AbortController();
    const onProgress = vi.fn(() => abort.abort(new Error('enough')));
    const ending = source.sync(stream(definitions(50)), { batchSize: 10, signal: abort.signal, onProgress });
    await expect(ending).rejects.toThrow('enough');
    expect(onProgress).toHaveBeenCalledTimes(1);
    expect(await namesIn(database, table)).toHaveLength(15);
    await expect(source.sync(definitions(1), { signal: abort.signal })).rejects.toThrow('enough');
    expect(await source.sync(definitions(50))).toMatchObject({ deleted: 5 });
    expect(await namesIn(database, table)).toHaveLength(50);
  });

  it('deletes nothing where the tools end in a fault, and frees the tenant', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    await source.sync(definitions(5, 100));
    async function* broken(): AsyncIterable<SyncedTool> {
      yield* definitions(3);
      throw new Error('the server is gone');
    }
    await expect(source.sync(broken(), { batchSize: 2 })).rejects.toThrow('the server is gone');
    expect(await namesIn(database, table)).toHaveLength(7);
    expect(await source.sync(definitions(3))).toMatchObject({ added: 1, unchanged: 2, deleted: 5 });
  });

  it('lets those wait that come while it is at work, also in the same process', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const other = await writerIn(database, table, database.another());
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, at) => (at % 2 === 0 ? source : other).sync(definitions(30, at), { batchSize: 7 })),
    );
    expect(results).toHaveLength(6);
    expect(await namesIn(database, table)).toHaveLength(30);
    const { kept, counted } = await countsOf(database, table);
    expect(kept).toEqual(counted);
  });

  it('stores whatever text a tool has', async () => {
    const table = database.freshTable();
    const source = await writerIn(database, table);
    const odd = 'zero \0 half \ud800 quote \' " \\ {} $1 \u202e 漢字 🙂';
    const tool = { name: 'odd', description: odd, group: odd, keywords: [odd], metadata: { odd } };
    expect(await source.sync([tool], { tenant: "o'dd \\ ten{}ant" })).toMatchObject({ added: 1 });
    expect(await source.sync([tool], { tenant: "o'dd \\ ten{}ant" })).toMatchObject({ unchanged: 1 });
    const [row] = await database.rows(`SELECT definition::text AS definition FROM ${table}`);
    expect(JSON.parse(row?.['definition'] as string).metadata).toEqual({ odd });
  });

  it('says what to do where the tables are not there', async () => {
    const source = await writerIn(database, database.freshTable());
    const table = database.freshTable();
    const gone = await writerIn(database, table);
    await database.rows(`DROP TABLE ${table}`);
    await expect(gone.sync([])).rejects.toMatchObject({
      code: 'storage-unavailable',
      message: expect.stringContaining('await source.migrate()'),
    });
    await expect(source.sync([])).resolves.toMatchObject({ added: 0 });
  });
});
