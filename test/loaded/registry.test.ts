import { type LoadedToolStore, memoryStore, type ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Registry } from '../../src/loaded/registry.ts';
import { Reporter } from '../../src/reporter.ts';
import { createRequestState } from '../../src/request/request-state.ts';

const TTL = 60_000;

/** A registry over a store of which single methods can be replaced. */
function setup(methods: Partial<LoadedToolStore> = {}) {
  const events: ToolSearchEvent[] = [];
  const inner = memoryStore();
  const store = { get: inner.get, add: inner.add, clear: inner.clear, ...methods } as LoadedToolStore;
  const registry = new Registry(store, TTL, 1_000, new Reporter((event) => events.push(event)));
  return { registry, inner, events };
}

const error = new Error('store down');
const faults = [
  {
    fault: 'throws',
    fail: () => {
      throw error;
    },
  },
  { fault: 'rejects', fail: () => Promise.reject(error) },
];

describe('the loads of a request with a scope', () => {
  it('are those of its scope, in load order, also for other requests', async () => {
    const { registry } = setup();
    await registry.add(createRequestState('one'), ['b', 'a']);
    await registry.add(createRequestState('one'), ['c', 'b']);
    expect(await registry.loaded(createRequestState('one'))).toEqual(['b', 'a', 'c']);
    expect(await registry.loaded(createRequestState('two'))).toEqual([]);
  });

  it('go to the store with the ttl of the processor', async () => {
    const add = vi.fn();
    const { registry } = setup({ add });
    await registry.add(createRequestState('one'), ['a', 'b']);
    expect(add.mock.calls).toEqual([['one', ['a', 'b'], { ttl: TTL }]]);
  });

  it('are what the store says, not what the request remembers: another replica may have cleared them', async () => {
    const { registry } = setup();
    const state = createRequestState('one');
    await registry.add(state, ['a']);
    await registry.clear(['one']);
    expect(await registry.loaded(state)).toEqual([]);
  });

  it('need no store when nothing is loaded', async () => {
    const add = vi.fn();
    const { registry, events } = setup({ add });
    await registry.add(createRequestState('one'), []);
    expect(add).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it('reach the store through its own object: a class may use `this`', async () => {
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
    const registry = new Registry(new Store(), TTL, 1_000, new Reporter((event) => events.push(event)));
    const state = createRequestState('one');
    await registry.add(state, ['a']);
    expect(await registry.loaded(state)).toEqual(['a']);
    await registry.clear(['one']);
    expect(await registry.loaded(state)).toEqual([]);
    expect(events).toEqual([]);
  });
});

describe('the loads of a request without a scope', () => {
  it('stay with it, in order, and never reach the store', async () => {
    const methods = { get: vi.fn(), add: vi.fn(), clear: vi.fn() };
    const { registry } = setup(methods);
    const [state, other] = [createRequestState(undefined), createRequestState(undefined)];
    await registry.add(state, ['b']);
    await registry.add(state, ['a', 'b']);
    expect(await registry.loaded(state)).toEqual(['b', 'a']);
    expect(await registry.loaded(other)).toEqual([]);
    for (const method of Object.values(methods)) expect(method).not.toHaveBeenCalled();
  });

  it('stand behind what its conversation shows', async () => {
    const { registry } = setup();
    const state = createRequestState(undefined);
    await registry.add(state, ['a', 'b']);
    expect(await registry.loaded(state, ['c', 'b'])).toEqual(['c', 'b', 'a']);
  });
});

describe('a store that reads the conversation', () => {
  it('is given the names only where messages are at hand', async () => {
    const get = vi.fn((_scope: string, names: readonly string[] = ['nothing']) => names);
    const { registry } = setup({ get, readsConversation: true });
    expect(registry.readsConversation).toBe(true);
    expect(await registry.loaded(createRequestState('one'), ['a'])).toEqual(['a']);
    expect(await registry.loaded(createRequestState('one'), [])).toEqual([]);
    expect(await registry.loaded(createRequestState('one'))).toEqual(['nothing']);
    expect(get.mock.calls).toEqual([['one', ['a']], ['one', []], ['one']]);
  });

  it.each([false, undefined, 'yes', 1])('is only one that says true, not %j', (readsConversation) => {
    expect(setup({ readsConversation: readsConversation as never }).registry.readsConversation).toBe(false);
  });
});

describe.each(faults)('a store whose get $fault', ({ fail }) => {
  it('leaves the request with what it loaded itself, and is reported', async () => {
    const { registry, events } = setup({ get: fail });
    const state = createRequestState('one');
    await registry.add(state, ['b', 'a']);
    expect(await registry.loaded(state)).toEqual(['b', 'a']);
    expect(await registry.loaded(createRequestState('one'))).toEqual([]);
    expect(events).toEqual(Array(2).fill({ type: 'store-failed', operation: 'get', error }));
  });

  it('leaves it with what the conversation shows as well', async () => {
    const { registry } = setup({ get: fail, readsConversation: true });
    const state = createRequestState('one');
    await registry.add(state, ['b', 'a']);
    expect(await registry.loaded(state, ['c', 'a'])).toEqual(['c', 'a', 'b']);
  });
});

describe.each(faults)('a store whose add $fault', ({ fail }) => {
  it('leaves the load to this request alone, behind what is stored, and is reported', async () => {
    const { registry, inner, events } = setup({ add: fail });
    inner.add('one', ['stored'], { ttl: 0 });
    const state = createRequestState('one');
    await registry.add(state, ['b', 'a']);
    expect(await registry.loaded(state)).toEqual(['stored', 'b', 'a']);
    expect(await registry.loaded(createRequestState('one'))).toEqual(['stored']);
    // Once for the load, and once more when the store could be read and was offered it again.
    expect(events).toEqual(Array(2).fill({ type: 'store-failed', operation: 'add', error }));
  });

  it('lists a name once that came to be stored otherwise', async () => {
    const { registry, inner } = setup({ add: fail });
    const state = createRequestState('one');
    await registry.add(state, ['a', 'b']);
    inner.add('one', ['b', 'c'], { ttl: 0 });
    expect(await registry.loaded(state)).toEqual(['b', 'c', 'a']);
  });

  it('is given what it could not take when it is back', async () => {
    let isDown = true;
    const { registry, inner } = setup({ add: (...args) => (isDown ? fail() : inner.add(...args)) });
    const state = createRequestState('one');
    await registry.add(state, ['a']);
    isDown = false;
    await registry.add(state, ['b']);
    // In the order of the loads, so that the prompt's prefix stays.
    expect(await registry.loaded(state)).toEqual(['a', 'b']);
    expect(await registry.loaded(createRequestState('one'))).toEqual(['a', 'b']);
  });
});

describe('names that were unloaded', () => {
  it('are gone for this request while the store cannot be read, also where the conversation shows them', async () => {
    let isDown = false;
    const { registry, inner } = setup({
      get: (scope) => (isDown ? faults[1]!.fail() : inner.get(scope)),
      remove: (...args) => inner.remove(...args),
    });
    const state = createRequestState('one');
    await registry.add(state, ['a', 'b']);
    isDown = true;
    await registry.remove(state, ['a']);
    expect(await registry.loaded(state)).toEqual(['b']);
    const failing = createRequestState('two');
    const down = setup({ get: faults[1]!.fail, remove: faults[1]!.fail });
    await down.registry.remove(failing, ['a']);
    expect(await down.registry.loaded(failing, ['a', 'b'])).toEqual(['b']);
  });

  it.each(faults)('are taken from the store when it is back, once, where its remove $fault', async ({ fail }) => {
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
    const state = createRequestState('one');
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
  });

  it('are tried again, all of them, when one is added while the store is at it', async () => {
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
    const state = createRequestState('one');
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

  it('are not changed by what the store does to the list it is given', async () => {
    const { registry } = setup({ remove: (_scope, names) => void (names as string[]).splice(0) });
    const removed = Object.freeze(['a']);
    await registry.remove(createRequestState('one'), removed);
    expect(removed).toEqual(['a']);
  });
});

describe('unload', () => {
  it('tells which names were loaded, each once', async () => {
    const { registry, inner } = setup();
    inner.add('one', ['a', 'b'], { ttl: 0 });
    expect(await registry.unload('one', ['a', 'never_loaded', 'a'])).toEqual(['a']);
    expect(inner.get('one')).toEqual(['b']);
    expect(await registry.unload('one', ['a'])).toEqual([]);
  });

  it.each(['get', 'remove'] as const)('tells none where the store fails in %s', async (operation) => {
    const { registry, inner, events } = setup({ [operation]: faults[1]!.fail });
    inner.add('one', ['a'], { ttl: 0 });
    expect(await registry.unload('one', ['a'])).toEqual([]);
    expect(events).toEqual([{ type: 'store-failed', operation, error }]);
  });
});

describe('useMastra', () => {
  it.each(faults)('of a store that $fault is reported and throws nothing', async ({ fail }) => {
    const { registry, events } = setup({ useMastra: fail as () => never });
    expect(() => registry.useMastra({})).not.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([{ type: 'store-failed', operation: 'useMastra', error }]);
  });

  it('gives the store the instance', () => {
    const useMastra = vi.fn();
    const mastra = {};
    setup({ useMastra }).registry.useMastra(mastra);
    expect(useMastra.mock.calls).toEqual([[mastra]]);
    expect(() => setup().registry.useMastra(mastra)).not.toThrow();
  });
});

it.each(faults)('a store whose clear $fault is reported, and the other scopes are cleared', async ({ fail }) => {
  const { registry, inner, events } = setup({ clear: (scope) => (scope === 'two' ? fail() : inner.clear(scope)) });
  for (const scope of ['one', 'two', 'three']) inner.add(scope, ['a'], { ttl: 0 });
  await registry.clear(['one', 'two', 'three']);
  expect(inner.scopes()).toEqual(['two']);
  expect(events).toEqual([{ type: 'store-failed', operation: 'clear', error }]);
});

describe('what a store returns', () => {
  it.each([
    { why: 'nothing', value: undefined },
    { why: 'null', value: null },
    { why: 'a text', value: 'get_weather' },
    { why: 'a set', value: new Set(['get_weather']) },
    { why: 'an object', value: { 0: 'get_weather', length: 1 } },
    { why: 'a promise of null', value: Promise.resolve(null) },
  ])('that is $why is reported, and the request goes on with its own', async ({ value }) => {
    const { registry, events } = setup({ get: () => value as never });
    const state = createRequestState('one');
    await registry.add(state, ['own']);
    expect(await registry.loaded(state)).toEqual(['own']);
    expect(events).toEqual([{ type: 'store-failed', operation: 'get', error: expect.any(TypeError) }]);
  });

  it('is cleaned of what is no name, and of repetitions', async () => {
    const value = ['a', null, 5, 'b', ['c'], 'a', { name: 'd' }, undefined, '__proto__'];
    const { registry, events } = setup({ get: () => value as never });
    expect(await registry.loaded(createRequestState('one'))).toEqual(['a', 'b', '__proto__']);
    expect(events).toEqual([]);
  });

  it('is not changed', async () => {
    const stored = Object.freeze(['a']) as readonly string[];
    const { registry } = setup({ get: () => stored, add: faults[0]!.fail });
    const state = createRequestState('one');
    await registry.add(state, ['b']);
    expect(await registry.loaded(state)).toEqual(['a', 'b']);
  });
});
