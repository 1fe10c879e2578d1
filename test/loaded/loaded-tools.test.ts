import { describe, expect, it } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import { Reporter } from '../../src/events/reporter.ts';
import { Policy } from '../../src/filter/permissions.ts';
import type { LoadedToolStore } from '../../src/loaded/stores/store.ts';
import { RequestState } from '../../src/processor/request.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { setup } from './registry-setup.ts';

const absent = (count: number): string[] => Array.from({ length: count }, (_, n) => `gone_${n}`);

/** A scope whose store has the given names, before a catalog of `a`, `b`, and `c` under the key `see`. */
function scopeWith(stored: readonly string[], maxTools: number, methods: Partial<LoadedToolStore> = {}) {
  const { registry, inner, events } = setup(methods, maxTools);
  inner.add('one', stored, { ttl: 0 });
  const reporter = new Reporter();
  const catalog = readCatalog(listedTools({ ...toolRecord(tool('a'), tool('b')), see: tool('c') }), { reporter });
  const permissions = new Policy(undefined, reporter).permissions({});
  const loaded = async (): Promise<string[]> => {
    const entries = await registry.entries(new RequestState('one'), catalog, undefined, {}, permissions);
    return entries.map(({ name }) => name);
  };
  return { loaded, inner, events };
}

describe('the loaded tools of a request', () => {
  it('are those of its scope that the catalog has, in load order', async () => {
    const { loaded } = scopeWith(['b', 'gone_0', 'a'], 10);
    expect(await loaded()).toEqual(['b', 'a']);
  });

  it('have a tool once that is stored under its key and its name', async () => {
    expect(await scopeWith(['see', 'a', 'c'], 10).loaded()).toEqual(['c', 'a']);
  });
});

describe('loaded names that the catalog does not have', () => {
  it('stay in the store, so that the tools are back when their server is', async () => {
    const { loaded, inner, events } = scopeWith(['gone_0', 'a', 'gone_1'], 3);
    await loaded();
    expect(inner.get('one')).toEqual(['gone_0', 'a', 'gone_1']);
    expect(events).toEqual([]);
  });

  it('are unloaded, the oldest first, where they and the present tools are more than maxLoaded.tools', async () => {
    const { loaded, inner, events } = scopeWith([...absent(5), 'a'], 3);
    expect(await loaded()).toEqual(['a']);
    expect(inner.get('one')).toEqual(['gone_3', 'gone_4', 'a']);
    expect(events).toEqual([{ type: 'evict', toolNames: absent(3) }]);
  });

  it('are all unloaded where the present tools alone are more than maxLoaded.tools', async () => {
    const { loaded, inner } = scopeWith(['gone_0', 'a', 'gone_1', 'b', 'c'], 2);
    expect(await loaded()).toEqual(['a', 'b', 'c']);
    expect(inner.get('one')).toEqual(['a', 'b', 'c']);
  });

  it('are 1,000 at most where maxLoaded.tools is Infinity', async () => {
    const { loaded, inner, events } = scopeWith(absent(1_002), Number.POSITIVE_INFINITY);
    expect(await loaded()).toEqual([]);
    expect(inner.get('one')).toHaveLength(1_000);
    expect(events).toEqual([{ type: 'evict', toolNames: absent(2) }]);
  });

  it('are left alone in a store that reads the conversation, which goes on showing them', async () => {
    const { loaded, inner, events } = scopeWith(absent(3), 1, { readsConversation: true });
    expect(await loaded()).toEqual([]);
    expect(inner.get('one')).toEqual(absent(3));
    expect(events).toEqual([]);
  });
});
