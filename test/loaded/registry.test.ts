import { RequestContext } from '@mastra/core/request-context';
import { type LoadedToolStore, memoryStore, type ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { listedTools, readCatalog } from '../../src/catalog/build-catalog.ts';
import { Reporter } from '../../src/events/reporter.ts';
import { Policy } from '../../src/filter/permissions.ts';
import { Registry } from '../../src/loaded/registry.ts';
import { RequestState } from '../../src/processor/request.ts';
import { rig, tool, toolRecord, weather } from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';
import { error, faults, settings, setup, TTL } from './registry-setup.ts';

describe('the loads of a request with a scope', () => {
  it('are shared with other requests of the scope, in load order', async () => {
    const { registry } = setup();
    await registry.add(new RequestState('one'), ['b', 'a']);
    await registry.add(new RequestState('one'), ['c', 'b']);
    expect(await registry.loaded(new RequestState('one'))).toEqual(['b', 'a', 'c']);
    expect(await registry.loaded(new RequestState('two'))).toEqual([]);
  });

  it('go to the store with the ttl of the processor', async () => {
    const add = vi.fn();
    const { registry } = setup({ add });
    await registry.add(new RequestState('one'), ['a', 'b']);
    expect(add.mock.calls).toEqual([['one', ['a', 'b'], { ttl: TTL }]]);
  });

  it('are what the store returns, not what the request remembers: another replica may have cleared them', async () => {
    const { registry } = setup();
    const state = new RequestState('one');
    await registry.add(state, ['a']);
    await registry.clear(['one']);
    expect(await registry.loaded(state)).toEqual([]);
  });

  it('do not reach the store when there are none', async () => {
    const add = vi.fn();
    const { registry, events } = setup({ add });
    await registry.add(new RequestState('one'), []);
    expect(add).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it('reach the store as calls of its methods, so that a class may use `this`', async () => {
    class Store implements LoadedToolStore {
      readonly #inner = memoryStore();
      get(scope: string) {
        return this.#inner.get(scope);
      }
      add(...args: Parameters<LoadedToolStore['add']>) {
        this.#inner.add(...args);
      }
      clear(scope: string) {
        this.#inner.clear(scope);
      }
    }
    const events: ToolSearchEvent[] = [];
    const registry = new Registry(new Store(), settings, new Reporter((event) => events.push(event)));
    const state = new RequestState('one');
    await registry.add(state, ['a']);
    expect(await registry.loaded(state)).toEqual(['a']);
    await registry.clear(['one']);
    expect(await registry.loaded(state)).toEqual([]);
    expect(events).toEqual([]);
  });
});

describe('the loads of a request without a scope', () => {
  it('stay with the request, in order, and never reach the store', async () => {
    const methods = { get: vi.fn(), add: vi.fn(), clear: vi.fn(), remove: vi.fn() };
    const { registry } = setup(methods);
    const [state, other] = [new RequestState(undefined), new RequestState(undefined)];
    await registry.add(state, ['b']);
    await registry.add(state, ['a', 'b']);
    expect(await registry.loaded(state)).toEqual(['b', 'a']);
    expect(await registry.loaded(other)).toEqual([]);
    await registry.remove(state, ['b']);
    expect(await registry.loaded(state)).toEqual(['a']);
    for (const method of Object.values(methods)) expect(method).not.toHaveBeenCalled();
  });

  it('follow those that its conversation shows', async () => {
    const { registry } = setup();
    const state = new RequestState(undefined);
    await registry.add(state, ['a', 'b']);
    expect(await registry.loaded(state, ['c', 'b'])).toEqual(['c', 'b', 'a']);
  });
});

describe('a store that reads the conversation', () => {
  it('is given the names of the conversation only where messages are at hand', async () => {
    const get = vi.fn((_scope: string, names: readonly string[] = ['nothing']) => names);
    const { registry } = setup({ get, readsConversation: true });
    expect(registry.readsConversation).toBe(true);
    expect(await registry.loaded(new RequestState('one'), ['a'])).toEqual(['a']);
    expect(await registry.loaded(new RequestState('one'), [])).toEqual([]);
    expect(await registry.loaded(new RequestState('one'))).toEqual(['nothing']);
    expect(get.mock.calls).toEqual([['one', ['a']], ['one', []], ['one']]);
  });

  it.each([false, undefined, 'yes', 1])('is not recognised by readsConversation: %j', (readsConversation) => {
    expect(setup({ readsConversation: readsConversation as never }).registry.readsConversation).toBe(false);
  });
});

describe('Registry.remove()', () => {
  it('takes a name from the scope until it is loaded again, by another replica as well', async () => {
    const { registry, inner } = setup({ remove: (...args) => inner.remove(...args) });
    const state = new RequestState('one');
    await registry.add(state, ['a', 'b']);
    await registry.remove(state, ['a']);
    expect(inner.get('one')).toEqual(['b']);
    await registry.add(new RequestState('one'), ['a']);
    expect(await registry.loaded(state)).toEqual(['b', 'a']);
    expect(inner.get('one')).toEqual(['b', 'a']);
  });
});

describe('Registry.unload()', () => {
  it('returns the names that were loaded, each once', async () => {
    const { registry, inner } = setup();
    inner.add('one', ['a', 'b'], { ttl: 0 });
    expect(await registry.unload('one', ['a', 'never_loaded', 'a'])).toEqual(['a']);
    expect(inner.get('one')).toEqual(['b']);
    expect(await registry.unload('one', ['a'])).toEqual([]);
  });

  it.each(['get', 'remove'] as const)('returns nothing where the store fails in %s()', async (operation) => {
    const { registry, inner, events } = setup({ [operation]: faults[1]!.fail });
    inner.add('one', ['a'], { ttl: 0 });
    expect(await registry.unload('one', ['a'])).toEqual([]);
    expect(events).toEqual([{ type: 'store-failed', operation, error }]);
  });
});

describe('Registry.useMastra()', () => {
  it.each(faults)('reports a store that $fault, and throws nothing', async ({ fail }) => {
    const { registry, events } = setup({ useMastra: fail as () => never });
    expect(() => registry.useMastra({})).not.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([{ type: 'store-failed', operation: 'useMastra', error }]);
  });

  it('gives the store the Mastra instance, once it wants one and there is one', () => {
    const useMastra = vi.fn();
    const mastra = {};
    const { registry, events } = setup({ useMastra });
    registry.useMastra(undefined);
    expect(registry.wantsMastra).toBe(true);
    registry.useMastra(mastra);
    expect(registry.wantsMastra).toBe(false);
    registry.useMastra(undefined);
    expect(registry.wantsMastra).toBe(false);
    expect(useMastra.mock.calls).toEqual([[undefined], [mastra], [undefined]]);
    expect(events).toEqual([]);
  });

  it('leaves alone a store that wants none, without a report', () => {
    const { registry, events } = setup();
    expect(registry.wantsMastra).toBe(false);
    registry.useMastra({});
    expect(events).toEqual([]);
  });
});

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

describe.each(faults)('a store whose get() $fault', ({ fail }) => {
  it('leaves the request with its own loads, and is reported', async () => {
    const { registry, events } = setup({ get: fail });
    const state = new RequestState('one');
    await registry.add(state, ['b', 'a']);
    expect(await registry.loaded(state)).toEqual(['b', 'a']);
    expect(await registry.loaded(new RequestState('one'))).toEqual([]);
    expect(events).toEqual(Array(2).fill({ type: 'store-failed', operation: 'get', error }));
  });

  it('leaves the request with its own loads and those of its conversation', async () => {
    const { registry } = setup({ get: fail, readsConversation: true });
    const state = new RequestState('one');
    await registry.add(state, ['b', 'a']);
    expect(await registry.loaded(state, ['c', 'a'])).toEqual(['c', 'a', 'b']);
  });
});

describe.each(faults)('a store whose add() $fault', ({ fail }) => {
  it('leaves the load to this request, behind what is stored, and is reported', async () => {
    const { registry, inner, events } = setup({ add: fail });
    inner.add('one', ['stored'], { ttl: 0 });
    const state = new RequestState('one');
    await registry.add(state, ['b', 'a']);
    expect(await registry.loaded(state)).toEqual(['stored', 'b', 'a']);
    expect(await registry.loaded(new RequestState('one'))).toEqual(['stored']);
    // Once for the load, and once more when the store could be read and was offered it again.
    expect(events).toEqual(Array(2).fill({ type: 'store-failed', operation: 'add', error }));
  });

  it('does not list a name twice that came to be stored otherwise', async () => {
    const { registry, inner } = setup({ add: fail });
    const state = new RequestState('one');
    await registry.add(state, ['a', 'b']);
    inner.add('one', ['b', 'c'], { ttl: 0 });
    expect(await registry.loaded(state)).toEqual(['b', 'c', 'a']);
  });

  it('is given the missed loads, in load order, when it works again', async () => {
    let isDown = true;
    const { registry, inner } = setup({ add: (...args) => (isDown ? fail() : inner.add(...args)) });
    const state = new RequestState('one');
    await registry.add(state, ['a']);
    isDown = false;
    await registry.add(state, ['b']);
    // In the order of the loads, so that the prompt's prefix stays.
    expect(await registry.loaded(state)).toEqual(['a', 'b']);
    expect(await registry.loaded(new RequestState('one'))).toEqual(['a', 'b']);
  });
});

describe('unloaded names', () => {
  it('are gone for the request while the store cannot be read, also where the conversation shows them', async () => {
    let isDown = false;
    const { registry, inner } = setup({
      get: (scope) => (isDown ? faults[1]!.fail() : inner.get(scope)),
      remove: (...args) => inner.remove(...args),
    });
    const state = new RequestState('one');
    await registry.add(state, ['a', 'b']);
    isDown = true;
    await registry.remove(state, ['a']);
    expect(await registry.loaded(state)).toEqual(['b']);
    const failing = new RequestState('two');
    const down = setup({ get: faults[1]!.fail, remove: faults[1]!.fail });
    await down.registry.remove(failing, ['a']);
    expect(await down.registry.loaded(failing, ['a', 'b'])).toEqual(['b']);
  });

  it.each(faults)(
    'are removed once from a store whose remove() $fault, as soon as it works again',
    async ({ fail }) => {
      let isDown = true;
      const remove = vi.fn();
      const { registry, inner } = setup({
        remove: (...args) => {
          if (isDown) return fail();
          remove(...args);
          inner.remove(...args);
        },
      });
      inner.add('one', ['a', 'b'], { ttl: 0 });
      const state = new RequestState('one');
      await registry.remove(state, ['a']);
      expect(await registry.loaded(state)).toEqual(['b']);
      expect(inner.get('one')).toEqual(['a', 'b']);
      isDown = false;
      expect(await registry.loaded(state)).toEqual(['b']);
      expect(inner.get('one')).toEqual(['b']);
      // From now on the store knows: what another replica loads must not be taken away.
      inner.add('one', ['a'], { ttl: 0 });
      expect(await registry.loaded(state)).toEqual(['b', 'a']);
      expect(remove.mock.calls).toEqual([['one', ['a']]]);
    },
  );

  it('are removed later, all of them, when one is added while the store is removing others', async () => {
    let isDown = true;
    let meanwhile = async (): Promise<void> => {};
    const { registry, inner } = setup({
      remove: async (scope, names) => {
        if (isDown) throw error;
        await meanwhile();
        inner.remove(scope, names);
      },
    });
    inner.add('one', ['a', 'b', 'c'], { ttl: 0 });
    const state = new RequestState('one');
    await registry.remove(state, ['a']);
    isDown = false;
    meanwhile = async () => {
      meanwhile = async () => {};
      isDown = true;
      await registry.remove(state, ['b']);
      isDown = false;
    };
    await registry.loaded(state);
    expect(await registry.loaded(state)).toEqual(['c']);
    expect(inner.get('one')).toEqual(['c']);
  });

  it('are not changed by a store that changes the list it is given', async () => {
    const { registry } = setup({ remove: (_scope, names) => void (names as string[]).splice(0) });
    const removed = Object.freeze(['a']);
    await registry.remove(new RequestState('one'), removed);
    expect(removed).toEqual(['a']);
  });
});

it.each(faults)(
  'Registry.clear() reports a store that $fault for one scope, and clears the others',
  async ({ fail }) => {
    const { registry, inner, events } = setup({ clear: (scope) => (scope === 'two' ? fail() : inner.clear(scope)) });
    for (const scope of ['one', 'two', 'three']) inner.add(scope, ['a'], { ttl: 0 });
    await registry.clear(['one', 'two', 'three']);
    expect(inner.scopes()).toEqual(['two']);
    expect(events).toEqual([{ type: 'store-failed', operation: 'clear', error }]);
  },
);

describe('what a store returns', () => {
  it.each([
    { why: 'nothing', value: undefined },
    { why: 'null', value: null },
    { why: 'a text', value: 'get_weather' },
    { why: 'a set', value: new Set(['get_weather']) },
    { why: 'an object', value: { 0: 'get_weather', length: 1 } },
    { why: 'a promise of null', value: Promise.resolve(null) },
  ])('is reported when it is $why, and the request goes on with its own loads', async ({ value }) => {
    const { registry, events } = setup({ get: () => value as never });
    const state = new RequestState('one');
    await registry.add(state, ['own']);
    expect(await registry.loaded(state)).toEqual(['own']);
    const error = new TypeError('get() of the store did not return an array of names');
    expect(events).toEqual([{ type: 'store-failed', operation: 'get', error }]);
  });

  it('is used without repetitions and without what is no name', async () => {
    const value = ['a', null, 5, 'b', ['c'], 'a', { name: 'd' }, undefined, '__proto__'];
    const { registry, events } = setup({ get: () => value as never });
    expect(await registry.loaded(new RequestState('one'))).toEqual(['a', 'b', '__proto__']);
    expect(events).toEqual([]);
  });

  it('is not changed', async () => {
    const stored = Object.freeze(['a']) as readonly string[];
    const { registry } = setup({ get: () => stored, add: faults[0]!.fail });
    const state = new RequestState('one');
    await registry.add(state, ['b']);
    expect(await registry.loaded(state)).toEqual(['a', 'b']);
  });
});

describe('a store that returns far too much', () => {
  const million = (last: string): { readonly list: string[]; readonly read: () => number } => {
    let read = 0;
    const list = new Proxy(new Array<string>(1_000_000), {
      has: () => true,
      get(target, key, receiver) {
        if (typeof key !== 'string' || !/^\d+$/.test(key)) return Reflect.get(target, key, receiver);
        read += 1;
        return key === '999999' ? last : `name_${key}`;
      },
    });
    return { list, read: () => read };
  };

  it('is read from its end, which was loaded last', async () => {
    const { list, read } = million('get_weather');
    const model = rig(
      { tools: toolRecord(weather()), storage: { get: () => list, add: () => {}, clear: () => {} } },
      { script: () => ({ text: 'done' }) },
    );
    const requestContext = new RequestContext([['mastra__threadId', 't']] as never);
    await model.agent.generate('go', { requestContext } as never);
    expect(model.model.calls.map(toolNames)).toEqual([['search_tools', 'load_tool', 'get_weather']]);
    // Names of no tool are unloaded, from a store without `remove` in what it returns then.
    expect(read() % 10_000).toBe(0);
    expect(read()).toBeLessThanOrEqual(40_000);
  });

  it('has no name of a million characters', async () => {
    const made = rig(
      {
        tools: toolRecord(weather()),
        storage: { get: () => ['x'.repeat(1_000_000), 'get_weather'], add: () => {}, clear: () => {} },
      },
      { script: () => ({ text: 'done' }) },
    );
    const requestContext = new RequestContext([['mastra__threadId', 't']] as never);
    await made.agent.generate('go', { requestContext } as never);
    expect(made.model.calls.map(toolNames)).toEqual([['search_tools', 'load_tool', 'get_weather']]);
  });
});

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
