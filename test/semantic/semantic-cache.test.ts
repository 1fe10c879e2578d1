import { MockEmbeddingModelV4 } from 'ai/test';
import { semanticScorer, type VectorCache } from 'mastra-tool-search/semantic';
import { describe, expect, it, vi } from 'vitest';
import type { ScorerFault } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { search } from '../scorers/scorer-contract.ts';
import { bagOfWords, jsonCache, MODEL, modelEmbed, office, recorded } from './embeddings/embedders.ts';

/** Has one vector for every key. */
const cacheOf = (vector: unknown) => ({ get: (keys: readonly string[]) => keys.map(() => vector), set: () => {} });

describe('the cache', () => {
  it('spares a restarted process the embedding, and ranks the same', async () => {
    const cache = jsonCache();
    const before = await search(semanticScorer({ embed: modelEmbed, model: MODEL, cache }), catalog, 'send a message');
    const { embed, documents } = recorded(() => []);
    const restarted = semanticScorer({
      embed: (texts, purpose) => (purpose === 'query' ? modelEmbed(texts, purpose) : embed(texts, purpose)),
      model: MODEL,
      cache,
    });
    expect(await search(restarted, catalog, 'send a message')).toEqual(before);
    expect(documents()).toEqual([]);
  });

  it('is asked for one catalog in one call, and told batch by batch', async () => {
    const cache = jsonCache();
    const get = vi.spyOn(cache, 'get');
    const set = vi.spyOn(cache, 'set');
    const { embed, documents } = recorded();
    await semanticScorer({ embed, model: 'm', cache, batchSize: 2 }).index(office);
    expect(get).toHaveBeenCalledTimes(1);
    expect(set.mock.calls.map(([entries]) => entries.length)).toEqual([2, 1]);
    await semanticScorer({ embed, model: 'm', cache }).index([...office, document('new_tool')]);
    expect(documents().slice(3)).toEqual(['new tool']);
  });

  it('keeps models apart', async () => {
    const cache = jsonCache();
    const { embed, documents } = recorded();
    await semanticScorer({ embed, model: 'one', cache }).index(office);
    await semanticScorer({ embed, model: 'two', cache }).index(office);
    expect(documents().length).toBe(6);
    expect([...cache.entries.keys()].filter((key) => /^one:[0-9a-f]{64}$/.test(key)).length).toBe(3);
  });

  it('knows the models of the AI SDK by provider and id', async () => {
    const cache = jsonCache();
    const model = new MockEmbeddingModelV4({
      provider: 'openai.embedding',
      modelId: 'text-embedding-3-small',
      doEmbed: async (options) => ({ embeddings: options.values.map(bagOfWords), warnings: [] }),
    });
    await semanticScorer({ embed: model, cache }).index(office);
    expect([...cache.entries.keys()][0]).toMatch(/^openai\.embedding\/text-embedding-3-small:/);
  });

  const thrown = (message: string) => () => {
    throw new Error(message);
  };
  const rejected = (message: string) => () => Promise.reject(new Error(message));
  const none = () => {};
  const broken: { why: string; cache: unknown; fault: RegExp }[] = [
    { why: 'get throws', cache: { get: thrown('no disk'), set: none }, fault: /get 3 vectors: no disk/ },
    { why: 'get rejects', cache: { get: rejected('no net'), set: none }, fault: /no net/ },
    { why: 'get returns nothing', cache: { get: none, set: none }, fault: /get 3 vectors/ },
    { why: 'a vector is no list', cache: cacheOf({ 0: 1 }), fault: /get 3 vectors.*none/ },
    { why: 'a vector has a hole', cache: cacheOf([1, Number.NaN]), fault: /NaN/ },
    { why: 'set throws', cache: { get: () => [], set: thrown('full') }, fault: /set 3 vectors: full/ },
    { why: 'set rejects', cache: { get: () => [], set: rejected('full') }, fault: /set 3 vectors: full/ },
  ];

  it('with one vector of another size costs the call for that one alone', async () => {
    const { embed, documents } = recorded();
    const cache = jsonCache();
    await semanticScorer({ embed, model: 'm', cache }).index(office);
    const [first = ''] = cache.entries.keys();
    cache.entries.set(first, '[1,2]');
    const before = documents().length;
    const faults: ScorerFault[] = [];
    const report = (fault: ScorerFault) => faults.push(fault);
    const index = await semanticScorer({ embed, model: 'm', cache }).index(office, { report });
    expect((await index.search(parseQuery('weather'))).map(({ name }) => name)).toEqual(['get_weather']);
    expect(documents().length - before).toBe(1);
    expect(faults.map(({ error }) => String(error))).toEqual([expect.stringMatching(/get 1 vectors.* of 2 numbers/)]);
  });

  it.each(broken)('costs a call and is reported when $why', async ({ cache, fault }) => {
    const { embed, documents } = recorded();
    const faults: ScorerFault[] = [];
    const scorer = semanticScorer({ embed, model: 'm', cache: cache as VectorCache });
    const index = await scorer.index(office, { report: (reported) => faults.push(reported) });
    expect((await index.search(parseQuery('weather'))).map(({ name }) => name)).toEqual(['get_weather']);
    expect(documents().length).toBe(3);
    expect(faults.map(({ scorer, error }) => [scorer, String(error)])).toEqual([
      ['semantic', expect.stringMatching(fault)],
    ]);
  });
});
