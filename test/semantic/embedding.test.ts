import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
import type { MastraEmbeddingModel } from '@mastra/core/vector';
import { MockEmbeddingModelV3, MockEmbeddingModelV4 } from 'ai/test';
import type { ScorerFault } from 'mastra-tool-search';
import { type EmbeddingModelLike, semanticScorer, type VectorCache } from 'mastra-tool-search/semantic';
import { describe, expect, it, vi } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { ask, namesOf, search } from '../scorers/scorer-contract.ts';
import { bagOfWords, jsonCache, office, recorded } from './embeddings/embedders.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, n) => document(`email_number${n}`));

describe('batches', () => {
  it('have batchSize texts, and run concurrency at once over all catalogs', async () => {
    const { embed, calls, mostAtOnce } = recorded();
    const scorer = semanticScorer({ embed, batchSize: 10, concurrency: 3 });
    const many = numbered(95);
    await Promise.all([scorer.index(many.slice(0, 55)), scorer.index(many.slice(55))]);
    expect(calls.map(({ texts }) => texts.length).sort()).toEqual([...new Array(9).fill(10), 5]);
    expect(mostAtOnce()).toBe(3);
  });

  it('embed a text once, for documents, catalogs and catalogs at once that share it', async () => {
    const { embed, documents } = recorded();
    const scorer = semanticScorer({ embed });
    const [first, second] = [office.slice(0, 2), office.slice(1)];
    await Promise.all([scorer.index(first), scorer.index([...second, ...second])]);
    await scorer.index(office);
    expect([new Set(documents()).size, documents().length]).toEqual([3, 3]);
  });

  it('stop after one that failed, and what was embedded is kept for the next try', async () => {
    const { embed, documents } = recorded();
    let isDown = true;
    const failing: typeof embed = async (texts, purpose) => {
      if (isDown && texts.some((text) => text.includes('number42'))) throw new Error('down');
      return embed(texts, purpose);
    };
    const scorer = semanticScorer({ embed: failing, batchSize: 10, concurrency: 1 });
    await expect(scorer.index(numbered(95))).rejects.toThrow('down');
    expect(documents().length).toBe(40);
    isDown = false;
    await scorer.index(numbered(95));
    expect(documents().length).toBe(95);
  });
});

describe('embedding models of the AI SDK', () => {
  const values = (options: { values: string[] }) => ({ embeddings: options.values.map(bagOfWords), warnings: [] });

  it.each([
    { version: 'v2', model: { specificationVersion: 'v2', doEmbed: async (options: never) => values(options) } },
    { version: 'v3', model: new MockEmbeddingModelV3({ doEmbed: async (options) => values(options) }) },
    { version: 'v4', model: new MockEmbeddingModelV4({ doEmbed: async (options) => values(options) }) },
  ])('can be of specification $version', async ({ model }) => {
    const scorer = semanticScorer({ embed: model as EmbeddingModelLike });
    expect((await namesOf(scorer, office, 'send email'))[0]).toBe('send_email');
  });

  it('can be of Mastra, whatever their specification, here its router over HTTP', async () => {
    const accepted: (model: MastraEmbeddingModel<string> | EmbeddingModelV4) => EmbeddingModelLike = (model) => model;
    expect(accepted).toBeTypeOf('function');
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { input } = JSON.parse(body) as { input: string[] };
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: bagOfWords(text) }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data, model: 'words' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const embed = new ModelRouterEmbeddingModel({ providerId: 'local', modelId: 'words', url, apiKey: 'none' });
    const cache = jsonCache();
    expect(await namesOf(semanticScorer({ embed, cache }), office, 'weather')).toEqual(['get_weather']);
    expect([...cache.entries.keys()].every((key) => key.startsWith('local/words:'))).toBe(true);
    server.close();
  });

  it.each([
    { most: Promise.resolve(3), sizes: [3, 3, 3, 1] },
    { most: 3.9, sizes: [3, 3, 3, 1] },
    { most: Number.POSITIVE_INFINITY, sizes: [4, 4, 2] },
    { most: 0, sizes: [4, 4, 2] },
  ])('limit the size and number of calls, also by promise: $sizes', async ({ most, sizes }) => {
    const { embed, calls, mostAtOnce } = recorded();
    const model: EmbeddingModelLike = {
      maxEmbeddingsPerCall: most,
      supportsParallelCalls: Promise.resolve(false),
      doEmbed: async (options) => ({ embeddings: await embed(options.values, 'document') }),
    };
    await semanticScorer({ embed: model, batchSize: 4 }).index(numbered(10));
    expect(calls.map(({ texts }) => texts.length)).toEqual(sizes);
    expect(mostAtOnce()).toBe(1);
  });
});

