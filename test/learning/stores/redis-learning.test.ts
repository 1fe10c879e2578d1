import type { LearningStore } from 'mastra-tool-search';
import { redisLearningStore, redisStore } from 'mastra-tool-search/redis';
import { describe, expect, it } from 'vitest';
import { clients } from '../../loaded/stores/redis-clients.ts';
import { redisRig } from '../../loaded/stores/redis-rig.ts';
import { noRedis } from '../../support/redis-server.ts';
import { describeLearningStore, KEEP, usesOf } from './learning-store-contract.ts';

describe.skipIf(noRedis !== undefined)(`redisLearningStore()${noRedis ? `, skipped: ${noRedis}` : ''}`, () => {
  const redis = redisRig();
  const open = async (name: string, prefix?: string): Promise<LearningStore> =>
    redisLearningStore({ client: (await redis.connect(name)).client, ...(prefix === undefined ? {} : { prefix }) });

  for (const name of Object.keys(clients)) {
    describeLearningStore(`redisLearningStore() with ${name}`, async () => ({
      store: await open(name, `contract ${name}`),
    }));
  }

  it('reads with every client what the others wrote', async () => {
    const stores = await Promise.all(Object.keys(clients).map((name) => open(name, 'mixed')));
    for (const [n, store] of stores.entries()) {
      await store.append('one', { key: 'k', uses: [{ use: `u${n}`, usedAt: n + 1 }] }, KEEP);
    }
    for (const store of stores) {
      expect((await store.read('one'))?.uses.map(({ use }) => use)).toEqual(stores.map((_, n) => `u${n}`));
    }
  });

  it('has one key for each scope, beside those of redisStore, which Redis forgets after the ttl', async () => {
    const connected = await redis.connect();
    const store = redisLearningStore({ client: connected.client });
    await store.append('["user:1"]', { key: 'k', uses: usesOf('a') }, { ttl: 60_000, max: 10 });
    await redisStore({ client: connected.client }).add('["user:1"]', ['a'], { ttl: 0 });
    const keys = (await redis.admin.keys('mastra-tool-search*')).sort();
    expect(keys).toEqual(['mastra-tool-search:["user%003a1"]', 'mastra-tool-search:learning:["user%003a1"]']);
    expect(await redis.admin.pttl(keys[1] as string)).toBeGreaterThan(50_000);
    await store.append('["user:1"]', { key: 'k', uses: [] }, { ttl: Number.POSITIVE_INFINITY, max: 10 });
    expect(await redis.admin.pttl(keys[1] as string)).toBe(-1);
    await store.clear('["user:1"]');
    expect(await redis.admin.keys('mastra-tool-search:learning*')).toEqual([]);
  });

  it('rejects every call when its connection is closed, and does not hang', async () => {
    const connected = await redis.connect('ioredis 6');
    const store = redisLearningStore({ client: connected.client });
    await connected.close();
    const calls = [
      () => store.read('one'),
      () => store.append('one', { key: 'k', uses: usesOf('a') }, KEEP),
      () => store.clear('one'),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow();
  });
});

it('refuses the client itself, by its own name', () => {
  expect(() => redisLearningStore({ eval: () => Promise.resolve() } as never)).toThrow(
    'redisLearningStore() was given the client itself: pass { client }.',
  );
});
