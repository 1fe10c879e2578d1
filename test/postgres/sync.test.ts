import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTool } from '@mastra/core/tools';
import fc from 'fast-check';
import type { SyncedTool, ToolDefinition } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyText } from '../support/any-text.ts';
import { deferred } from '../support/deferred.ts';
import { READ_TYPESCRIPT } from '../support/new-process.ts';
import { noPostgres } from '../support/postgres-server.ts';
import { contentsOf, mainDatabase, miscounted, queryOf } from './databases.ts';

const SCRIPT = fileURLToPath(new URL('./sync-process.ts', import.meta.url));
const BOILERPLATE = 'Ask the user before you use this tool.';

const definitions = (count: number, from = 0): ToolDefinition[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `tool_${from + at}`,
    description: `Does thing number ${from + at}. ${BOILERPLATE}`,
    inputSchema: { type: 'object', properties: { zebra: { type: 'string' }, apple: { type: 'number' } } },
    group: `server ${(from + at) % 3}`,
    metadata: { url: `https://example.com/${from + at}` },
  }));

/** Tools of a release: each says which, and each release has some that others do not. */
const release = (version: number, count: number): ToolDefinition[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `${at % 5 === 0 ? `only_in_${version}` : 'tool'}_${at}`,
    description: `Does thing ${at} of release ${version}.`,
    group: `server ${version}`,
  }));

async function* stream(items: readonly SyncedTool[], end?: Error): AsyncIterable<SyncedTool> {
  yield* items;
  if (end) throw end;
}

/** Tools that come when the gate is opened, and a promise of the moment in which somebody wants them. */
function gated(tools: readonly SyncedTool[]) {
  const [gate, wanted] = [deferred(), deferred()];
  async function* given(): AsyncIterable<SyncedTool> {
    wanted.resolve();
    await gate.promise;
    yield* tools;
  }
  return { tools: given(), wanted: wanted.promise, open: gate.resolve };
}

const database = mainDatabase();
const { rows, migrated } = database;

/** The contents of a fresh table after one sync of these tools. */
async function contentsAfter(tools: ToolDefinition[]): Promise<Record<string, unknown>[][]> {
  const source = await migrated();
  await source.sync(tools);
  return contentsOf(database, source.table);
}

