import path from 'node:path';
import { RequestContext } from '@mastra/core/request-context';
import { bm25Scorer, type ToolSearchEvent, wordsAndMeaningScorer } from 'mastra-tool-search';
import { type PostgresPool, type PostgresSourceOptions, postgresSource } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { toolDocument } from '../../src/catalog/document.ts';
import { figuresOf } from '../bench/retrieval/measure.ts';
import { readSet } from '../bench/retrieval/sets.ts';
import { Documents } from '../bench/source/documents.ts';
import { describeToolSource } from '../catalog/tool-source-contract.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { rig, searchLoadCall } from '../support/agent.ts';
import { deferred } from '../support/deferred.ts';
import { noPostgres } from '../support/postgres-server.ts';
import { definitionOf, mainDatabase, queryOf, tenantOfContext, toTool } from './databases.ts';

const database = mainDatabase();
const { rows, migrated } = database;
const set = readSet(path.resolve('test/fixtures/mcp-dev'));
const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  metadata: { url: 'https://weather.example.com' },
};
const email = { name: 'send_email', description: 'Sends an email to somebody.' };

describeToolSource(
  'postgresSource()',
  async () => {
    const source = await migrated({ tenant: tenantOfContext });
    return {
      source,
      fill: async (tools, tenant) => void (await source.sync(tools, { tenant })),
      enter: (requestContext, tenant) => requestContext.set('tenant', tenant),
    };
  },
  { runs: 8 },
);

describe('a search', () => {
  it('weighs words as the scorer of words does over the same tools, guesses the same, and is nearly as sure', async () => {
    const few = [
      document('get_weather', 'The weather of a city.'),
      document('translate_text', 'Translates a text to another language.'),
      document('send_email', 'Sends an email with attachments.'),
    ];
    const queries = ['get the weather', 'open an issue on github', 'send a message to a channel', 'read file'];
    // Compounds with a stop word, which one tool has and the other does not.
    const hyphenated = [
      document('list_todos', 'What is left.'),
      document('create_object', 'One of the durable objects (DOs).'),
      document('boarding_pass', 'Of a flight.'),
    ];
    const guesses = ['wether', 'weahter', 'transl', 'langauge', 'emial', 'atachments', 'xylophone'];
    for (const [documents, texts] of [
      [catalog, queries],
      [hyphenated, ['my to-dos', 'to-do', 'on-boarding', 'the +to-dos']],
      [few, guesses],
    ] as const) {
      const source = await migrated();
      await source.sync(documents.map(definitionOf));
      const index = await bm25Scorer().index(documents);
      const meaning = await wordsAndMeaningScorer().index(documents);
      for (const text of texts) {
        const query = queryOf(text);
        const found = await source.search(query, { limit: 10, explain: true });
        // The database compares stems: what is guessed is the same, but weighs otherwise.
        const shown = (scores: readonly { readonly word: string; readonly score?: number }[] = []): readonly string[] =>
          scores.map(({ word, score = 0 }) => (documents === few ? word : `${word} ${score.toFixed(6)}`));
        for (const { name, words, features = [], score } of found) {
          expect(shown(words), text).toEqual(shown((await index.explain?.(query, name))?.words));
          expect(features.reduce((sum, feature) => sum + feature.score, 0)).toBeCloseTo(score, 9);
        }
        if (documents === few) {
          expect(found.map(({ name }) => name)).toEqual((await index.search(query)).map(({ name }) => name));
          expect(found).toHaveLength(text === 'xylophone' ? 0 : 1);
          continue;
        }
        const [best] = await meaning.search(query);
        expect(found[0]?.name, text).toBe(best?.name);
        const [sure = 0] = (await meaning.confidence?.(query, [best?.name ?? ''])) ?? [];
        expect(Math.abs((found[0]?.confidence ?? 0) - sure), text).toBeLessThan(0.25);
      }
    }
  });

  // Beyond 4,500 tools with a word, the database looks for several words at once.
  it.each([set.tools.length, ...(noPostgres ? [] : [5_000])])(
    'ranks %d tools nearly as the process does, and better than words alone',
    async (count) => {
      const source = await migrated();
      const tools = [...new Documents(set.tools).take(count)];
      const documents = tools.map((each) => toolDocument(each.id, each as never).document);
      await source.sync(documents.map(definitionOf));
      const index = await wordsAndMeaningScorer().index(documents);
      const words = await bm25Scorer().index(documents);
      let [here, there, alone, queries] = [0, 0, 0, 0];
      for (const labelled of set.queries.filter((_, at) => at % 8 === 0)) {
        const query = queryOf(labelled.query);
        const figureOf = (found: readonly { name: string }[]): number =>
          figuresOf(found.map(({ name }) => name).slice(0, 10), labelled).ndcg10;
        here += figureOf(await index.search(query));
        there += figureOf(await source.search(query, { limit: 10 }));
        alone += figureOf(await words.search(query));
        queries++;
      }
      expect(here / queries).toBeGreaterThan(0.4);
      // Of a server, the candidates are a part: they say less of it than all of its tools.
      expect(there / queries).toBeGreaterThan(here / queries - 0.05);
      expect(there / queries).toBeGreaterThan(alone / queries + 0.02);
    },
  );

  it('finds all that fit, far behind those that it ranks, always in one order', async () => {
    const source = await migrated();
    const herons = Array.from({ length: 600 }, (_, at) =>
      document(`heron_${at}`, `Feeds the heron of pond ${at % 7}.`),
    );
    await source.sync(herons.map(definitionOf));
    const search = async (limit: number) =>
      (await source.search(queryOf('feed heron'), { limit })).map(({ name, score }) => `${name} ${score}`);
    const all = await search(1_000);
    expect(new Set(all.map((one) => one.split(' ')[0])).size).toBe(600);
    for (const limit of [1, 199, 200, 201, 599]) expect(await search(limit)).toEqual(all.slice(0, limit));
  });
});

