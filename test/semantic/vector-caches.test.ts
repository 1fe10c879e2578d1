import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LibSQLVector } from '@mastra/libsql';
import { PgVector } from '@mastra/pg';
import { fileVectorCache, storeVectorCache, type VectorCache } from 'mastra-tool-search/semantic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from './pgvector.ts';

let folder = '';
let server: PostgresServer;
const opened: PgVector[] = [];
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vectors-'));
  server = await startPostgres();
});
afterAll(async () => {
  for (const vector of opened) await vector.disconnect();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const inLibSql = (place: string) => {
  const vector = new LibSQLVector({ id: place, url: `file:${path.join(folder, `${place}.db`)}` });
  return storeVectorCache({ vector: vector as never, indexName: 'tool_vectors' });
};
const inPostgres = (place: string) => {
  // PGlite serves all connections in one session.
  const vector = new PgVector({ id: `vectors-${opened.length}`, connectionString: server.url, max: 1 });
  opened.push(vector);
  return storeVectorCache({ vector, indexName: `tool_vectors_${place}` });
};

const ENTRIES = [
  { key: 'm:a', vector: [0.5, 0.25] },
  { key: 'm:"b" \n', vector: [-1, 2] },
];
const keys = ENTRIES.map(({ key }) => key);
const read = async (cache: VectorCache, asked = keys) =>
  (await cache.get(asked)).map((vector) => vector && Array.from(vector));

describe.each([
  { name: 'a file', make: (place: string) => fileVectorCache(path.join(folder, place, 'vectors.txt')) },
  { name: 'LibSQL', make: inLibSql },
  { name: 'PostgreSQL with pgvector', make: inPostgres },
])('vectors kept in $name', ({ make }) => {
  it('are there for this process, and for one that starts later, until they are replaced', async () => {
    const cache = make('kept');
    expect(await read(cache)).toEqual([undefined, undefined]);
    await cache.set(ENTRIES);
    const expected = ENTRIES.map(({ vector }) => vector);
    expect([await read(cache), await read(make('kept'))]).toEqual([expected, expected]);
    expect(await read(make('kept'), ['m:a', 'm:unknown'])).toEqual([[0.5, 0.25], undefined]);
    await cache.set([{ key: 'm:a', vector: [1, 0] }]);
    expect((await read(make('kept')))[0]).toEqual([1, 0]);
  });
});

it('a line of a file that was cut off costs only its own vector', async () => {
  const file = path.join(folder, 'cut.txt');
  await fileVectorCache(file).set(ENTRIES.slice(0, 1));
  appendFileSync(file, '\n"m:c" AAAAP');
  await fileVectorCache(file).set(ENTRIES.slice(1));
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  expect(await read(fileVectorCache(file), [...keys, 'm:c'])).toEqual([[0.5, 0.25], [-1, 2], undefined]);
});

it('a new file can be read by its owner alone', async () => {
  const file = path.join(folder, 'own', 'vectors.txt');
  await fileVectorCache(file).set(ENTRIES);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each([inLibSql, inPostgres])('vectors of another size are refused, with what to do', async (make) => {
  await make('sizes').set(ENTRIES);
  await expect(make('sizes').set([{ key: 'm:c', vector: [1, 2, 3] }])).rejects.toThrow(
    /has vectors of 2 numbers, and "embed" returned one of 3\. Give another model another "indexName"/,
  );
});

it('processes may fill a store at once', async () => {
  const caches = [inLibSql('at-once'), inLibSql('at-once'), inLibSql('at-once')];
  await caches[0]!.set([{ key: 'm:first', vector: [1, 1] }]);
  await Promise.all(caches.map((cache, at) => cache.set([{ key: `m:${at}`, vector: [at, 1] }])));
  expect(await read(inLibSql('at-once'), ['m:0', 'm:1', 'm:2'])).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
});

it('refuses what is no place', () => {
  expect(() => fileVectorCache('')).toThrow(/"file" must be the path of a file/);
  expect(() => storeVectorCache({ vector: {} as never, indexName: 'x' })).toThrow(/"vector" must be a vector store/);
});
