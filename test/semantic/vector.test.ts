import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LibSQLVector } from '@mastra/libsql';
import type { ToolDocument } from 'mastra-tool-search';
import { type EmbedFunction, type VectorStoreLike, vectorScorer } from 'mastra-tool-search/semantic';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { describeRefusals } from '../scorers/refusals.ts';
import { ask, describeScorer, namesOf } from '../scorers/scorer-contract.ts';
import { bagOfWords, office } from './embeddings/embedders.ts';
import { describeVectorStore } from './vector-store-contract.ts';

let folder: string;
const opened: LibSQLVector[] = [];

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vector-scorer-'));
});

afterAll(async () => {
  for (const vector of opened) await vector.close();
  rmSync(folder, { recursive: true, force: true });
});

describeVectorStore('vectorScorer over LibSQL', () => {
  const vector = new LibSQLVector({ id: `vectors-${opened.length}`, url: `file:${path.join(folder, 'vectors.db')}` });
  opened.push(vector);
  return vector;
});

const embed: EmbedFunction = (texts) => texts.map(bagOfWords);
const scorerOver = (vector: VectorStoreLike, more: object = {}) =>
  vectorScorer({ vector, indexName: 'tools', embed, model: 'words', ...more });

/** Rows in a Map. */
function memoryVectors(): VectorStoreLike & { rows: Map<string, number[]>; dimension: number | undefined } {
  const rows = new Map<string, number[]>();
  return {
    rows,
    dimension: undefined,
    async describeIndex() {
      if (this.dimension === undefined) throw new Error('no such index');
      return { dimension: this.dimension };
    },
    async createIndex({ dimension }) {
      this.dimension = dimension;
    },
    async upsert({ vectors, ids = [] }) {
      if (this.dimension === undefined) throw new Error('no such index');
      for (const [position, id] of ids.entries()) rows.set(id, vectors[position] ?? []);
    },
    async query({ queryVector, topK = 10, filter }) {
      if (this.dimension === undefined) throw new Error('no such index');
      const wanted = filter && new Set(Object.values(filter)[0]?.$in);
      return [...rows]
        .filter(([id]) => wanted?.has(id) ?? true)
        .map(([id, row]) => ({ id, score: row.reduce((sum, value, at) => sum + value * (queryVector[at] ?? 0), 0) }))
        .sort((first, second) => second.score - first.score)
        .slice(0, topK);
    },
  };
}

describeScorer('vectorScorer', () => scorerOver(memoryVectors(), { topK: 1_000, minSimilarity: 0 }), {
  has: ['restrictedTo'],
});

