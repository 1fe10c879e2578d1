// Tools that leave: the catalog, what is loaded, the history. For rights that are withdrawn, see test/modes/permissions.test.ts.
import { TokenLimiter } from '@mastra/core/processors';
import { describe, expect, it, vi } from 'vitest';
import { fillerTools, toolRecord } from '../support/agent.ts';
import { isCallable, searchesIn } from './rig/goals.ts';
import { DIALECTS, FORMS } from './rig/rig.ts';
import { recordingTool, type World, world } from './rig/world.ts';

const WEATHER = 'use get_weather';

/** A turn before which a tool was unloaded: it may be deferred still, to be found again, but nothing names it. */
async function expectFoundAgain(there: World, kind: 'anthropic' | 'openai', text = WEATHER): Promise<void> {
  const { length: before } = there.sent;
  expect(await there.say(text, kind)).toBe('done');
  const first = there.sent[before]!;
  expect([...first.eager, ...first.referenced]).not.toContain('get_weather');
  expect(isCallable(first, 'get_weather')).toBe(false);
  expect([searchesIn(there.sent.slice(before)), there.refused()]).toEqual([['get_weather'], []]);
}

describe.each(FORMS)('with $dialect $execution', ({ dialect, execution }) => {
  it('a found tool is gone from requests where the catalog or the request loses it, and comes back with it', async () => {
    for (const place of ['catalog', 'request']) {
      const ran: string[] = [];
      const lost = toolRecord(recordingTool(ran, 'get_weather'));
      const kept = { ...toolRecord(recordingTool(ran, 'send_email')), ...fillerTools(2) };
      let isThere = true;
      const tools = () => ({ ...kept, ...(isThere && place === 'catalog' ? lost : {}) });
      const there = world({ execution, options: { tools, includeResolvedTools: true } });
      const ask = (text: string) =>
        there.say(text, dialect, isThere && place === 'request' ? { toolsets: { weather: lost } } : {});
      await ask(WEATHER);
      isThere = false;
      const { length: before } = there.sent;
      expect(await ask(WEATHER)).toBe('not found');
      for (const { eager, deferred, referenced } of there.sent.slice(before)) {
        expect([...eager, ...deferred, ...referenced]).not.toContain('get_weather');
      }
      expect(await ask('use send_email')).toBe('done');
      isThere = true;
      expect(await ask(WEATHER)).toBe('done');
      expect([ran, there.refused()]).toEqual([['get_weather', 'send_email', 'get_weather'], []]);
    }
  });

  const isBefore = (execution === 'client') === (dialect === 'openai');
  it(`a history that a TokenLimiter cuts, before this processor: ${isBefore}, leaves tools loaded, and is not refused`, async () => {
    const limiter = new TokenLimiter({ limit: 600, trimMode: 'contiguous' });
    const there = world({ execution, inputProcessors: (own) => (isBefore ? [limiter, own] : [own, limiter]) });
    const talk = `Talk about ${'something long '.repeat(60)}.`;
    await there.say(WEATHER, dialect);
    for (let turn = 0; turn < 3; turn++) await there.say(talk, dialect);
    const { length: before } = there.sent;
    expect(await there.say(WEATHER, dialect)).toBe('done');
    expect(there.sent[before]?.json.split(WEATHER)).toHaveLength(2);
    expect(searchesIn(there.sent.slice(before))).toEqual([]);
    expect(await there.say('use get_weather send_email', dialect)).toBe('done');
    await there.say(talk, dialect);
    expect([await there.say('use send_email', dialect), there.refused()]).toEqual(['done', []]);
  });
});

describe.each(DIALECTS)('with %s, a tool has to be found again', (dialect) => {
  it('where its time is over', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const there = world({ options: { ttl: 60_000 } });
    await there.say(WEATHER, dialect);
    vi.advanceTimersByTime(120_000);
    await expectFoundAgain(there, dialect);
    vi.useRealTimers();
  });

  it.each(['the model', 'the application'])('where %s unloads it', async (by) => {
    const there = world({ options: { metaTools: { unload: true } } });
    await there.say('use get_weather send_email', dialect);
    if (by === 'the model') await there.say('unload get_weather', dialect);
    else await there.processor.unload({ threadId: 'thread', resourceId: 'user' }, ['get_weather']);
    await expectFoundAgain(there, dialect, 'use send_email get_weather');
  });

  it.each([{ tools: 1 }, { tokens: 60 }])('where there is no more room: %o', async (maxLoaded) => {
    const there = world({ options: { maxLoaded } });
    for (let turn = 0; turn < 3; turn++) {
      expect(await there.say('use get_weather send_email book_flight', dialect)).toBe('done');
    }
    expect([there.ran.length, there.refused()]).toEqual([9, []]);
    expect(there.events.filter(({ type }) => type === 'evict').length).toBeGreaterThan(3);
    for (const { referenced } of there.sent) expect(new Set(referenced).size).toBeLessThanOrEqual(1);
  });
});