describe('sync()', () => {
  const namesIn = async (table: string) =>
    (await rows(`SELECT name FROM ${table} ORDER BY name`)).map(({ name }) => name as string);

  it('writes what is new, then what has changed, and deletes what is gone', async () => {
    const source = await migrated();
    const tools = definitions(25);
    const added = { added: 25, updated: 0, unchanged: 0, deleted: 0, problems: [], ms: expect.any(Number) };
    expect(await source.sync(tools, { batchSize: 10 })).toEqual(added);
    expect(await source.sync(tools)).toMatchObject({ added: 0, updated: 0, unchanged: 25, deleted: 0 });
    const next = [...tools.slice(5, 24), { name: 'tool_24', description: 'Another one.' }, ...definitions(2, 30)];
    expect(await source.sync(next)).toMatchObject({ added: 2, updated: 1, unchanged: 19, deleted: 5 });
    expect(await contentsOf(database, source.table)).toEqual(await contentsAfter(next));
    expect(await miscounted(database, source.table)).toEqual([]);
  });

  it('keeps all of a tool that is no function, its parameters in their order, and its words by their fields', async () => {
    const source = await migrated();
    await source.sync(definitions(1));
    const [row] = await rows(`SELECT definition::text AS definition, server, spelling FROM ${source.table}`);
    expect(row).toMatchObject({ server: 'server 0', spelling: 'tool0' });
    const definition = JSON.parse(row?.['definition'] as string);
    const [{ name: _, ...kept } = {}] = definitions(1);
    expect(definition).toEqual(kept);
    expect(Object.keys(definition.inputSchema.properties)).toEqual(['zebra', 'apple']);
    const properties = { issueDate: { type: 'string', description: 'A date.', enum: ['ascending'] } };
    const list = {
      ...{ name: 'list_issues', description: 'Lists the open issues. Sorted by dates.', title: 'Open tickets' },
      inputSchema: { type: 'object', properties },
    };
    await source.sync([list]);
    const [{ words = '', lengths } = {}] = await rows(`SELECT words::text AS words, lengths FROM ${source.table}`);
    const lexemes = String(words).split(' ');
    expect(lexemes.filter((lexeme) => !lexeme.startsWith("'@"))).toEqual(
      [
        ...["'=issu':1A", "'=list':1A", "'=listissu':1A", "'ascend':1", "'date':1", "'issu':1A", "'list':1A"],
        ...["'listissu':1A", "'open':1B", "'sort':1", "'ticket':1B"],
      ].sort(),
    );
    expect(lexemes).toHaveLength(12);
    expect(lengths).toEqual([3, 0, 2, 3, 2, 2, 2, 0]);
  });

  it('takes tools of Mastra, of the AI SDK, stubs, and servers with their tools', async () => {
    const source = await migrated();
    const inputSchema = z.object({ to: z.string().describe('Who gets it') });
    const tools = {
      mail: { send: createTool({ id: 'mail_send', description: 'Sends.', inputSchema, execute: async () => 'sent' }) },
      clock: { description: 'The time.', inputSchema: z.object({ city: z.string() }), execute: async () => 'noon' },
      later: { id: 'later', description: 'Comes later.', parameters: ['when'], resolve: () => ({ inputSchema: {} }) },
    };
    expect(await source.sync(tools, { keywords: { clock: ['hour'] } })).toMatchObject({ added: 3, problems: [] });
    const found = await rows(
      `SELECT name, definition->'inputSchema'->'properties' AS parameters FROM ${source.table} ORDER BY name`,
    );
    expect(found.map(({ name, parameters }) => [name, ...Object.keys(parameters as object)])).toEqual([
      ['clock', 'city'],
      ['later', 'when'],
      ['mail_send', 'to'],
    ]);
    expect(await rows(`SELECT document->'keywords' AS other FROM ${source.table} WHERE name = 'clock'`)).toEqual([
      { other: ['hour'] },
    ]);
  });

  it('tells what is wrong with tools as a catalog does, and takes the others', async () => {
    const source = await migrated();
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const gone = () => {
      throw new Error('gone');
    };
    const list = [
      { name: 'one', description: 'One.' },
      { name: 'one', description: 'Another one.' },
      { name: 'two.parts', description: 'Two.' },
      { name: 'silent' },
      { description: 'Nameless.' },
      { name: 'odd_input', description: 'One.', inputSchema: { const: 1n } },
      { name: 'odd_metadata', description: 'Two.', metadata: cyclic },
      Object.defineProperty({ name: 'odd' }, 'description', { enumerable: true, get: gone }),
    ] as SyncedTool[];
    for (const tools of [list, stream(list)]) {
      const { problems } = await source.sync(tools);
      expect(await namesIn(source.table)).toEqual(['odd_input', 'odd_metadata', 'one', 'silent', 'two_parts']);
      expect(problems.map(({ toolName, problem, message }) => [toolName, problem, message])).toEqual(
        expect.arrayContaining([
          ['one', 'left-out', expect.any(String)],
          ['', 'left-out', expect.stringContaining('It has no name.')],
          ['two.parts', 'renamed', expect.any(String)],
          ['silent', 'missing-description', expect.any(String)],
          ['odd', 'left-out', expect.stringContaining('gone')],
          ['odd_input', 'unreadable-schema', expect.stringContaining('its inputSchema')],
          ['odd_metadata', 'unreadable-schema', expect.stringContaining('its metadata')],
        ]),
      );
    }
    expect(
      await rows(`SELECT definition->>'originalName' AS was FROM ${source.table} WHERE name = 'two_parts'`),
    ).toEqual([{ was: 'two.parts' }]);
    // The same name again in a later batch; one that was repaired is repaired in another way.
    const again = [...definitions(5), ...definitions(1), { name: 'tool.1', description: 'Odd.' }];
    const { problems, added } = await source.sync(stream(again), { batchSize: 2 });
    expect(added).toBe(6);
    expect(problems).toContainEqual(expect.objectContaining({ toolName: 'tool_0', problem: 'left-out' }));
    expect((await namesIn(source.table))[2]).toMatch(/^tool_1_[0-9a-f]{8}$/);
  });

  it('keeps tenants apart, and removes one that leaves', async () => {
    const source = await migrated();
    await source.sync(definitions(3), { tenant: 'a' });
    await source.sync(definitions(2), { tenant: 'b' });
    expect(await source.sync(definitions(1), { tenant: 'a' })).toMatchObject({ unchanged: 1, updated: 0, deleted: 2 });
    await expect(source.remove({ tenant: 'a', table: 'other' } as never)).rejects.toThrow('no option of remove()');
    expect(await source.remove({ tenant: 'a' })).toBe(1);
    const tenants = await rows(`SELECT tenant, documents::int FROM ${source.table}_tenants`);
    expect(tenants).toEqual([{ tenant: 'b', documents: 2 }]);
    expect(await miscounted(database, source.table)).toEqual([]);
  });

  it('tells how far it has come, to whoever listens, faults of theirs aside', async () => {
    const source = await migrated();
    const seen: number[] = [];
    const onProgress = ({ read }: { read: number }) => {
      seen.push(read);
      throw new Error('not my day');
    };
    await source.sync(definitions(25), { batchSize: 10, onProgress });
    await source.sync([], { onProgress: async () => Promise.reject(new Error('nor mine')) });
    // Batches are written side by side: the last one, of five, may be done before the one in front of it.
    expect(['10 20 25', '10 15 25', '5 15 25']).toContain(seen.join(' '));
  });

  it('keeps what it wrote and deletes nothing where it is aborted or the tools end in a fault', async () => {
    const source = await migrated();
    await source.sync(definitions(5, 100));
    const abort = new AbortController();
    let batches = 0;
    const onProgress = () => {
      batches++;
      abort.abort(new Error('enough'));
    };
    const how = { batchSize: 10, signal: abort.signal, onProgress };
    await expect(source.sync(stream(definitions(50)), how)).rejects.toThrow('enough');
    expect([batches, (await namesIn(source.table)).length]).toEqual([1, 15]);
    await expect(source.sync(definitions(1), { signal: abort.signal })).rejects.toThrow('enough');
    const broken = stream(definitions(13), new Error('the server is gone'));
    await expect(source.sync(broken, { batchSize: 2 })).rejects.toThrow('the server is gone');
    expect(await namesIn(source.table)).toHaveLength(17);
    expect(await source.sync(definitions(50))).toMatchObject({ added: 38, deleted: 5 });
    expect(await namesIn(source.table)).toHaveLength(50);
  });

  it('stores whatever text a tool has, and the largest one', async () => {
    const source = await migrated();
    const odd = 'zero \0 half \ud800 quote \' " \\ {} $1 \u202e 漢字 🙂';
    const tools = [odd, ...fc.sample(anyText(), 40)].map((text, at) => ({
      ...{ name: `odd_${at}`, description: text, title: text, keywords: [text], metadata: { odd: text } },
      group: at === 0 ? odd : 'one',
    }));
    const tenant = "o'dd \\ ten{}ant";
    expect(await source.sync(tools, { tenant })).toMatchObject({ added: 41 });
    expect(await source.sync(tools, { tenant })).toMatchObject({ unchanged: 41 });
    const [row] = await rows(`SELECT definition::text AS definition FROM ${source.table} WHERE name = 'odd_0'`);
    expect(JSON.parse(row?.['definition'] as string).metadata).toEqual({ odd });
    expect(await miscounted(database, source.table)).toEqual([]);

    let count = 0;
    const distinct = (length: number): string =>
      Array.from({ length: length / 4 }, () =>
        String.fromCodePoint(0x10480 + (count % 30), 0x10480 + (++count % 29)),
      ).join(' ');
    const parameter = () => ({ description: distinct(1_000), enum: Array.from({ length: 50 }, () => distinct(128)) });
    const properties = Object.fromEntries(Array.from({ length: 200 }, () => [distinct(128), parameter()]));
    const keywords = Array.from({ length: 50 }, () => distinct(100));
    const texts = { description: distinct(4_000), title: distinct(200), keywords };
    const largest = { name: 'largest', ...texts, inputSchema: { type: 'object', properties } };
    expect(await source.sync([largest])).toMatchObject({ added: 1, problems: [] });
    const [{ size, words } = {}] = await rows(
      `SELECT length(words::text) AS size, length(words) AS words FROM ${source.table} WHERE name = 'largest'`,
    );
    expect(Number(size)).toBeLessThan(200_000);
    expect(Number(words)).toBeGreaterThan(100);
  });

  it('writes tools that an earlier release has stored in its own form, and finds them before', async () => {
    const source = await migrated();
    const tools = release(1, 30);
    await source.sync(tools);
    const search = () => source.search(queryOf('thing 7 release'), { limit: 10, explain: true });
    const apart = () => rows(`SELECT count(document->>'terms')::int AS apart FROM ${source.table}`);
    const expected = await search();
    expect(expected).toHaveLength(10);
    // As they were written: without the words, and under the hash of another form.
    await rows(`UPDATE ${source.table} SET document = (document::jsonb - 'terms')::json, hash = ''`);
    expect(await apart()).toEqual([{ apart: 0 }]);
    expect(await search()).toEqual(expected);
    expect(await source.sync(tools)).toMatchObject({ updated: 30 });
    expect(await apart()).toEqual([{ apart: 30 }]);
    expect(await search()).toEqual(expected);
  });
});

