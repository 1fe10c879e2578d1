import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
import type { MastraEmbeddingModel } from '@mastra/core/vector';
import { MockEmbeddingModelV3, MockEmbeddingModelV4 } from 'ai/test';
import { type EmbeddingModelLike, semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { namesOf } from '../scorers/scorer-contract.ts';
import { bagOfWords, jsonCache, office, recorded } from './embeddings/embedders.ts';

describe('batches', () => {
  const many = Array.from({ length: 95 }, (_, n) => document(`tool_number${n}`));

  it('have batchSize texts and run concurrency at once', async () => {
    const { embed, calls, mostAtOnce } = recorded();
    await semanticScorer({ embed, batchSize: 10, concurrency: 3 }).index(many);
    expect(calls.map(({ texts }) => texts.length)).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 5]);
    expect(mostAtOnce()).toBe(3);
  });

  it('share their bound between catalogs', async () => {
    const { embed, mostAtOnce } = recorded();
    const scorer = semanticScorer({ embed, batchSize: 5, concurrency: 2 });
    await Promise.all([scorer.index(many.slice(0, 50)), scorer.index(many.slice(50))]);
    expect(mostAtOnce()).toBe(2);
  });

  it('embed a text once, for documents, catalogs and catalogs at once that share it', async () => {
    const { embed, documents } = recorded();
    const scorer = semanticScorer({ embed });
    const [first, second] = [office.slice(0, 2), office.slice(1)];
    await Promise.all([scorer.index(first), scorer.index([...second, ...second])]);
    await scorer.index(office);
    expect([...documents()].sort()).toEqual([...new Set(documents())].sort());
    expect(documents().length).toBe(3);
  });

  it('stop after one that failed, and what was embedded is kept for the next try', async () => {
    const { embed, documents } = recorded();
    let isDown = true;
    const failing: typeof embed = async (texts, purpose) => {
      if (isDown && texts.some((text) => text.includes('number42'))) throw new Error('down');
      return embed(texts, purpose);
    };
    const scorer = semanticScorer({ embed: failing, batchSize: 10, concurrency: 1 });
    await expect(scorer.index(many)).rejects.toThrow('down');
    expect(documents().length).toBe(40);
    isDown = false;
    await scorer.index(many);
    expect(documents().length).toBe(95);
  });
});

describe('embedding models of the AI SDK', () => {
  const values = (options: { values: string[] }) => ({ embeddings: options.values.map(bagOfWords), warnings: [] });
  const many = Array.from({ length: 10 }, (_, n) => document(`email_number${n}`));

  it.each([
    { version: 'v2', model: { specificationVersion: 'v2', doEmbed: async (options: never) => values(options) } },
    { version: 'v3', model: new MockEmbeddingModelV3({ doEmbed: async (options) => values(options) }) },
    { version: 'v4', model: new MockEmbeddingModelV4({ doEmbed: async (options) => values(options) }) },
  ])('can be of specification $version', async ({ model }) => {
    const scorer = semanticScorer({ embed: model as EmbeddingModelLike });
    expect((await namesOf(scorer, office, 'send email')).slice(0, 1)).toEqual(['send_email']);
  });

  it('can be of Mastra, whatever their specification', () => {
    const accepted: (model: MastraEmbeddingModel<string> | EmbeddingModelV4) => EmbeddingModelLike = (model) => model;
    expect(accepted).toBeTypeOf('function');
  });

  it("can be Mastra's router, here over HTTP", async () => {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { input } = JSON.parse(body) as { input: string[] };
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: bagOfWords(text) }));
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ object: 'list', data, model: 'words' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    const embed = new ModelRouterEmbeddingModel({ providerId: 'local', modelId: 'words', url, apiKey: 'none' });
    const cache = jsonCache();
    expect(await namesOf(semanticScorer({ embed, cache }), office, 'weather')).toEqual(['get_weather']);
    expect([...cache.entries.keys()].every((key) => key.startsWith('local/words:'))).toBe(true);
    server.close();
  });

  it('limit the size and number of calls, also by promise', async () => {
    const { embed, calls, mostAtOnce } = recorded();
    const model: EmbeddingModelLike = {
      maxEmbeddingsPerCall: Promise.resolve(3),
      supportsParallelCalls: Promise.resolve(false),
      doEmbed: async (options) => ({ embeddings: await embed(options.values, 'document') }),
    };
    await semanticScorer({ embed: model }).index(many);
    expect(calls.map(({ texts }) => texts.length)).toEqual([3, 3, 3, 1]);
    expect(mostAtOnce()).toBe(1);
  });

  it('without a limit are called with batchSize texts', async () => {
    const model = new MockEmbeddingModelV4({
      maxEmbeddingsPerCall: Number.POSITIVE_INFINITY,
      doEmbed: async (options) => values(options),
    });
    await semanticScorer({ embed: model, batchSize: 4 }).index(many);
    expect(model.doEmbedCalls.map((call) => call.values.length)).toEqual([4, 4, 2]);
  });
});
