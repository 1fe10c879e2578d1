import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
import type { MastraEmbeddingModel } from '@mastra/core/vector';
import { MockEmbeddingModelV3, MockEmbeddingModelV4 } from 'ai/test';
import type { ScorerFault } from 'mastra-tool-search';
import {
  type EmbeddingModelLike,
  type EmbedFunction,
  semanticScorer,
  type VectorCache,
} from 'mastra-tool-search/semantic';
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

  const busy = (): Error => Object.assign(new Error('rate limit'), { statusCode: 429 });

  it('go on after one that failed, and what was embedded is kept for the next try', async () => {
    const { embed, documents } = recorded();
    let isBusy = true;
    const failing: typeof embed = async (texts, purpose) => {
      if (isBusy && texts.some((text) => text.includes('number42'))) throw busy();
      return embed(texts, purpose);
    };
    const scorer = semanticScorer({ embed: failing, batchSize: 10, concurrency: 1 });
    await expect(scorer.index(numbered(95))).rejects.toThrow('rate limit');
    expect(documents().length).toBe(85);
    isBusy = false;
    await scorer.index(numbered(95));
    expect(documents().length).toBe(95);
  });

  it.each([
    { down: 'without a status', error: () => new Error('no connection') },
    { down: 'with a status', error: busy },
  ])('end soon where the model is down, $down', async ({ error }) => {
    let calls = 0;
    const embed = async (): Promise<number[][]> => {
      calls++;
      throw error();
    };
    const scorer = semanticScorer({ embed, batchSize: 10, concurrency: 1 });
    await expect(scorer.index(numbered(1_000))).rejects.toThrow(error().message);
    expect(calls).toBeLessThanOrEqual(20);
  });
});

describe('a text that the model does not embed', () => {
  const bad = (text: string): boolean => text.startsWith('email') && /number4[23]/.test(text);
  it.each<[why: string, embed: EmbedFunction, extra: number]>([
    [
      'as it throws',
      async (texts) => {
        if (texts.some(bad)) throw new Error('a lone surrogate');
        return texts.map(bagOfWords);
      },
      30,
    ],
    ['as its vector is no vector', (texts) => texts.map((text) => (bad(text) ? [Number.NaN] : bagOfWords(text))), 0],
    ['as its vector has another size', (texts) => texts.map((text) => (bad(text) ? [1, 1] : bagOfWords(text))), 0],
  ])('costs its own tool alone, once, %s', async (_, embed, extra) => {
    const asked: string[] = [];
    const faults: ScorerFault[] = [];
    const counting: EmbedFunction = (texts, purpose) => {
      asked.push(...texts);
      return embed(texts, purpose);
    };
    const scorer = semanticScorer({ embed: counting, batchSize: 100 });
    const index = await scorer.index(numbered(95), { report: (fault) => faults.push(fault) });
    expect(await ask(index, 'number41')).toContain('email_number41');
    expect(await ask(index, 'number42')).toEqual([]);
    expect(faults.map(({ error }) => String(error))).toEqual([expect.stringContaining('the texts of 2 tools')]);
    const first = asked.filter((text) => text.startsWith('email')).length;
    expect(first).toBeLessThanOrEqual(95 + 95 * 2 + extra);
    if (extra === 0) expect(first).toBe(95);
    await scorer.index(numbered(95), { report: (fault) => faults.push(fault) });
    expect([asked.filter((text) => text.startsWith('email')).length, faults.length]).toEqual([first, 1]);
  });

  it('is the fault of the model where that embeds nothing', async () => {
    const scorer = semanticScorer({ embed: (texts) => texts.map(() => [Number.NaN]) });
    await expect(scorer.index(numbered(3))).rejects.toThrow(/NaN/);
    await expect(scorer.index(numbered(3))).rejects.toThrow(/NaN/);
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
    expect(String(faults.map(({ error }) => error))).toMatch(
      /get 1 vectors.* 2 numbers, and those of the model have 1009/,
    );
  });

  it('with vectors of another size than the model has begins anew, whether or not some are missing', async () => {
    const cache = jsonCache();
    const small = (texts: string[]): number[][] => texts.map(() => [1, 2]);
    await semanticScorer({ embed: small, model: 'm', cache }).index(office);
    for (const tools of [office, [...office, document('new_tool')]]) {
      const faults: ScorerFault[] = [];
      const kept = jsonCache();
      for (const [key, vector] of cache.entries) kept.entries.set(key, vector);
      const { embed, documents } = recorded();
      const index = await semanticScorer({ embed, model: 'm', cache: kept }).index(tools, {
        report: (one) => faults.push(one),
      });
      expect(await ask(index, 'weather')).toEqual(['get_weather']);
      expect([documents().length, faults.length]).toEqual([tools.length, 1]);
      expect([...kept.entries.values()].every((vector) => vector.length > 100)).toBe(true);
    }
  });
});
