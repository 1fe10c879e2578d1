import { RequestContext } from '@mastra/core/request-context';
import { describe, expect, it, vi } from 'vitest';
import { RequestState } from '../../src/processor/request.ts';
import { rig, toolRecord, weather } from '../support/harness.ts';
import { toolNames } from '../support/scripted-model.ts';
import { error, faults, setup } from './registry-setup.ts';

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
