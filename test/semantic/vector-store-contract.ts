import { type VectorStoreLike, vectorScorer } from 'mastra-tool-search/semantic';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { leavesPrototypesClean } from '../support/clean-prototypes.ts';
import { bagOfWords, recorded } from './embeddings/embedders.ts';

export interface VectorStoreContractOptions {
  /** Why the engine at hand cannot serve several sessions at once; undefined when it can. */
  readonly whyNotAtOnce?: string;
}

/**
 * What vectorScorer needs of a real vector store. `connect` opens it as another process would; each test has an index
 * of its own.
 */
export function describeVectorStore(
  name: string,
  connect: () => VectorStoreLike,
  { whyNotAtOnce }: VectorStoreContractOptions = {},
): void {
  describe(name, () => {
    leavesPrototypesClean();
    let turn = 0;
    let indexName = '';
    const run = Date.now();
    const next = (): string => {
      indexName = `tools_${run}_${turn++}`;
      return indexName;
    };
    const create = (vector: VectorStoreLike, embed = recorded().embed, more: object = {}) =>
      vectorScorer({ vector, indexName, embed, model: 'words', minSimilarity: 0, ...more });
    let store: VectorStoreLike;
    beforeAll(() => {
      store = connect();
    });

    it('stores a catalog once: a second process neither embeds nor writes', async () => {
      next();
      const first = recorded();
      await create(store, first.embed).index(catalog);
      expect(first.documents().length).toBe(catalog.length);

      const other = connect();
      const upsert = vi.spyOn(other, 'upsert');
      const createIndex = vi.spyOn(other, 'createIndex');
      const second = recorded();
      const index = await create(other, second.embed).index(catalog);
      expect(second.documents()).toEqual([]);
      expect(upsert).not.toHaveBeenCalled();
      expect(createIndex).not.toHaveBeenCalled();
      expect((await index.search(parseQuery('weather forecast')))[0]?.name).toBe('get-weather-forecast');
    });

    it('adds what is new of a changed catalog alone', async () => {
      next();
      await create(store).index(catalog);
      const { embed, documents } = recorded();
      await create(connect(), embed).index([document('brand_new', 'A new tool.'), ...catalog.slice(1)]);
      expect(documents()).toEqual(['brand new. A new tool.']);
    });

    it('scores by the cosine', async () => {
      next();
      const query = bagOfWords('send email');
      const tool = bagOfWords('send email. Send an email message.');
      const dot = tool.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
      const expected = dot / Math.hypot(...tool) / Math.hypot(...query);
      const index = await create(store).index([document('send_email', 'Send an email message.')]);
      const [match] = await index.search(parseQuery('send email message'));
      expect(match?.name).toBe('send_email');
      const [other] = await index.search(parseQuery('email send'));
      expect(other?.score).toBeCloseTo(expected, 4);
    });

    it('shows no tenant the tools of another, and fills up to topK all the same', async () => {
      next();
      const ours = Array.from({ length: 8 }, (_, n) =>
        document(`our_${n}_mail`, 'Something about mail and other things.'),
      );
      const theirs = Array.from({ length: 60 }, (_, n) => document(`mail_${n}`, 'Mail.'));
      const scorer = create(store, undefined, { topK: 8 });
      const [mine, foreign] = await Promise.all([scorer.index(ours), scorer.index(theirs)]);
      expect((await mine.search(parseQuery('mail'))).map((match) => match.name)).toEqual(ours.map((tool) => tool.name));
      const names = (await foreign.search(parseQuery('mail'))).map((match) => match.name);
      expect(names.length).toBe(8);
      expect(names.filter((found) => !found.startsWith('mail_'))).toEqual([]);
    });

    const itAtOnce = whyNotAtOnce === undefined ? it : () => {};
    itAtOnce('serves processes that fill it at once', async () => {
      next();
      const scorers = [create(store), create(connect()), create(connect())];
      const indexes = await Promise.all(scorers.map((scorer) => scorer.index(catalog)));
      for (const index of indexes) {
        expect((await index.search(parseQuery('weather forecast')))[0]?.name).toBe('get-weather-forecast');
      }
      expect((await store.describeIndex({ indexName })) as object).toMatchObject({ count: catalog.length });
    });

    it('refuses a model of another size, with what to do', async () => {
      next();
      await create(store).index(catalog);
      const other = vectorScorer({
        vector: store,
        indexName,
        embed: (texts) => texts.map(() => [1, 2]),
        model: 'other',
      });
      await expect(other.index(catalog)).rejects.toThrow(
        /"tools_.*" has vectors of 1009 numbers.*Give another model another "indexName"/,
      );
    });
  });
}