describe('the store', () => {
  it('gets ids that are UUIDs, and no text', async () => {
    const vector = memoryVectors();
    const upsert = vi.spyOn(vector, 'upsert');
    await scorerOver(vector).index(office);
    const [{ ids = [], metadata = [], indexName } = { indexName: '' }] = upsert.mock.calls.flat();
    expect([indexName, ids.length]).toEqual(['tools', 3]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(metadata).toEqual(ids.map((id) => ({ document: id })));
  });

  it('keeps documents with the same text as one row, which finds all of them', async () => {
    const vector = memoryVectors();
    const twins = [document('get_weather', 'Weather.'), document('getWeather', 'Weather.')];
    expect(await namesOf(scorerOver(vector), twins, 'weather')).toEqual(['getWeather', 'get_weather']);
    expect(vector.rows.size).toBe(1);
  });

  it('gives the best rows of what may be seen, or has a required word: others take no place among them', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `weather_${n}`);
    const tools = [...names.map((name) => document(name, 'Weather.')), document('send_fax')];
    const index = await scorerOver(memoryVectors(), { topK: 3 }).index(tools);
    const part = new Set(names.slice(-3));
    expect(await ask(await index.restrictedTo?.(part), 'weather')).toEqual(names.slice(-3));
    expect(await ask(index, '+fax send weather')).toEqual(['send_fax']);
  });

  it('keeps what it took before it failed, and is asked for the rest alone the next time', async () => {
    const vector = memoryVectors();
    const embedded = vi.fn(embed);
    const scorer = scorerOver(vector, { embed: embedded, batchSize: 1, concurrency: 1 });
    const upsert = vector.upsert.bind(vector);
    vector.upsert = async (rows) => {
      if (vector.rows.size === 2) throw new Error('disk is full');
      return upsert(rows);
    };
    await expect(scorer.index(office)).rejects.toThrow('disk is full');
    expect(vector.rows.size).toBe(2);
    vector.upsert = upsert;
    embedded.mockClear();
    expect(await namesOf(scorer, office, 'weather')).toEqual(['get_weather']);
    expect(embedded.mock.calls.flatMap(([texts, purpose]) => (purpose === 'document' ? texts : []))).toHaveLength(1);
  });

  it('is filled again after its index was deleted and a search has failed', async () => {
    const vector = memoryVectors();
    const index = await scorerOver(vector).index(office);
    vector.dimension = undefined;
    vector.rows.clear();
    await expect(ask(index, 'weather')).rejects.toThrow('no such index');
    expect(await ask(index, 'weather')).toEqual(['get_weather']);
  });

  const odd: unknown[] = [null, undefined, 'row', { id: 'x' }, { id: 'y', score: 'high' }];
  it.each<[why: string, change: (plain: VectorStoreLike) => Partial<VectorStoreLike>]>([
    [
      'return ids of its own, as long as it keeps the metadata',
      (plain) => ({
        query: async (params) =>
          (await plain.query(params)).map(({ id, score }, n) => ({
            id: `row-${n}`,
            score,
            metadata: { document: id },
          })),
      }),
    ],
    [
      'return rows that are none: they cost no other',
      (plain) => ({ query: async (params) => [...odd, ...(await plain.query(params))] as never }),
    ],
    [
      'return rows that were not asked for: they are dropped',
      (plain) => ({ query: ({ filter: _, ...params }) => plain.query(params) }),
    ],
    [
      'let all but one of those fail that create an index at once',
      (plain) => ({
        createIndex: async (params) => {
          await plain.createIndex(params);
          throw new Error('already exists');
        },
      }),
    ],
  ])('may %s', async (_, change) => {
    const vector = memoryVectors();
    const plain = { ...vector, query: vector.query.bind(vector), createIndex: vector.createIndex.bind(vector) };
    Object.assign(vector, change(plain));
    await scorerOver(vector).index([document('secret_weather', 'The weather of another tenant.')]);
    expect(await namesOf(scorerOver(vector), office, 'weather')).toEqual(['get_weather']);
  });

  it('that cannot create an index says why', async () => {
    const vector = memoryVectors();
    vector.createIndex = () => Promise.reject(new Error('no rights'));
    await expect(scorerOver(vector).index(office)).rejects.toThrow('no rights');
  });
});

it('large catalogs are asked for without a filter while the rows are their own, else with 1,000 ids at most', async () => {
  const large = Array.from({ length: 1_500 }, (_, n) => document(`tool_${n}`, n % 100 === 7 ? 'Weather.' : 'Other.'));
  const foreign = Array.from({ length: 300 }, (_, n) => document(`foreign_${n}`, 'Weather.'));
  const small: EmbedFunction = (texts) => texts.map((text) => [text.toLowerCase().includes('weather') ? 1 : 0, 0.1]);
  const asked = async (...before: ToolDocument[]) => {
    const vector = memoryVectors();
    const scorer = scorerOver(vector, { embed: small, topK: 10 });
    await scorer.index(before);
    const index = await scorer.index(large);
    const query = vi.spyOn(vector, 'query');
    const names = await ask(index, 'weather');
    expect([names.length, names.filter((name) => !/^tool_\d*7$/.test(name))]).toEqual([10, []]);
    return query.mock.calls.map(([{ filter }]) => filter?.['document']?.$in.length);
  };
  expect(await asked()).toEqual([undefined]);
  expect(await asked(...foreign)).toEqual([undefined, 1_000, 500]);
});

const good = { vector: memoryVectors(), indexName: 'tools', embed, model: 'm' };
const refused: { options: unknown; message: string }[] = [
  {
    options: { ...good, vector: undefined },
    message: '"vector" must be a vector store of Mastra, e.g. new LibSQLVect',
  },
  { options: { ...good, vector: { query() {} } }, message: '"vector" must be' },
  { options: { ...good, indexName: '' }, message: '"indexName" must be the name of an index; got "".' },
  { options: { ...good, topK: 0 }, message: '"topK" must be a whole number of at least 1; got 0.' },
  { options: { ...good, minSimilarity: -1 }, message: '"minSimilarity" must be' },
  { options: { ...good, model: undefined }, message: '"model" must be the name of the embedding model, since vectors' },
];

describeRefusals(refused, ({ options }) => vectorScorer(options as never));
