// Tools that leave: the catalog, the user's rights, what is loaded, the history.
import { TokenLimiter } from '@mastra/core/processors';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { fillerTools, toolRecord } from '../support/harness.ts';
import { isCallable, type Sent, searchesIn } from './rig/goals.ts';
import { KINDS_AND_EXECUTIONS as forms } from './rig/rig.ts';
import { memoryOf, recordingTool, type World, world } from './rig/world.ts';

const ofClient = forms.filter(({ execution }) => execution === 'client');
const since = (there: World, before: number): readonly Sent[] => there.sent.slice(before);

/** A request has neither a definition of the tool nor a reference to it. */
function expectGone(sent: Sent | undefined, name: string): void {
  expect([...(sent?.eager ?? []), ...(sent?.deferred ?? []), ...(sent?.referenced ?? [])]).not.toContain(name);
}

/** It may be deferred still, to be found again, but nothing names it. */
function expectUnloaded(sent: Sent | undefined, name: string): void {
  expect([...(sent?.eager ?? []), ...(sent?.referenced ?? [])]).not.toContain(name);
  expect(sent && isCallable(sent, name)).toBe(false);
}

describe.each(forms)('a found tool is gone from requests, $kind, $execution,', ({ kind, execution }) => {
  it('where the catalog loses it, and comes back with it', async () => {
    const ran: string[] = [];
    const all = toolRecord(recordingTool(ran, 'get_weather'), recordingTool(ran, 'send_email'));
    const { get_weather: _, ...rest } = all;
    let tools: Record<string, MastraTool> = { ...all, ...fillerTools(2) };
    const there = world({ execution, options: { tools: () => tools } });
    await there.say('use get_weather', kind);
    tools = { ...rest, ...fillerTools(2) };
    const { length: before } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('not found');
    for (const sent of since(there, before)) expectGone(sent, 'get_weather');
    expect(await there.say('use send_email', kind)).toBe('done');
    tools = { ...all, ...fillerTools(2) };
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(ran).toEqual(['get_weather', 'send_email', 'get_weather']);
    expect(there.refused()).toEqual([]);
  });

  it('where it came with a request', async () => {
    const ran: string[] = [];
    const toolsets = { mail: { send_email: recordingTool(ran, 'send_email') } };
    const there = world({ execution, options: { tools: fillerTools(2), includeResolvedTools: true } });
    await there.say('use send_email', kind, { toolsets });
    const { length: before } = there.sent;
    expect(await there.say('use send_email', kind)).toBe('not found');
    for (const sent of since(there, before)) expectGone(sent, 'send_email');
    expect(await there.say('use send_email', kind, { toolsets })).toBe('done');
    expect([ran, there.refused()]).toEqual([['send_email', 'send_email'], []]);
  });

  it('where the filter denies it', async () => {
    const denied = new Set<string>();
    const there = world({ execution, options: { filter: ({ toolName }) => !denied.has(toolName) } });
    await there.say('use get_weather', kind);
    denied.add('get_weather');
    const { length: before } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('not found');
    for (const sent of since(there, before)) expectGone(sent, 'get_weather');
    denied.clear();
    expect(await there.say('use get_weather send_email', kind)).toBe('done');
    expect([there.ran, there.refused()]).toEqual([['get_weather', 'get_weather', 'send_email'], []]);
  });

  it('where the filter denies it in mid-run, and a call is refused', async () => {
    const denied = new Set<string>();
    const there = world({
      execution,
      options: { filter: ({ toolName, phase }) => phase !== 'active' || !denied.has(toolName) },
      // It is denied while the second tool runs, and called nevertheless.
      script: (sent) => {
        if (!sent.done.includes('send_email')) return undefined;
        const isOver = denied.has('get_weather');
        denied.add('get_weather');
        return isOver ? { type: 'say', text: 'over' } : { type: 'call', name: 'get_weather' };
      },
    });
    expect(await there.say('use get_weather send_email', kind)).toMatch('over');
    expect(there.ran).toEqual(['get_weather', 'send_email']);
    const last = there.sent.at(-1);
    expect([...last!.eager, ...last!.referenced]).not.toContain('get_weather');
    expect(last?.referenced).toContain('send_email');
    expect(there.events).toContainEqual({ type: 'call-denied', toolName: 'get_weather' });
    expect(there.refused()).toEqual([]);
  });

  it('where its time is over, and has to be found again', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const there = world({ execution, options: { ttl: 60_000 } });
      await there.say('use get_weather', kind);
      vi.advanceTimersByTime(120_000);
      const { length: before } = there.sent;
      expect(await there.say('use get_weather', kind)).toBe('done');
      expect([there.ran, there.refused()]).toEqual([['get_weather', 'get_weather'], []]);
      // Where the provider searched, its own results still load.
      if (execution === 'server') return;
      expectUnloaded(there.sent[before], 'get_weather');
      expect(searchesIn(since(there, before))).toEqual(['get_weather']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe.each(ofClient)('an unloaded tool has to be found again, $kind,', ({ kind, execution }) => {
  it.each(['the model', 'the application'])('where %s unloads it', async (by) => {
    let isUnloaded = by === 'the application';
    const there = world({
      execution,
      options: { metaTools: { unload: true } },
      script: (sent) => {
        if (sent.goals.length > 0 || isUnloaded) return undefined;
        isUnloaded = true;
        return { type: 'call', name: 'unload_tool', input: { toolNames: ['get_weather'] } };
      },
    });
    await there.say('use get_weather send_email', kind);
    if (isUnloaded) await there.processor.unload({ threadId: 'thread', resourceId: 'user' }, ['get_weather']);
    else await there.say('Clean up.', kind);
    const { length: before } = there.sent;
    expect(await there.say('use send_email get_weather', kind)).toBe('done');
    expectUnloaded(there.sent[before], 'get_weather');
    expect(searchesIn(since(there, before))).toEqual(['get_weather']);
    expect(there.refused()).toEqual([]);
  });

  it.each([{ tools: 1 }, { tokens: 60 }])('where there is no more room: %o', async (maxLoaded) => {
    const there = world({ execution, options: { maxLoaded } });
    for (let turn = 0; turn < 3; turn++)
      expect(await there.say('use get_weather send_email book_flight', kind)).toBe('done');
    expect(there.ran).toHaveLength(9);
    expect(there.events.filter(({ type }) => type === 'evict').length).toBeGreaterThan(3);
    for (const { referenced } of there.sent) expect(new Set(referenced).size).toBeLessThanOrEqual(1);
    expect(there.refused()).toEqual([]);
  });
});

describe.each(forms)('a history that is cut, $kind, $execution,', ({ kind, execution }) => {
  const TEXT = 'use get_weather send_email';

  it('by lastMessages of the memory leaves loaded tools loaded', async () => {
    const there = world({ execution, memory: memoryOf({ lastMessages: 2 }) });
    await there.say(TEXT, kind);
    for (let turn = 0; turn < 4; turn++) await there.say(`Talk ${turn}.`, kind);
    expect(there.sent.at(-1)?.json).not.toContain(TEXT);
    const { length: before } = there.sent;
    expect(await there.say(TEXT, kind)).toBe('done');
    expect(searchesIn(since(there, before))).toEqual([]);
    expect(there.refused()).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'by a TokenLimiter %s this processor leaves them loaded, and is not refused',
    async (place) => {
      const limiter = new TokenLimiter({ limit: 600, trimMode: 'contiguous' });
      const there = world({
        execution,
        inputProcessors: (own) => (place === 'before' ? [limiter, own] : [own, limiter]),
      });
      const talk = `Talk about ${'something long '.repeat(60)}.`;
      await there.say('use get_weather', kind);
      for (let turn = 0; turn < 3; turn++) await there.say(talk, kind);
      const { length: before } = there.sent;
      expect(await there.say('use get_weather', kind)).toBe('done');
      expect(there.sent[before]?.json.split('use get_weather')).toHaveLength(2);
      expect(searchesIn(since(there, before))).toEqual([]);
      for (const goals of [TEXT, 'use send_email']) {
        expect(await there.say(goals, kind)).toBe('done');
        await there.say(talk, kind);
      }
      expect(there.refused()).toEqual([]);
    },
  );
});