describe('the probes of a search', () => {
  /** What the database is asked for, where these many of its documents have these words. */
  async function probesFor(text: string, counts: Record<string, number>, documents = 1_000_000): Promise<string[]> {
    const asked: unknown[][] = [];
    const guess = { asked: null, word: 'weather', documents: counts['weather'] };
    const answers = [[{ documents, lengths: Array(8).fill(documents), words: counts, everybody: documents }], [guess]];
    const pool: PostgresPool = {
      query: async (statement, values = []) => {
        if (statement.includes('WITH levels')) asked.push(values);
        return {
          rows: statement.includes('WITH levels')
            ? []
            : ((statement.includes('unnest($2') ? answers[1] : answers[0]) ?? []),
        };
      },
    };
    await postgresSource({ pool, toTool }).search(queryOf(text), { limit: 10 });
    return (asked[0]?.[3] ?? []) as string[];
  }

  it('never are a common word alone, where a rarer one is there', async () => {
    const counts = { get: 200_000, '=get': 80_000, weather: 3_000, '=weather': 400, citi: 20_000, '=citi': 900 };
    const probes = await probesFor('get weather city', counts);
    expect(probes.length).toBeGreaterThan(0);
    for (const probe of probes) expect(probe).toMatch(/^'=weather'|^'=?citi' & |^'=?weather' & /);
    expect(await probesFor('files', { file: 300_000, '=file': 90_000 })).toEqual(["'=file'"]);
  });

  it('are any of the words in a small catalog, and what they may mean that no document has', async () => {
    const [probe = '', ...more] = await probesFor('send email', { send: 800, email: 300, mail: 40 }, 3_000);
    expect(more).toEqual([]);
    for (const root of ["'send'", "'email'", "'mail'"]) expect(probe).toContain(root);
    expect(probe).not.toContain('&');
    expect((await probesFor('wether', { weather: 10 })).join()).toContain("'weather'");
  });

  it('are a rare word alone beside words whose lists are longer to read, and nothing twice', async () => {
    const common = { json: 90_000, format: 80_000, '=json': 2_000 };
    const probes = await probesFor('zebra json format', { ...common, zebra: 300 });
    expect(probes.filter((probe) => probe.includes("'zebra'"))).toEqual(["'zebra'"]);
    const rarer = await probesFor('zebra json format', { zebra: 3_000, json: 9_000, format: 8_000, '=json': 2_000 });
    expect(rarer).not.toContain("'zebra'");
  });

  it('are few, however long the query is', async () => {
    const list = Array.from({ length: 60 }, (_, at) => `word${String.fromCharCode(97 + (at % 26))}${at}x`);
    const entries = list.flatMap((word, at) => [
      [word, 500 * (at + 1)],
      [`=${word}`, 50 * (at + 1)],
    ]);
    const probes = await probesFor(list.join(' '), Object.fromEntries(entries));
    expect(probes.length).toBeGreaterThan(0);
    expect(probes.length).toBeLessThanOrEqual(24);
    expect(probes.join('').length).toBeLessThan(30_000);
  });

  it('have what is required besides: the word, or what it may mean; none where no document has it', async () => {
    const counts = { weather: 10, mail: 5, email: 7 };
    expect(await probesFor('mail +weather', counts)).toEqual([
      expect.stringMatching(/^\('weather'\) & \(.*'mail'.*\)$/),
    ]);
    expect(await probesFor('mail +wether', counts)).toEqual([expect.stringMatching(/^\('weather'\) & /)]);
    expect(await probesFor('mail +weather +xylophone', { mail: 5 })).toEqual([]);
    expect(await probesFor('xylophone', {})).toEqual([]);
  });
});

