// Tools that leave: the catalog, what is loaded, the history. For rights that are withdrawn, see test/modes/permissions.test.ts.
import { TokenLimiter } from '@mastra/core/processors';
import { describe, expect, it, vi } from 'vitest';
import { fillerTools, toolRecord } from '../support/harness.ts';
import { isCallable, type Sent, searchesIn } from './rig/goals.ts';
import { KINDS_AND_EXECUTIONS as forms } from './rig/rig.ts';
import { recordingTool, type World, world } from './rig/world.ts';

const ofClient = forms.filter(({ execution }) => execution === 'client');
const since = (there: World, before: number): readonly Sent[] => there.sent.slice(before);

/** It may be deferred still, to be found again, but nothing names it. */
function expectUnloaded(sent: Sent | undefined, name: string): void {
  expect([...(sent?.eager ?? []), ...(sent?.referenced ?? [])]).not.toContain(name);
  expect(sent && isCallable(sent, name)).toBe(false);
}

describe.each(forms)('a found tool is gone from requests, $kind, $execution,', ({ kind, execution }) => {
  it.each(['catalog', 'request'])('where the %s loses it, and comes back with it', async (place) => {
    const ran: string[] = [];
    const lost = toolRecord(recordingTool(ran, 'get_weather'));
    const kept = { ...toolRecord(recordingTool(ran, 'send_email')), ...fillerTools(2) };
    let isThere = true;
    const tools = () => ({ ...kept, ...(isThere && place === 'catalog' ? lost : {}) });
    const there = world({ execution, options: { tools, includeResolvedTools: true } });
    const ask = (text: string) =>
      there.say(text, kind, isThere && place === 'request' ? { toolsets: { weather: lost } } : {});
    await ask('use get_weather');
    isThere = false;
    const { length: before } = there.sent;
    expect(await ask('use get_weather')).toBe('not found');
    for (const sent of since(there, before)) {
      expect([...sent.eager, ...sent.deferred, ...sent.referenced]).not.toContain('get_weather');
    }
    expect(await ask('use send_email')).toBe('done');
    isThere = true;
    expect(await ask('use get_weather')).toBe('done');
    expect([ran, there.refused()]).toEqual([['get_weather', 'send_email', 'get_weather'], []]);
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

it.each(forms.flatMap((form) => (['before', 'after'] as const).map((place) => ({ ...form, place }))))(
  'a history that a TokenLimiter cuts $place this processor leaves tools loaded, and is not refused: $kind, $execution',
  async ({ kind, execution, place }) => {
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
    for (const goals of ['use get_weather send_email', 'use send_email']) {
      expect(await there.say(goals, kind)).toBe('done');
      await there.say(talk, kind);
    }
    expect(there.refused()).toEqual([]);
  },
);