describe('the cache', () => {
  it('spares a restarted process the embedding, and ranks the same', async () => {
    const cache = jsonCache();
    const [get, set] = [vi.spyOn(cache, 'get'), vi.spyOn(cache, 'set')];
    const started = () => {
      const { embed, documents } = recorded();
      return { documents, scorer: semanticScorer({ embed, model: 'm', cache, batchSize: 2 }) };
    };
    const [before, after] = [started(), started()];
    const ranking = await search(before.scorer, office, 'send email');
    // One call for a catalog, and one for each batch.
    expect(get).toHaveBeenCalledTimes(1);
    expect(set.mock.calls.map(([entries]) => entries.length)).toEqual([2, 1]);
    expect(await search(after.scorer, office, 'send email')).toEqual(ranking);
    await after.scorer.index([...office, document('new_tool')]);
    expect(after.documents()).toEqual(['new tool']);
  });

  it('keeps models apart, and knows those of the AI SDK by provider and id', async () => {
    const cache = jsonCache();
    const { embed, documents } = recorded();
    const doEmbed = async ({ values }: { values: string[] }) => ({ embeddings: values.map(bagOfWords) });
    await semanticScorer({ embed, model: 'one', cache }).index(office);
    await semanticScorer({ embed, model: 'two', cache }).index(office);
    expect(documents().length).toBe(6);
    await semanticScorer({ embed: { modelId: 'three', doEmbed }, cache }).index(office);
    await semanticScorer({ embed: { modelId: 'four', provider: 'openai', doEmbed }, cache }).index(office);
    const keys = [...cache.entries.keys()].map((key) => key.replace(/:[0-9a-f]{64}$/, ''));
    expect(keys).toEqual(['one', 'two', 'three', 'openai/four'].flatMap((name) => [name, name, name]));
  });

  const rejected = (message: string) => () => Promise.reject(new Error(message));
  const thrown = (message: string) => () => {
    throw new Error(message);
  };
  const none = () => {};
  const having = (vector: unknown) => ({ get: (keys: readonly string[]) => keys.map(() => vector), set: none });
  it.each<[why: string, cache: unknown, fault: RegExp]>([
    ['get throws', { get: thrown('no disk'), set: none }, /get 3 vectors: no disk/],
    ['get rejects', { get: rejected('no net'), set: none }, /no net/],
    ['get returns nothing', { get: none, set: none }, /get 3 vectors/],
    ['a vector is no list', having({ 0: 1 }), /get 3 vectors.*none/],
    ['a vector has a hole', having([1, Number.NaN]), /NaN/],
    ['set throws', { get: () => [], set: thrown('full') }, /set 3 vectors: full/],
    ['set rejects', { get: () => [], set: rejected('full') }, /set 3 vectors: full/],
  ])('costs a call and is reported when %s', async (_, cache, fault) => {
    const { embed, documents } = recorded();
    const faults: ScorerFault[] = [];
    const scorer = semanticScorer({ embed, model: 'm', cache: cache as VectorCache });
    const index = await scorer.index(office, { report: (reported) => faults.push(reported) });
    expect(await ask(index, 'weather')).toEqual(['get_weather']);
    expect(documents().length).toBe(3);
    const error = expect.objectContaining({ message: expect.stringMatching(fault) });
    expect(faults).toEqual([{ scorer: 'semantic', error }]);
  });

  it('with one vector of another size costs the call for that one alone', async () => {
    const { embed, documents } = recorded();
    const cache = jsonCache();
    await semanticScorer({ embed, model: 'm', cache }).index(office);
    const [first = ''] = cache.entries.keys();
    cache.entries.set(first, '[1,2]');
    const faults: ScorerFault[] = [];
    const index = await semanticScorer({ embed, model: 'm', cache }).index(office, {
      report: (one) => faults.push(one),
    });
    expect(await ask(index, 'weather')).toEqual(['get_weather']);
    expect(documents().length).toBe(4);
    expect(String(faults.map(({ error }) => error))).toMatch(/get 1 vectors.* of 2 numbers/);
  });
});