describe('an agent over postgresSource()', () => {
  const inRome = { script: searchLoadCall('weather', { city: 'Rome' }) };

  it('finds a tool, loads it, and calls it with an input of its schema: what toTool made, or a stub of it', async () => {
    const execute = async (input: unknown) => input;
    const makers: PostgresSourceOptions['toTool'][] = [
      ({ description, inputSchema, metadata }) => ({
        ...{ description, inputSchema },
        execute: async (input: unknown) => ({ ...(input as object), at: metadata?.['url'] }),
      }),
      ({ name, description, inputSchema }) => ({
        ...{ id: name, description, resolve: async () => ({ description, inputSchema, execute }) },
      }),
    ];
    for (const [at, toTool] of makers.entries()) {
      const tools = await migrated({ toTool });
      await tools.sync([weather, email]);
      const { agent, model } = rig({ tools }, inRome);
      await agent.generate('weather in Rome?');
      expect(model.result(3)).toEqual({ city: 'Rome', ...(at === 0 ? { at: 'https://weather.example.com' } : {}) });
      const sent = model.calls[2]?.tools.find(({ name }) => name === 'get_weather');
      expect(sent).toMatchObject({ inputSchema: weather.inputSchema });
    }
  });

  it('has the tools of its tenant, and none where the tenant is not known', async () => {
    const events: ToolSearchEvent[] = [];
    const tools = await migrated({
      tenant: ({ requestContext }) => {
        if (!requestContext?.has('tenant')) throw new Error('who are you?');
        return requestContext.get('tenant') as string;
      },
    });
    await tools.sync([weather], { tenant: 'one' });
    await tools.sync([email], { tenant: 'two' });
    const shownTo = async (tenant?: unknown): Promise<string> => {
      const requestContext = new RequestContext((tenant === undefined ? [] : [['tenant', tenant]]) as never);
      const onEvent = (event: ToolSearchEvent): void => void events.push(event);
      const { agent, model } = rig({ tools, onEvent }, { script: searchLoadCall('weather email', { city: '' }) });
      await agent.generate('go', { requestContext });
      return JSON.stringify(model.calls.map(({ prompt }) => prompt).slice(1));
    };
    const failures = () => events.filter(({ type }) => type === 'source-failed');
    expect(await shownTo('one')).toContain('The weather of a city');
    expect(await shownTo('two')).not.toContain('The weather of a city');
    expect(failures()).toEqual([]);
    for (const nobody of [undefined, 7])
      expect(await shownTo(nobody)).not.toMatch(/The weather of a|Sends an email to/);
    expect(failures()[0]).toMatchObject({ error: { message: 'who are you?' } });
    expect(failures().at(-1)).toMatchObject({
      error: { message: expect.stringContaining('returned as a text of at most 500 characters for each') },
    });
    await expect(tools.sync([weather])).rejects.toThrow('sync() needs "tenant"');
  });

  it('hears that nobody made the tables, or that toTool made no tool, in an event', async () => {
    const heard = async (tools: ReturnType<typeof database.source>) => {
      const events: ToolSearchEvent[] = [];
      await rig({ tools, onEvent: (event) => void events.push(event) }).agent.generate('weather?');
      return events;
    };
    const toTool = (() => undefined) as never;
    expect(await heard(database.source())).toContainEqual(
      expect.objectContaining({
        type: 'source-failed',
        error: expect.objectContaining({
          ...{ code: 'storage-unavailable', message: expect.stringContaining('await source.migrate()') },
        }),
      }),
    );
    const tools = await migrated({ toTool });
    await tools.sync([weather]);
    expect(await heard(tools)).toContainEqual(
      expect.objectContaining({
        ...{ type: 'stub-failed', toolName: 'get_weather' },
        error: expect.objectContaining({ message: 'toTool() returned no tool for "get_weather"' }),
      }),
    );
  });
});

