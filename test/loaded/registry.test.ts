import { type LoadedToolStore, memoryStore } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { RequestState } from '../../src/processor/request.ts';
import { Session } from '../meta-tools/session.ts';
import { tool, toolRecord, weather } from '../support/harness.ts';
import { error, faults, setup, TTL } from './registry-setup.ts';

// Agents over a store that fails: test/agent/store-outage.test.ts; what makes room: test/agent/caps.test.ts.

describe('the loads of a request', () => {
  it('are those of its scope in the store, whoever loaded or cleared them, in load order', async () => {
    const { registry } = setup();
    const state = new RequestState('one');
    await registry.add(state, ['b', 'a']);
    await registry.add(new RequestState('one'), ['c', 'b']);
    expect(await registry.loaded(state)).toEqual(['b', 'a', 'c']);
    expect(await registry.loaded(new RequestState('two'))).toEqual([]);
    await registry.clear(['one']);
    expect(await registry.loaded(state)).toEqual([]);
  });

  it('go to the store with the ttl of the processor, where there are any', async () => {
    const add = vi.fn();
    const { registry, events } = setup({ add });
    for (const names of [[], ['a', 'b']]) await registry.add(new RequestState('one'), names);
    expect(add.mock.calls).toEqual([['one', ['a', 'b'], { ttl: TTL }]]);
    expect(events).toEqual([]);
  });

  it('stay with a request without a scope, behind what its conversation shows', async () => {
    const methods = { get: vi.fn(), add: vi.fn(), clear: vi.fn(), remove: vi.fn() };
    const { registry } = setup(methods);
    const state = new RequestState(undefined);
    await registry.add(state, ['b']);
    await registry.add(state, ['a', 'b']);
    expect(await registry.loaded(state)).toEqual(['b', 'a']);
    expect(await registry.loaded(state, ['c', 'a'])).toEqual(['c', 'a', 'b']);
    expect(await registry.loaded(new RequestState(undefined))).toEqual([]);
    await registry.remove(state, ['b']);
    expect(await registry.loaded(state)).toEqual(['a']);
    await registry.add(state, ['b']);
    expect(await registry.loaded(state)).toEqual(['a', 'b']);
    for (const method of Object.values(methods)) expect(method).not.toHaveBeenCalled();
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

it('Registry.remove() takes a name from the scope until it is loaded again, by another replica as well', async () => {
  const { registry, inner } = setup({ remove: (...args) => inner.remove(...args) });
  const state = new RequestState('one');
  await registry.add(state, ['a', 'b']);
  await registry.remove(state, ['a']);
  expect(inner.get('one')).toEqual(['b']);
  await registry.add(new RequestState('one'), ['a']);
  expect(await registry.loaded(state)).toEqual(['b', 'a']);
  expect(inner.get('one')).toEqual(['b', 'a']);
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

  it('gives the store the Mastra instance, which wants one until there is one', () => {
    const useMastra = vi.fn();
    const { registry } = setup({ useMastra });
    const wants = [undefined, {}, undefined].map((mastra) => {
      registry.useMastra(mastra);
      return registry.wantsMastra;
    });
    expect(wants).toEqual([true, false, false]);
    expect(useMastra.mock.calls).toEqual([[undefined], [{}], [undefined]]);
  });

  it('leaves alone a store that wants none, without a report', () => {
    const { registry, events } = setup();
    expect(registry.wantsMastra).toBe(false);
    registry.useMastra({});
    expect(events).toEqual([]);
  });
});

describe('a thread that is cleared', () => {
  const scope = (resourceId: string | null, threadId: string): string => JSON.stringify([resourceId, threadId]);
  const kept = [scope('ann', 't1'), scope('bob', 't1'), scope('ann', 't2'), scope(null, 't1'), 't1'];

  it.each<[how: string, resourceId: string | undefined, scopes: (() => never) | undefined | null, left: string[]]>([
    ['for all resources', undefined, null, [scope('ann', 't2')]],
    ['for the resource that is named', 'ann', null, [scope('bob', 't1'), scope('ann', 't2'), scope(null, 't1')]],
    ['as far as can be, where a store cannot list', undefined, undefined, kept.slice(0, 3)],
    ['as far as can be, where its list is none', undefined, () => 'none' as never, kept.slice(0, 3)],
  ])('is forgotten %s, each scope once', async (_, resourceId, scopes, left) => {
    const cleared: string[] = [];
    const clear = (one: string): void => {
      cleared.push(one);
      inner.clear(one);
    };
    const listing = scopes === null ? { scopes: () => inner.scopes() } : scopes && { scopes };
    const { registry, inner, events } = setup({ clear, ...listing });
    for (const one of kept) inner.add(one, ['a'], { ttl: 0 });
    await registry.clearThread('t1', resourceId);
    expect(inner.scopes()).toEqual(left);
    expect(cleared).toEqual([...new Set(cleared)]);
    expect(events).toEqual([]);
  });
});

describe.each(faults)('a store whose get() $fault', ({ fail }) => {
  it('leaves the request with its own loads, and is reported', async () => {
    const { registry, events } = setup({ get: fail });
    const state = new RequestState('one');
    await registry.add(state, ['b', 'a']);
    expect(await registry.loaded(state)).toEqual(['b', 'a']);
    expect(await registry.loaded(new RequestState('one'))).toEqual([]);
    expect(await registry.loaded(state, ['c', 'a']), 'and its conversation').toEqual(['c', 'a', 'b']);
    expect(events).toEqual(Array(3).fill({ type: 'store-failed', operation: 'get', error }));
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
    inner.add('one', ['a'], { ttl: 0 });
    expect(await registry.loaded(state), 'a name once').toEqual(['stored', 'a', 'b']);
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

describe('a store that fails after it has answered', () => {
  it('leaves the request with what it had, but for what was unloaded since', async () => {
    let isDown = false;
    const { registry, inner } = setup({
      get: (scope) => (isDown ? faults[1]!.fail() : inner.get(scope)),
      remove: (...args) => inner.remove(...args),
    });
    inner.add('one', ['a', 'b', 'c'], { ttl: 0 });
    const state = new RequestState('one');
    expect(await registry.loaded(state)).toEqual(['a', 'b', 'c']);
    isDown = true;
    await registry.add(state, ['d']);
    expect(await registry.loaded(state)).toEqual(['a', 'b', 'c', 'd']);
    await registry.remove(state, ['b']);
    expect(await registry.loaded(state)).toEqual(['a', 'c', 'd']);
    expect(await registry.loaded(new RequestState('one'))).toEqual([]);
    isDown = false;
    inner.clear('one');
    expect(await registry.loaded(state)).toEqual([]);
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
    const removed = ['a'];
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
    ['nothing', undefined],
    ['a text', 'get_weather'],
    ['a set', new Set(['get_weather'])],
    ['an object', { 0: 'get_weather', length: 1 }],
    ['a promise of null', Promise.resolve(null)],
  ])('is reported when it is %s, and the request goes on with its own loads', async (_, value) => {
    const { registry, events } = setup({ get: () => value as never });
    const state = new RequestState('one');
    await registry.add(state, ['own']);
    expect(await registry.loaded(state)).toEqual(['own']);
    const error = new TypeError('get() of the store did not return an array of names');
    expect(events).toEqual([{ type: 'store-failed', operation: 'get', error }]);
  });

  it('is used without repetitions and without what is no name, and not changed', async () => {
    const tooLong = 'x'.repeat(1_001);
    const value = Object.freeze(['a', null, 5, 'b', ['c'], 'a', { name: 'd' }, tooLong, undefined, '__proto__']);
    const { registry, events } = setup({ get: () => value as never });
    const state = new RequestState('one');
    state.unsaved.add('e');
    expect(await registry.loaded(state)).toEqual(['a', 'b', '__proto__', 'e']);
    expect(events).toEqual([]);
  });
});

it('a store that returns a million names is read from its end, which was loaded last', async () => {
  let read = 0;
  const million = new Proxy(new Array<string>(1_000_000), {
    has: () => true,
    get(target, key, receiver) {
      if (typeof key !== 'string' || !/^\d+$/.test(key)) return Reflect.get(target, key, receiver);
      read += 1;
      return key === '999999' ? 'get_weather' : `name_${key}`;
    },
  });
  const storage = { get: () => million, add: () => {}, clear: () => {} };
  expect(await new Session({ tools: toolRecord(weather()), storage }).sent()).toEqual(['get_weather']);
  // Names of no tool are unloaded, from a store without `remove` in what it returns then.
  expect(read % 10_000).toBe(0);
  expect(read).toBeLessThanOrEqual(40_000);
});

describe('loaded names, before a catalog of a, b, and c under the key "see",', () => {
  const gone = (count: number): string[] => Array.from({ length: count }, (_, n) => `gone_${n}`);

  it.each<[what: string, stored: string[], maxTools: number, sent: string[], kept: string[], change?: object]>([
    [
      'are a tool once that is stored under its key and its name',
      ['see', 'gone_0', 'c'],
      2,
      ['c'],
      ['see', 'gone_0', 'c'],
    ],
    ['stay stored while their server is down', ['gone_0', 'b', 'gone_1'], 3, ['b'], ['gone_0', 'b', 'gone_1']],
    ['that are gone go first, above maxLoaded.tools', [...gone(5), 'a'], 3, ['a'], ['gone_3', 'gone_4', 'a']],
    ['that are gone all go, where the others fill it', ['gone_0', 'a', 'gone_1', 'b'], 2, ['a', 'b'], ['a', 'b']],
    ['stay where the conversation shows them', gone(3), 1, [], gone(3), { readsConversation: true }],
  ])('%s', async (_, stored, maxTools, sent, kept, change = {}) => {
    const inner = memoryStore();
    inner.add('one', stored, { ttl: 0 });
    const storage: LoadedToolStore = { ...inner, ...change };
    const tools = { ...toolRecord(tool('a'), tool('b')), see: tool('c') };
    const session = new Session({ tools, storage, scope: () => 'one', maxLoaded: { tools: maxTools } });
    expect(await session.sent()).toEqual(sent);
    expect(inner.get('one')).toEqual(kept);
    const evicted = session.eventsOf('evict').flatMap(({ toolNames }) => toolNames);
    expect(evicted).toEqual(stored.filter((name) => !kept.includes(name)));
  });
});
