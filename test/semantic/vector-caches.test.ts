import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LibSQLVector } from '@mastra/libsql';
import { fileVectorCache, storeVectorCache, type VectorCache } from 'mastra-tool-search/semantic';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vectors-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENTRIES = [
  { key: 'm:a', vector: [0.5, 0.25] },
  { key: 'm:"b" \n', vector: [-1, 2] },
];
const keys = ENTRIES.map(({ key }) => key);
const read = async (cache: VectorCache, asked = keys) =>
  (await cache.get(asked)).map((vector) => vector && Array.from(vector));

describe.each([
  { name: 'a file', make: (place: string) => fileVectorCache(path.join(folder, place, 'vectors.txt')) },
  {
    name: 'a vector store of Mastra',
    make: (place: string) => {
      const vector = new LibSQLVector({ id: place, url: `file:${path.join(folder, `${place}.db`)}` });
      return storeVectorCache({ vector: vector as never, indexName: 'tool_vectors' });
    },
  },
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

it('refuses what is no place', () => {
  expect(() => fileVectorCache('')).toThrow(/"file" must be the path of a file/);
  expect(() => storeVectorCache({ vector: {} as never, indexName: 'x' })).toThrow(/"vector" must be a vector store/);
});
