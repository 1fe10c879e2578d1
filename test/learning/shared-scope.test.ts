import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryLearningStore } from '../../src/entries/learning.ts';
import { Reporter } from '../../src/events/reporter.ts';
import { type LearningStore, type SearchResult, ToolSearchProcessor } from '../../src/index.ts';
import { Recall } from '../../src/learning/recall.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { contextOf, useOf } from './learned-store.ts';

const QUERY = 'weather report for the city';
const MONTH = 30 * 86_400_000;
const tools = toolRecord(
  tool('report_one', 'Weather report of a city.'),
  tool('report_two', 'Weather report of a city.'),
  tool('send_email', 'Send an email message.'),
);
const recallOver = (store: LearningStore): Recall => new Recall(store, MONTH, 2_000, new Reporter(() => {}));
const searched = (store: LearningStore, filter = (_: { toolName: string }) => true): Promise<readonly SearchResult[]> =>
  new ToolSearchProcessor({ tools, filter, learning: { store, scope: 'global' } }).search(QUERY, {
    requestContext: contextOf('ann'),
    explain: true,
  });

describe('a shared scope', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('keeps what all have taught when one user floods it', async () => {
    const store = memoryLearningStore();
    const recall = recallOver(store);
    for (const voter of ['a', 'b', 'c', 'd', 'e', 'f']) await recall.add('[]', useOf(QUERY, 'report_two', voter));
    for (let at = 0; at < 1_100; at++) await recall.add('[]', useOf(`junk${at} word${at}`, 'send_email', 'eve'));
    expect((await searched(store))[0]?.name).toBe('report_two');
    expect((await store.read('[]'))?.uses).toHaveLength(206);
  });

  it('keeps what was learned of visible tools when many users flood it with uses of hidden ones', async () => {
    const stores = [memoryLearningStore(), memoryLearningStore()] as const;
    for (const store of stores) {
      for (const voter of ['a', 'b', 'c', 'd']) await recallOver(store).add('[]', useOf(QUERY, 'report_two', voter));
    }
    const flood = recallOver(stores[0]);
    for (let at = 0; at < 1_200; at++) {
      await flood.add('[]', useOf(`junk${at} city`, at % 3 === 0 ? 'send_email' : `hidden_${at % 7}`, `eve${at % 40}`));
    }
    const learned = await stores[0].read('[]');
    expect(learned?.uses).toHaveLength(1_000);
    expect(learned?.uses.filter(({ use }) => use.endsWith('report_two'))).toHaveLength(4);
    const filter = ({ toolName }: { toolName: string }): boolean => toolName !== 'send_email';
    expect(await searched(stores[0], filter)).toEqual(await searched(stores[1], filter));
  });

  it('does not tell by the age of votes that a hidden tool was used', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
    const stores = [memoryLearningStore(), memoryLearningStore()] as const;
    for (const store of stores) await recallOver(store).add('[]', useOf(QUERY, 'report_two', 'a'));
    vi.setSystemTime(1_800_000_005_000);
    await recallOver(stores[0]).add('[]', useOf('email message', 'send_email', 'b'));
    const filter = ({ toolName }: { toolName: string }): boolean => toolName !== 'send_email';
    expect(await searched(stores[0], filter)).toEqual(await searched(stores[1], filter));
  });

  it('stays cleared when an append comes late', async () => {
    const inner = memoryLearningStore();
    const append: LearningStore['append'] = async (...all) => {
      await new Promise((resolve) => setTimeout(resolve, 120));
      return inner.append(...all);
    };
    const recall = new Recall({ ...inner, append }, MONTH, 30, new Reporter(() => {}));
    void recall.add('ann', useOf(QUERY, 'report_two', 'v'));
    await new Promise((resolve) => setTimeout(resolve, 10));
    await recall.clear('ann');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await inner.read('ann')).toBeUndefined();
  });
});

it.each([[{ resourceId: 42 }], [{}], [''], [undefined], [null], [{ threadId: 't' }]])(
  'clearLearning does not say that it forgot where nobody is meant: %j',
  async (of) => {
    const processor = new ToolSearchProcessor({ tools, learning: true });
    await expect(processor.clearLearning(of as never)).rejects.toMatchObject({ code: 'invalid-option' });
    await expect(processor.clearLearning({ resource: 'ann' } as never)).rejects.toThrow('resource');
  },
);

it('clearLearning has nothing to forget where learning is off', async () => {
  await new ToolSearchProcessor({ tools }).clearLearning('ann');
});

it.each([[{}], [undefined]])('clearLearning needs nobody where all learn together: %j', async (nobody) => {
  const store = memoryLearningStore();
  await recallOver(store).add('[]', useOf(QUERY, 'report_two', 'a'));
  await new ToolSearchProcessor({ tools, learning: { store, scope: 'global' } }).clearLearning(nobody);
  expect(await store.read('[]')).toBeUndefined();
});