describe('what a source asks of its pools', () => {
  const find = async (source: ReturnType<typeof database.source>, signal?: AbortSignal) => {
    const found = await source.search(queryOf('weather'), { limit: 5, ...(signal && { abortSignal: signal }) });
    return found.map(({ name }) => name);
  };

  it('reads from one and writes to another, keeps no figures read before a sync, and finds what it has synced', async () => {
    const asked: string[] = [];
    const held: Promise<unknown>[] = [];
    const gate = deferred();
    let isHeld = false;
    const readPool: PostgresPool = {
      async query(text, values) {
        asked.push(text);
        const read = database.pool.query(text, values);
        if (!isHeld) return read;
        held.push(Promise.resolve(read));
        const answer = await read;
        await gate.promise;
        return answer;
      },
    };
    const source = await migrated({ readPool });
    await source.sync([email]);
    expect(asked).toEqual([]);
    expect(await find(source)).toEqual([]);
    isHeld = true;
    const before = find(source);
    await expect.poll(() => held.length).toBe(1);
    await held[0];
    await source.sync([email, weather]);
    gate.resolve();
    await before;
    expect(await find(source)).toEqual(['get_weather']);
    expect(await source.remove({ tenant: '' })).toBe(2);
    expect(await find(source)).toEqual([]);
    expect(asked.join('\n')).not.toMatch(/INSERT|UPDATE|DELETE|advisory/);
  });

  it.skipIf(noPostgres)(
    'prepares statements once in a session of a pool of pg, unless that is not wanted',
    async () => {
      for (const prepare of [true, false]) {
        const pool = new Pool({ connectionString: database.url, max: 1 });
        const source = await migrated({ pool, prepare });
        await source.sync([weather]);
        for (let time = 0; time < 3; time++) expect(await find(source)).toEqual(['get_weather']);
        const prepared = await pool.query(`SELECT FROM pg_prepared_statements WHERE statement LIKE '%WITH levels%'`);
        expect(prepared.rows).toHaveLength(prepare ? 1 : 0);
        await pool.end();
      }
    },
  );

  it('waits for the database until the request is aborted, and fails as it says', async () => {
    const source = await migrated();
    await source.sync([weather]);
    await expect(find(source, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    const busy = database.source({ pool: { query: () => new Promise<never>(() => {}) } });
    const abort = new AbortController();
    const waiting = find(busy, abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const broken = database.source({ pool: { query: (text) => rows(`${text} nonsense`) as never } });
    await expect(find(broken)).rejects.toMatchObject({ code: '42601' });
  });
});

describe('the options', () => {
  const pool = { query: async () => ({ rows: [{ done: true }] }) };
  const table = (name: unknown) => ({
    options: { pool, toTool, table: name },
    says: '"table" must be a name of at most 40',
  });
  it.each([
    { options: undefined, says: '"options" must be an object' },
    { options: pool, says: 'postgresSource() was given the pool itself' },
    { options: { toTool }, says: '"pool" must be a Pool of pg' },
    { options: { pool, readPool: {}, toTool }, says: '"readPool" must be a Pool of pg' },
    { options: { pool: { ...pool, escapeIdentifier: () => '' }, toTool }, says: '"pool" is a single client of pg' },
    { options: { pool }, says: '"toTool" must be a function' },
    ...['', 'a b', '2tools', 'a.b.c', 'tools"; DROP TABLE x; --', 'tööls', 'a\n', 'x'.repeat(41), 7].map(table),
    { options: { pool, toTool, tenant: 7 }, says: 'or a function that returns one; got 7' },
    { options: { pool, toTool, tenant: 'a\0' }, says: '"tenant" must be a text' },
    { options: { pool, toTool, prepare: 'no' }, says: '"prepare" must be true or false' },
    { options: { pool, toTool, tabel: 'tools' }, says: 'Did you mean "table"' },
  ])('$options are refused: $says', ({ options, says }) => {
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
    await expect(postgresSource({ pool, toTool }).sync(tools as never, options as never)).rejects.toThrow(says);
  });

  it('take names of 40 letters, and a Pool of pg that is not connected', async () => {
    const unreachable = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    const source = postgresSource({ pool: unreachable, toTool, table: `_${'x'.repeat(39)}` });
    await expect(source.migrate()).rejects.toThrow('ECONNREFUSED');
    await unreachable.end();
  });
});
