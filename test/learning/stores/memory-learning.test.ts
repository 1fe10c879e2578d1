import { memoryLearningStore } from 'mastra-tool-search/learning';
import { describe, expect, it, vi } from 'vitest';
import { describeLearningStore, KEEP, usesOf } from './learning-store-contract.ts';

describeLearningStore('memoryLearningStore()', () => ({ store: memoryLearningStore() }));

describe('memoryLearningStore()', () => {
  it('forgets the scope whose use is the longest ago, above maxUses', async () => {
    const store = memoryLearningStore({ maxUses: 4 });
    for (const scope of ['one', 'two']) await store.append(scope, { key: 'k', uses: usesOf('a', 'b') }, KEEP);
    await store.read('one');
    await store.append('three', { key: 'k', uses: usesOf('a') }, KEEP);
    const known = await Promise.all(['one', 'two', 'three'].map((scope) => store.read(scope)));
    expect(known.map((learned) => learned !== undefined)).toEqual([true, false, true]);
    // The newest stays, though it is above alone.
    await store.append('four', { key: 'k', uses: usesOf('a', 'b', 'c', 'd', 'e') }, KEEP);
    expect(await store.read('four')).toBeDefined();
  });

  it('forgets a scope without an append for its ttl', async () => {
    vi.useFakeTimers();
    try {
      const store = memoryLearningStore();
      await store.append('one', { key: 'k', uses: usesOf('a') }, { ttl: 1_000, max: 10 });
      vi.advanceTimersByTime(900);
      expect(await store.read('one')).toBeDefined();
      await store.append('one', { key: 'k', uses: [] }, { ttl: 1_000, max: 10 });
      vi.advanceTimersByTime(900);
      expect(await store.read('one')).toBeDefined();
      vi.advanceTimersByTime(200);
      expect(await store.read('one')).toBeUndefined();
      expect(await store.append('one', { key: 'k2', uses: usesOf('b') }, KEEP)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    { why: 'maxUses is no number', options: { maxUses: '5' }, message: /"?maxUses"?/ },
    { why: 'maxUses is 0', options: { maxUses: 0 }, message: /maxUses/ },
    { why: 'an option is unknown', options: { maxScopes: 5 }, message: /maxScopes/ },
  ])('throws when $why', ({ options, message }) => {
    expect(() => memoryLearningStore(options as never)).toThrow(message);
  });
});
