import { describe, expect, it, vi } from 'vitest';
import { error, setup } from './registry-setup.ts';

const fail = (): never => {
  throw error;
};
const scope = (resourceId: string, threadId: string): string => JSON.stringify([resourceId, threadId]);

describe('a thread that is cleared', () => {
  const add = { ttl: 60_000 };

  it('is forgotten for all resources where none is named, and no other thread', async () => {
    const { inner } = setup();
    const { registry } = setup({ ...inner });
    for (const kept of [scope('ann', 't1'), scope('bob', 't1'), scope('ann', 't2'), 't1']) inner.add(kept, ['a'], add);
    await registry.clearThread('t1', undefined);
    expect(inner.scopes()).toEqual([scope('ann', 't2')]);
  });

  it('is forgotten for the resource that is named alone', async () => {
    const { inner } = setup();
    const { registry } = setup({ ...inner });
    for (const kept of [scope('ann', 't1'), scope('bob', 't1')]) inner.add(kept, ['a'], add);
    await registry.clearThread('t1', 'ann');
    expect(inner.scopes()).toEqual([scope('bob', 't1')]);
  });

  it('clears each of its scopes once', async () => {
    const clear = vi.fn();
    await setup({ clear }).registry.clearThread('t1', undefined);
    expect(clear.mock.calls.flat()).toEqual([...new Set(clear.mock.calls.flat())]);
    expect(clear.mock.calls.flat()).toContain('t1');
  });

  it('is forgotten as far as can be where the store cannot list, and where its list is none', async () => {
    for (const scopes of [undefined, () => 'none' as never]) {
      const { registry, inner, events } = setup(scopes && { scopes });
      inner.add('t1', ['a'], add);
      await registry.clearThread('t1', undefined);
      expect([inner.scopes(), events]).toEqual([[], []]);
    }
  });
});

describe('what a store need not have', () => {
  it('is done without', () => {
    const { registry, events } = setup();
    registry.clearAll();
    expect(registry.stats()).toEqual({ threadCount: 0, oldestAccessTime: null });
    expect(registry.cleanup()).toBe(0);
    expect(events).toEqual([]);
  });

  it.each([
    { method: 'scopes', operation: 'get', call: 'clearThread' },
    { method: 'clearAll', operation: 'clear', call: 'clearAll' },
    { method: 'stats', operation: 'get', call: 'stats' },
    { method: 'cleanup', operation: 'clear', call: 'cleanup' },
  ] as const)('is reported as $operation where $method() throws', async ({ method, operation, call }) => {
    const { registry, events } = setup({ [method]: fail });
    await (call === 'clearThread' ? registry.clearThread('t1', undefined) : registry[call]());
    expect(events).toEqual([{ type: 'store-failed', operation, error }]);
  });
});
