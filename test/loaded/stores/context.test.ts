import { RequestContext } from '@mastra/core/request-context';
import fc from 'fast-check';
import { memoryStore, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { contextStore } from '../../../src/loaded/stores/memory.ts';
import { escapeUnits, scopeHash, scopeKey, unescapeUnits } from '../../../src/loaded/stores/store.ts';
import { clockAt } from '../../support/date-clock.ts';
import { calls, load, rig, toolRecord, weather } from '../../support/harness.ts';
import { alikeScopes, oddScopes } from './store-odd-input.ts';

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

it('what the messages show is loaded, and nothing else: what was added, cleared or expired changes nothing', async () => {
  const { store, clock } = setup();
  const shown = Object.freeze(['b', 'a', 'b']) as readonly string[];
  ((await store.get('one', shown)) as string[]).push('c');
  await store.add('one', ['c'], { ttl: 10 });
  await store.clear('one');
  clock.time = 11;
  expect(await store.get('one', shown)).toEqual(['b', 'a']);
  expect(await store.get('one', [])).toEqual([]);
  expect(await store.get('one')).toEqual([]);
});

describe('a name that is removed', () => {
  it('is not loaded though the messages show it, also after a clearing, until it is loaded again', async () => {
    const { store } = setup();
    await store.remove?.('one', ['a']);
    await store.clear('one');
    for (let time = 0; time < 2; time++) expect(await store.get('one', ['a', 'b'])).toEqual(['b']);
    expect(await store.get('two', ['a'])).toEqual(['a']);
    await store.add('one', ['a'], KEEP);
    expect(await store.get('one', ['a', 'b'])).toEqual(['a', 'b']);
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

const memory = (thread: string) => ({
  requestContext: new RequestContext<unknown>([['mastra__threadId', thread]]) as never,
});

describe('a memoryStore that is passed', () => {
  const loadIn = async (...threads: string[]) => {
    const clock = clockAt(5_000);
    const storage = memoryStore();
    const made = rig({ tools: toolRecord(weather()), storage, ttl: 1_000 }, { script: calls(load('get_weather')) });
    for (const thread of threads) await made.agent.generate('go', memory(thread));
    return { ...made, storage, wait: () => (clock.time += 2_000) };
  };

  it('is counted by getStateStats() and emptied by clearAllState()', async () => {
    const { processor, storage } = await loadIn('one', 'two');
    expect(processor.getStateStats()).toEqual({ threadCount: 2, oldestAccessTime: 5_000 });
    processor.clearAllState();
    expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null });
    expect(storage.scopes()).toEqual([]);
  });

  it('loses expired threads with cleanupNow(), and a thread of all resources with clearState()', async () => {
    const { processor, storage, wait } = await loadIn('one', 'two');
    storage.add('["ann","one"]', ['get_weather'], { ttl: 0 });
    await processor.clearState('one');
    expect(processor.getStateStats().threadCount).toBe(1);
    wait();
    expect(processor.cleanupNow()).toBe(1);
  });

  it('stays as it is when a processor is disposed of: others may share it', async () => {
    const { processor, storage } = await loadIn('one');
    processor.dispose();
    expect(storage.stats().scopeCount).toBe(1);
  });
});

describe('a store of one’s own', () => {
  const broken = () => {
    throw new Error('out of order');
  };
  const rejecting = () => Promise.reject(new Error('out of order'));

  it.each<[how: string, extra: object, counts: unknown[], failed: string[]]>([
    ['is counted', { stats: () => ({ scopeCount: 3, oldestAccessTime: 7 }), cleanup: () => 2 }, [3, 7, 2], []],
    ['need not count', {}, [0, null, 0], []],
    ['may count wrongly', { stats: () => ({ scopeCount: 'many' }), cleanup: async () => 5 }, [0, null, 0], []],
    [
      'is reported when it fails',
      { clearAll: rejecting, stats: broken, cleanup: broken, scopes: broken },
      [0, null, 0],
      ['clear', 'clear', 'get', 'get'],
    ],
  ])('%s', async (_, extra, counts, failed) => {
    const events: ToolSearchEvent[] = [];
    const cleared: unknown[] = [];
    const storage = {
      get: () => [],
      add: () => {},
      clear: () => {},
      clearAll: () => void cleared.push('all'),
      ...extra,
    };
    const processor = new ToolSearchProcessor({ tools: {}, storage, onEvent: (event) => events.push(event) });
    processor.clearAllState();
    expect(cleared).toEqual(failed.length > 0 ? [] : ['all']);
    const { threadCount, oldestAccessTime } = processor.getStateStats();
    expect([threadCount, oldestAccessTime, processor.cleanupNow()]).toEqual(counts);
    await processor.clearState('one');
    expect(events.map((event) => event.type === 'store-failed' && event.operation).sort()).toEqual(failed);
  });
});

/** Any text at all, halves of surrogate pairs and what looks like an escape among it. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('%', '0', '0', '3', 'a', ':', 's', 'sha256-', '\ud800', '\udc00'))
    .map((parts) => parts.join('')),
);

describe('scopeKey', () => {
  it.each([
    { scope: '["user","thread-1"]', key: '["user","thread-1"]', why: 'it can be read' },
    { scope: 'a b', key: 'a%0020b', why: 'no spaces' },
    {
      scope: 'a:{b}',
      key: 'a%003a%007bb%007d',
      why: 'a prefix ends at a colon, and braces choose a node of a cluster',
    },
    { scope: '100%', key: '100%0025', why: 'what escapes is escaped' },
    { scope: 'ü\ud83e\uddf5', key: '%00fc%d83e%ddf5', why: 'by units of UTF-16' },
    { scope: 'x'.repeat(200), key: 'x'.repeat(200), why: 'as long as keys may be' },
  ])('of $scope is $key: $why', ({ scope, key }) => {
    expect(scopeKey(scope)).toBe(key);
  });

  it('of a longer scope is a hash, which no other scope has for a key', () => {
    const scope = 'x'.repeat(201);
    const key = scopeKey(scope);
    expect(key).toMatch(/^%sha256-[0-9a-f]{64}$/);
    expect(scopeKey(key)).not.toBe(key);
  });

  it('is short, printable and the key of no other scope', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(scopeKey(one)).toMatch(/^[!-9;-z|~]{0,200}$/);
        expect(scopeKey(one) === scopeKey(other)).toBe(one === other);
        expect(scopeHash(one) === scopeHash(other)).toBe(one === other);
      }),
      { numRuns: 2000 },
    );
  });

  it('tells scopes apart that are alike', () => {
    const scopes = new Set([
      ...alikeScopes.flatMap(({ one, other }) => [one, other]),
      ...oddScopes.map((odd) => odd.scope),
    ]);
    expect(new Set([...scopes].map(scopeKey)).size).toBe(scopes.size);
    expect(new Set([...scopes].map(scopeHash)).size).toBe(scopes.size);
  });
});

it('unescapeUnits undoes escapeUnits', () => {
  fc.assert(
    fc.property(text, (original) => {
      for (const pattern of [/[^!-~]|%/g, /[%\0]|\p{Surrogate}/gu]) {
        expect(unescapeUnits(escapeUnits(original, pattern))).toBe(original);
      }
    }),
  );
});
