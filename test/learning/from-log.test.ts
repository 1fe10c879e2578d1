// What a log tells of uses: of the events, and of the traces of real runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bm25Scorer, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import {
  fileLearningStore,
  fillLearningStore,
  keywordsOfUses,
  type LoggedUse,
  memoryLearningStore,
  scorerWithUses,
  usesInLog,
} from 'mastra-tool-search/learning';
import { afterAll, describe, expect, it } from 'vitest';
import { traced } from '../events/traced.ts';
import { call, calls, load, rig, tool, toolRecord } from '../support/agent.ts';
import { contextOf } from './learned-store.ts';

const tools = toolRecord(
  tool('get_weather', 'Get the current weather of a city.'),
  tool('send_email', 'Send an email.'),
);
const search = { toolName: 'search_tools', input: { query: 'weather of paris' } };
const linesOf = (records: readonly unknown[]): string => records.map((one) => JSON.stringify(one)).join('\n');

describe('usesInLog()', () => {
  it('reads the uses of real runs, out of events and out of traces', async () => {
    const events: (ToolSearchEvent & { time: number })[] = [];
    const onEvent = (event: ToolSearchEvent) => void events.push({ ...event, time: 1_790_000_000_000 });
    const script = calls(search, load('get_weather'), call('get_weather'), call('get_weather'));
    const { run, spans } = traced(rig({ tools, onEvent }, { script }).agent);
    await run('go', { memory: { thread: 't', resource: 'ann' } });
    const { uses, broken } = usesInLog(`${linesOf(events)}\n{"type":`);
    const use = { query: 'weather of paris', toolName: 'get_weather', wasFirst: true };
    expect(uses).toEqual([expect.objectContaining({ ...use, resourceId: 'ann', time: 1_790_000_000_000 })]);
    expect(broken).toBe(1);
    const ofTraces = usesInLog(linesOf(await spans()));
    expect(ofTraces.uses).toEqual([expect.objectContaining(use)]);
  });

  it('counts a call after a search that had shown the tool, once, in its own conversation, where it succeeded', () => {
    const of = { threadId: 't', resourceId: 'ann' };
    const found = { type: 'search', queries: ['ship it'], results: ['a', 'b'], ...of };
    const called = (toolName: string, more = {}) => ({ type: 'call', toolName, ok: true, ...of, ...more });
    const usesOf = (...records: unknown[]) =>
      usesInLog(linesOf(records)).uses.map((use) => [use.query, use.toolName, use.wasFirst]);
    expect(usesOf(found, called('b'), called('b'), called('a'))).toEqual([
      ['ship it', 'b', false],
      ['ship it', 'a', true],
    ]);
    expect(usesOf(called('b'), found, called('c'))).toEqual([]);
    expect(usesOf(found, called('b', { ok: false }), called('b', { threadId: 'u' }))).toEqual([]);
    expect(usesOf(null, 5, [], 'x', { type: 'search' }, { type: 'search', queries: [7], results: {} })).toEqual([]);
    const names = ['__proto__', 'constructor'];
    expect(usesOf({ ...found, results: names }, ...names.map((name) => called(name)))).toHaveLength(2);
  });
});

const logged = (query: string, toolName: string, conversation: string, more: Partial<LoggedUse> = {}): LoggedUse => ({
  ...{ query, toolName, conversation, wasFirst: false, time: Date.now(), resourceId: 'ann', ...more },
});
const uses = [
  logged('brolly needed', 'get_weather', 'one'),
  logged('Brolly  needed', 'get_weather', 'two'),
  logged('umbrella', 'get_weather', 'two'),
  logged('drop bob a line', 'send_email', 'three', { wasFirst: true }),
];
const namesFor = async (processor: ToolSearchProcessor, query: string, resource = 'ann') =>
  (await processor.search(query, { requestContext: contextOf(resource) })).map(({ name }) => name);

describe('fillLearningStore()', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'learned-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['memory', () => memoryLearningStore()],
    ['a folder', () => fileLearningStore({ folder })],
  ])('fills %s, so that the first search knows what the log does', async (_, create) => {
    const store = create();
    expect(await fillLearningStore(store, uses)).toEqual({ scopes: 1, uses: 4 });
    const scorer = bm25Scorer();
    const processor = new ToolSearchProcessor({ tools, search: { scorer }, learning: { store } });
    expect(await namesFor(processor, 'brolly needed')).toEqual(['get_weather']);
    expect(await namesFor(processor, 'brolly needed', 'bob')).toEqual([]);
    // Beside what is there: the same uses once more change nothing but their times.
    await fillLearningStore(store, uses);
    expect((await store.read('["ann"]'))?.uses).toHaveLength(4);
  });

  it('by scopes of all, or of a function; without uses that nobody has, or that are too old', async () => {
    const store = memoryLearningStore();
    const old = logged('brolly', 'send_email', 'four', { time: 1 });
    const nobodys = { ...logged('brolly', 'send_email', 'five'), resourceId: '' };
    expect(await fillLearningStore(store, [...uses, old, nobodys])).toEqual({ scopes: 1, uses: 4 });
    expect(await fillLearningStore(store, uses, { scope: 'global' })).toEqual({ scopes: 1, uses: 4 });
    const scope = ({ toolName }: LoggedUse) => (toolName === 'send_email' ? 'mail' : undefined);
    expect(await fillLearningStore(store, uses, { scope, meaning: false })).toEqual({ scopes: 1, uses: 1 });
    expect((await store.read('mail'))?.uses[0]?.use).not.toContain(',');
    await expect(fillLearningStore(store, uses, { scope: 'team' as never })).rejects.toThrow('scope');
    await expect(fillLearningStore(store, uses, { ttl: 5 } as never)).rejects.toThrow('ttl');
  });
});

it('keywordsOfUses() gives the queries after which a tool was used that the search had not put first', () => {
  expect(keywordsOfUses(uses)).toEqual({ get_weather: ['brolly needed', 'umbrella'] });
  expect(keywordsOfUses(uses, 1)).toEqual({ get_weather: ['brolly needed'] });
});

it('scorerWithUses() ranks as a processor that has learned them', async () => {
  const scorer = await scorerWithUses(bm25Scorer(), uses);
  const processor = new ToolSearchProcessor({ tools, search: { scorer } });
  expect(await namesFor(processor, 'brolly needed')).toEqual(['get_weather']);
  expect(await namesFor(new ToolSearchProcessor({ tools, search: { scorer: bm25Scorer() } }), 'brolly needed')).toEqual(
    [],
  );
});
