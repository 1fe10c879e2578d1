import { type LoadedToolStore, memoryStore, type ToolSearchEvent } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { Reporter } from '../../src/events/reporter.ts';
import { Registry } from '../../src/loaded/registry.ts';
import { RequestState } from '../../src/processor/request.ts';
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
