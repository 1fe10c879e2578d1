import { RequestContext } from '@mastra/core/request-context';
import { memoryStore, type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clockAt } from '../../support/date-clock.ts';
import { calls, load, rig, toolRecord, weather } from '../../support/harness.ts';

const memory = (thread: string) => ({
  requestContext: new RequestContext<unknown>([['mastra__threadId', thread]]) as never,
});

afterEach(() => {
  vi.useRealTimers();
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
  const plain = { get: () => [], add: () => {}, clear: () => {} };
  const processorWith = (extra: object) => {
    const events: ToolSearchEvent[] = [];
    const storage = { ...plain, ...extra };
    return {
      processor: new ToolSearchProcessor({ tools: {}, storage, onEvent: (event) => events.push(event) }),
      events,
    };
  };

  it('is used for what it can, whatever else it is', async () => {
    let cleared = 0;
    const { processor } = processorWith({
      clearAll: () => cleared++,
      stats: () => ({ scopeCount: 3, oldestAccessTime: 7 }),
      cleanup: () => 2,
    });
    processor.clearAllState();
    expect(cleared).toBe(1);
    expect(processor.getStateStats()).toEqual({ threadCount: 3, oldestAccessTime: 7 });
    expect(processor.cleanupNow()).toBe(2);
  });

  it('without those has nothing to count', () => {
    const { processor } = processorWith({ stats: () => 'fine', cleanup: async () => 5 });
    processor.clearAllState();
    expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null });
    expect(processor.cleanupNow()).toBe(0);
  });

  it('is reported when it fails', async () => {
    const failing = () => {
      throw new Error('out of order');
    };
    const { processor, events } = processorWith({
      clearAll: () => Promise.reject(new Error('out of order')),
      stats: failing,
      cleanup: failing,
      scopes: failing,
    });
    processor.clearAllState();
    expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null });
    expect(processor.cleanupNow()).toBe(0);
    await processor.clearState('one');
    expect(events.map((event) => event.type === 'store-failed' && event.operation)).toEqual(
      expect.arrayContaining(['clear', 'get']),
    );
    expect(events).toHaveLength(4);
  });
});
