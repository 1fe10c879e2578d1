import { afterEach, describe, expect, it, vi } from 'vitest';
import { contextStore } from '../../../src/loaded/stores/memory.ts';
import { clockAt } from '../../support/date-clock.ts';

const KEEP = { ttl: 0 };

afterEach(() => {
  vi.useRealTimers();
});

function setup() {
  return { clock: clockAt(0), store: contextStore() };
}

it('asks for the conversation, and for nothing else', () => {
  expect(contextStore().readsConversation).toBe('only');
});

describe('what the messages show', () => {
  it('is loaded, though nothing was ever added here: after a restart', async () => {
    expect(await contextStore().get('one', ['a', 'b'])).toEqual(['a', 'b']);
  });

  it('is listed once, in the order of the messages', async () => {
    expect(await contextStore().get('one', ['b', 'a', 'b'])).toEqual(['b', 'a']);
  });

  it('is not remembered: it unloads when it is trimmed away', async () => {
    const { store } = setup();
    expect(await store.get('one', ['a'])).toEqual(['a']);
    expect(await store.get('one', [])).toEqual([]);
    expect(await store.get('one')).toEqual([]);
  });

  it('is not changed, and not handed out', async () => {
    const { store } = setup();
    const shown = Object.freeze(['a']) as readonly string[];
    const loaded = (await store.get('one', shown)) as string[];
    loaded.push('b');
    expect(await store.get('one', shown)).toEqual(['a']);
  });

  it('stays loaded when the scope is cleared, as only the conversation can forget it', async () => {
    const { store } = setup();
    await store.add('one', ['a', 'b'], KEEP);
    await store.clear('one');
    expect(await store.get('one', ['a'])).toEqual(['a']);
  });

  it('does not expire', async () => {
    const { store, clock } = setup();
    await store.add('one', ['a'], { ttl: 10 });
    clock.time = 11;
    expect(await store.get('one', ['a'])).toEqual(['a']);
  });
});

it('what is added is not remembered: another run of the thread sees only what its messages show', async () => {
  const { store } = setup();
  await store.add('one', ['a', 'b'], KEEP);
  expect(await store.get('one')).toEqual([]);
  expect(await store.get('one', [])).toEqual([]);
  expect(await store.get('one', ['b'])).toEqual(['b']);
});

describe('a name that is removed', () => {
  it('is not loaded though the messages show it, until it is loaded again', async () => {
    const { store } = setup();
    await store.remove?.('one', ['a']);
    expect(await store.get('one', ['a', 'b'])).toEqual(['b']);
    expect(await store.get('one', ['a', 'b'])).toEqual(['b']);
    expect(await store.get('two', ['a'])).toEqual(['a']);
    await store.add('one', ['a'], KEEP);
    expect(await store.get('one', ['a', 'b'])).toEqual(['a', 'b']);
  });

  it('does not come back when the scope is cleared', async () => {
    const { store } = setup();
    await store.remove?.('one', ['a']);
    await store.clear('one');
    expect(await store.get('one', ['a'])).toEqual([]);
  });

  it('is remembered under the ttl of what was added last, which reading restarts', async () => {
    const { store, clock } = setup();
    await store.add('one', ['a'], { ttl: 10 });
    await store.remove?.('one', ['a']);
    for (clock.time = 0; clock.time < 50; clock.time += 10) expect(await store.get('one', ['a'])).toEqual([]);
    clock.time += 11;
    expect(await store.get('one', ['a'])).toEqual(['a']);
  });

  it('gives way to those of 10,000 other scopes', async () => {
    const { store } = setup();
    await store.remove?.('one', ['a']);
    for (let n = 0; n < 10_000; n++) await store.remove?.(`scope ${n}`, ['a']);
    expect([await store.get('one', ['a']), await store.get('scope 0', ['a'])]).toEqual([['a'], []]);
  });
});