describe('several syncs', () => {
  /** Another process that syncs tools. */
  function syncIn(table: string, tools: ToolDefinition[]): ChildProcess {
    const args = [...READ_TYPESCRIPT, '--no-warnings', SCRIPT, database.url, table, JSON.stringify(tools)];
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  it('of a tenant work one at a time, whichever pool they have, and those of others beside them', async () => {
    const source = await migrated();
    const { table } = source;
    const sources = [source, database.source({ table, pool: database.another() })];
    const working = new Map<string, number>();
    const most: number[] = [];
    const results = Array.from({ length: 12 }, (_, at) => {
      const tenant = `tenant ${at % 3}`;
      async function* tools(): AsyncIterable<SyncedTool> {
        const count = (working.get(tenant) ?? 0) + 1;
        working.set(tenant, count);
        most.push(count);
        yield* definitions(5, at);
        await rows('SELECT 1');
        working.set(tenant, count - 1);
      }
      return sources[at % 2]?.sync(tools(), { tenant, batchSize: 2 });
    });
    await Promise.all(results);
    expect(most).toEqual(Array(12).fill(1));
    expect(await rows(`SELECT documents::int FROM ${table}_tenants`)).toEqual(Array(3).fill({ documents: 5 }));
    expect(await miscounted(database, table)).toEqual([]);
  });

  it('wait for the one at work until they are aborted, and take no session meanwhile', async () => {
    const holder = await migrated({ tenant: 'a' });
    const gate = gated(definitions(1));
    const holding = holder.sync(gate.tools);
    await gate.wanted;
    const pool = noPostgres ? database.pool : new Pool({ connectionString: database.url, max: 1 });
    const source = database.source({ table: holder.table, pool, tenant: 'a' });
    const abort = new AbortController();
    const aborted = source.sync(definitions(9), { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const waiting = [1, 2, 3].map((count) => source.sync(definitions(count)));
    for (let look = 0; look < 5; look++) expect((await pool.query('SELECT 7 AS seven')).rows).toEqual([{ seven: 7 }]);
    expect(await source.sync(definitions(2), { tenant: 'b' })).toMatchObject({ added: 2 });
    expect(await rows(`SELECT FROM ${holder.table} WHERE tenant = 'a'`)).toEqual([]);
    gate.open();
    await holding;
    expect((await Promise.all(waiting)).reduce((sum, { added, deleted }) => sum + added - deleted, 1)).toBeGreaterThan(
      0,
    );
    await (pool as Partial<Pool>).end?.();
  });

  it.skipIf(noPostgres)(
    'leave the old or the new version of each tool where a process is killed in the middle',
    async () => {
      const source = await migrated();
      const { table } = source;
      const newer = await contentsAfter(release(2, 200));
      for (const batches of [1, 5]) {
        await source.sync(release(1, 200));
        const [before = []] = await contentsOf(database, table);
        const child = syncIn(table, release(2, 200));
        let seen = 0;
        for await (const _ of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
          if (++seen === batches) break;
        child.kill('SIGKILL');
        await once(child, 'exit');
        // A statement that was under way may still end: PostgreSQL then sees that nobody listens.
        const known = new Set([...before, ...(newer[0] ?? [])].map((row) => JSON.stringify(row)));
        const [after = []] = await contentsOf(database, table);
        expect(after.length).toBeGreaterThanOrEqual(200);
        expect(after.filter((row) => !known.has(JSON.stringify(row)))).toEqual([]);
        const healed = await source.sync(release(2, 200));
        expect(healed.added + healed.updated).toBeLessThan(200);
        expect(await contentsOf(database, table)).toEqual(newer);
      }
    },
  );

  it.skipIf(noPostgres)('go on after the session is ended from outside: the next one heals', async () => {
    const source = await migrated();
    const end = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()`;
    let ended: Promise<unknown> | undefined;
    const onProgress = (): void => {
      ended ??= rows(end);
    };
    await expect(source.sync(release(1, 200), { batchSize: 5, onProgress })).rejects.toThrow();
    await ended;
    await source.sync(release(1, 200));
    expect(await contentsOf(database, source.table)).toEqual(await contentsAfter(release(1, 200)));
  });

  it('that are aborted, broken off or at once, leave what the last one was given', async () => {
    const pools = [database.pool, database.another()];
    const given = fc.record({ version: fc.integer({ min: 1, max: 3 }), count: fc.integer({ min: 0, max: 30 }) });
    const how = fc.record({
      batchSize: fc.integer({ min: 1, max: 12 }),
      end: fc.constantFrom('whole', 'whole', 'aborted', 'broken'),
      after: fc.integer({ min: 1, max: 4 }),
      pool: fc.constantFrom(...pools),
    });
    const round = fc.array(fc.tuple(given, how), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 3 }), given, async (rounds, last) => {
        const source = await migrated();
        const { table } = source;
        for (const each of rounds) {
          const endings = each.map(async ([{ version, count }, { batchSize, end, after, pool }]) => {
            const abort = new AbortController();
            const tools = release(version, count);
            const isBroken = end === 'broken' && tools.length > after * batchSize;
            let batches = 0;
            const onProgress = (): void => {
              if (end === 'aborted' && ++batches === after) abort.abort(new Error('aborted'));
            };
            const all = isBroken ? stream(tools.slice(0, after * batchSize), new Error('broken off')) : stream(tools);
            await database.source({ table, pool }).sync(all, { batchSize, signal: abort.signal, onProgress });
          });
          for (const ending of await Promise.allSettled(endings)) {
            if (ending.status === 'rejected') expect(ending.reason.message).toMatch(/^(?:broken off|aborted)$/);
          }
          expect(await miscounted(database, table)).toEqual([]);
        }
        const tools = release(last.version, last.count);
        await source.sync(tools);
        expect(await contentsOf(database, table)).toEqual(await contentsAfter(tools));
      }),
      { numRuns: 12 },
    );
  });
});
