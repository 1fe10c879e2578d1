import { TokenLimiter } from '@mastra/core/processors';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { fillerTools, toolRecord } from '../support/harness.ts';
import { isCallable, type Sent, searchesIn } from './rig/goals.ts';
import { EXECUTIONS } from './rig/rig.ts';
import type { Kind } from './rig/services.ts';
import { memoryOf, recordingTool, type World, world } from './rig/world.ts';

const kinds: readonly Kind[] = ['anthropic', 'openai'];
const forms = EXECUTIONS.flatMap((execution) => kinds.map((kind) => ({ kind, execution })));
const ofClient = forms.filter(({ execution }) => execution === 'client');

/** The last request has neither a definition of the tool nor a reference to it. */
function expectGone(sent: Sent | undefined, name: string): void {
  expect(sent?.eager).not.toContain(name);
  expect(sent?.deferred).not.toContain(name);
  expect(sent?.referenced).not.toContain(name);
}

/** It may be deferred still, to be found again, but nothing names it. */
function expectUnloaded(sent: Sent | undefined, name: string): void {
  expect(sent?.eager).not.toContain(name);
  expect(sent?.referenced).not.toContain(name);
  expect(sent && isCallable(sent, name)).toBe(false);
}

const since = (there: World, before: number): readonly Sent[] => there.sent.slice(before);

describe.each(forms)(
  'a found tool that leaves the catalog is gone from requests, $kind, $execution,',
  ({ kind, execution }) => {
    it('where tools are a function', async () => {
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

    it('where tools come with requests', async () => {
      const ran: string[] = [];
      const toolsets = { mail: { send_email: recordingTool(ran, 'send_email') } };
      const there = world({ execution, options: { tools: fillerTools(2), includeResolvedTools: true } });
      await there.say('use send_email', kind, { toolsets });
      const { length: before } = there.sent;
      expect(await there.say('use send_email', kind)).toBe('not found');
      for (const sent of since(there, before)) expectGone(sent, 'send_email');
      expect(await there.say('use send_email', kind, { toolsets })).toBe('done');
      expect(ran).toEqual(['send_email', 'send_email']);
      expect(there.refused()).toEqual([]);
    });
  },
);

describe.each(forms)('a found tool that is denied, $kind, $execution,', ({ kind, execution }) => {
  it('is gone from the next turn', async () => {
    const denied = new Set<string>();
    const there = world({ execution, options: { filter: ({ toolName }) => !denied.has(toolName) } });
    await there.say('use get_weather', kind);
    denied.add('get_weather');
    const { length: before } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('not found');
    for (const sent of since(there, before)) expectGone(sent, 'get_weather');
    expect(await there.say('use send_email', kind)).toBe('done');
    denied.clear();
    expect(await there.say('use get_weather send_email', kind)).toBe('done');
    expect(there.ran).toEqual(['get_weather', 'send_email', 'get_weather', 'send_email']);
    expect(there.refused()).toEqual([]);
  });

  it('is named by nothing from the next step on, and a call is refused', async () => {
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
    expect(last?.eager).not.toContain('get_weather');
    expect(last?.referenced).not.toContain('get_weather');
    expect(last?.referenced).toContain('send_email');
    expect(there.events).toContainEqual({ type: 'call-denied', toolName: 'get_weather' });
    expect(there.refused()).toEqual([]);
  });
});

describe('an unloaded tool has to be found again where it went', () => {
  it.each(ofClient)('by the model, $kind', async ({ kind, execution }) => {
    let isUnloaded = false;
    const there = world({
      execution,
      options: { metaTools: { unload: true } },
      script: (sent) => {
        if (sent.goals.length > 0 || isUnloaded) return undefined;
        isUnloaded = true;
        return { type: 'call', name: 'unload_tool', input: { toolNames: ['get_weather'] } };
      },
    });
    await there.say('use get_weather', kind);
    await there.say('Clean up.', kind);
    expect(there.events).toContainEqual({ type: 'unload', toolNames: ['get_weather'] });
    expectUnloaded(there.sent.at(-1), 'get_weather');
    const { length: before } = there.sent;
    expect(await there.say('use get_weather', kind)).toBe('done');
    expect(searchesIn(since(there, before))).toEqual(['get_weather']);
    expect(there.ran).toEqual(['get_weather', 'get_weather']);
    expect(there.refused()).toEqual([]);
  });

  it.each(ofClient)('by the application, $kind', async ({ kind, execution }) => {
    const there = world({ execution });
    await there.say('use get_weather send_email', kind);
    await there.processor.unload({ threadId: 'thread', resourceId: 'user' }, ['get_weather']);
    const { length: before } = there.sent;
    expect(await there.say('use send_email get_weather', kind)).toBe('done');
    expectUnloaded(there.sent[before], 'get_weather');
    expect(searchesIn(since(there, before))).toEqual(['get_weather']);
    expect(there.refused()).toEqual([]);
  });

  it.each(ofClient)('for want of room, $kind', async ({ kind, execution }) => {
    const there = world({ execution, options: { maxLoaded: { tools: 1 } } });
    expect(await there.say('use get_weather send_email', kind)).toBe('done');
    expect(there.events).toContainEqual({ type: 'evict', toolNames: ['get_weather'] });
    expectUnloaded(there.sent.at(-1), 'get_weather');
    expect(await there.say('use get_weather send_email', kind)).toBe('done');
    expect(there.ran).toHaveLength(4);
    expect(there.refused()).toEqual([]);
  });

  it.each(forms)('by time, $kind, $execution', async ({ kind, execution }) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const there = world({ execution, options: { ttl: 60_000 } });
      await there.say('use get_weather', kind);
      vi.advanceTimersByTime(120_000);
      const { length: before } = there.sent;
      expect(await there.say('use get_weather', kind)).toBe('done');
      expect(there.ran).toEqual(['get_weather', 'get_weather']);
      expect(there.refused()).toEqual([]);
      // Where the provider searched, its own results still load.
      if (execution === 'server') return;
      expectUnloaded(there.sent[before], 'get_weather');
      expect(searchesIn(since(there, before))).toEqual(['get_weather']);
    } finally {
      vi.useRealTimers();
    }
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
    expect(there.ran).toHaveLength(4);
    expect(there.refused()).toEqual([]);
  });

  const TALK = `Talk about ${'something long '.repeat(60)}.`;

  describe.each(['before', 'after'] as const)('by a TokenLimiter %s this processor', (place) => {
    const limited = (): World => {
      const limiter = new TokenLimiter({ limit: 600, trimMode: 'contiguous' });
      return world({
        execution,
        inputProcessors: (own) => (place === 'before' ? [limiter, own] : [own, limiter]),
      });
    };

    it('is not refused, and the model can search again', async () => {
      const there = limited();
      for (let turn = 0; turn < 4; turn++) {
        const goals = ['get_weather', 'send_email'].slice(turn % 2);
        expect(await there.say(`use ${goals.join(' ')}`, kind)).toBe('done');
        await there.say(TALK, kind);
      }
      expect(there.refused()).toEqual([]);
      expect(there.sent.at(-1)?.json.split('Talk about').length).toBeLessThan(5);
    });

    it('leaves loaded tools without need to search', async () => {
      const there = limited();
      await there.say('use get_weather', kind);
      for (let turn = 0; turn < 3; turn++) await there.say(TALK, kind);
      const { length: before } = there.sent;
      expect(await there.say('use get_weather', kind)).toBe('done');
      expect(there.sent[before]?.json.split('use get_weather')).toHaveLength(2);
      expect(searchesIn(since(there, before))).toEqual([]);
      expect(there.refused()).toEqual([]);
    });
  });
});
