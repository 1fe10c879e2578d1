import type { LearningStore, ToolSearchEvent } from 'mastra-tool-search';
import { memoryLearningStore } from 'mastra-tool-search/learning';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Reporter } from '../../src/events/reporter.ts';
import { Recall } from '../../src/learning/recall.ts';
import { hashedVoter, hashedWords, readUse, type Use, written } from '../../src/learning/uses.ts';
import { useOf } from './learned-store.ts';

const DAY = 86_400_000;
const events: ToolSearchEvent[] = [];
const recallOver = (store: LearningStore, timeout = 2_000): Recall =>
  new Recall(store, 30 * DAY, timeout, new Reporter((event) => events.push(event)));
const toolsOf = async (recall: Recall, scope = 'ann') => ((await recall.of(scope))?.uses ?? []).map(({ tool }) => tool);

beforeEach(() => {
  events.length = 0;
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => vi.useRealTimers());

describe('recall', () => {
  it('knows at once what this process has added', async () => {
    const recall = recallOver(memoryLearningStore());
    void recall.add('ann', useOf('ship it', 'deploy'));
    void recall.add('ann', useOf('ship it', 'deploy'));
    void recall.add('ann', useOf('stop it', 'rollback'));
    expect(await toolsOf(recall)).toEqual(['deploy', 'rollback']);
    expect(await toolsOf(recall, 'bob')).toEqual([]);
  });

  it('reads a scope at most every ten seconds, and then knows what others learned and cleared', async () => {
    const store = memoryLearningStore();
    const read = vi.spyOn(store, 'read');
    const [here, there] = [recallOver(store), recallOver(store)];
    expect(await toolsOf(here)).toEqual([]);
    await there.add('ann', useOf('ship it', 'deploy'));
    expect(await toolsOf(here)).toEqual([]);
    expect(read).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(10_001);
    expect(await toolsOf(here)).toEqual(['deploy']);
    expect(await toolsOf(here)).toEqual(['deploy']);
    expect(read).toHaveBeenCalledTimes(3);
    await there.clear('ann');
    vi.advanceTimersByTime(10_001);
    expect(await toolsOf(here)).toEqual([]);
  });

  it('takes on the key of a scope that another process has begun, or begun anew', async () => {
    const store = memoryLearningStore();
    const [here, there] = [recallOver(store), recallOver(store)];
    await Promise.all([here.add('ann', useOf('one', 'a')), there.add('ann', useOf('two', 'b'))]);
    await there.clear('ann');
    await there.add('ann', useOf('three', 'c'));
    await here.add('ann', useOf('four', 'd'));
    const learned = await store.read('ann');
    expect(learned?.uses.map(({ use }) => use.split('.').at(-1))).toEqual(['c', 'd']);
    expect(readUse(learned?.uses[1] as never)?.words).toEqual(hashedWords(['four'], learned?.key ?? ''));
  });

  it('keeps no reading that began before a clearing', async () => {
    const inner = memoryLearningStore();
    await recallOver(inner).add('ann', useOf('ship it', 'deploy'));
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store: LearningStore = {
      ...inner,
      read: async (scope) => {
        const learned = await inner.read(scope);
        await held;
        return learned;
      },
    };
    const recall = recallOver(store);
    const reading = recall.of('ann');
    const clearing = recall.clear('ann');
    release();
    await Promise.all([reading, clearing]);
    expect(await toolsOf(recall)).toEqual([]);
  });

  it('rejects a clearing that the store does not take', async () => {
    const store = { ...memoryLearningStore(), clear: () => Promise.reject(new Error('down')) };
    await expect(recallOver(store).clear('ann')).rejects.toThrow('down');
  });

  it('waits for a store a quarter of a second, and then not again for ten seconds', async () => {
    const read = vi.fn(() => new Promise<never>(() => {}));
    const recall = recallOver({ ...memoryLearningStore(), read });
    const waiting = recall.of('ann');
    await vi.advanceTimersByTimeAsync(251);
    expect(await waiting).toBeUndefined();
    expect(events).toEqual([expect.objectContaining({ type: 'scorer-failed', scorer: 'learning', survived: true })]);
    expect(await recall.of('ann')).toBeUndefined();
    expect(read.mock.calls).toEqual([['ann']]);
  });

  it('keeps of one question that everybody asks eight conversations', async () => {
    const store = memoryLearningStore();
    const recall = recallOver(store);
    for (let n = 0; n < 30; n++) await recall.add('all', useOf('ship it', 'deploy', `user-${n}`));
    expect((await store.read('all'))?.uses).toHaveLength(8);
  });

  it('keeps 1,000 uses of a scope, and none after seven half-lives', async () => {
    const store = memoryLearningStore();
    const recall = recallOver(store);
    const uses = Array.from({ length: 2_100 }, (_, n) =>
      written({ words: [], voter: `abc${n % 9}`, tool: `t${n}`, usedAt: n + 1 }),
    );
    await store.append('ann', { key: 'k', uses }, { ttl: DAY, max: 5_000 });
    expect(await toolsOf(recall)).toEqual([]);
    const now = Date.now();
    const recent = uses.map(({ use }, n) => ({ use, usedAt: now - n }));
    await store.append('ann', { key: 'k', uses: recent }, { ttl: DAY, max: 5_000 });
    vi.advanceTimersByTime(10_001);
    expect(await toolsOf(recall)).toHaveLength(1_000);
    expect(await toolsOf(recall)).not.toContain('t1050');
  });

  it('passes over uses that it cannot read', async () => {
    const store = memoryLearningStore();
    const odd = ['', '.', '..', 'abc.abcd.t', 'abcdef.abc.t', 'abcdef.abcd.', 'abcdef.abcd.send_email'];
    const uses = odd.map((use) => ({ use, usedAt: Date.now() }));
    await store.append('ann', { key: 'k', uses }, { ttl: DAY, max: 100 });
    expect(await toolsOf(recallOver(store))).toEqual(['send_email']);
  });
});

describe('a use', () => {
  it('is written without a word of the query, and read again', () => {
    const use: Use = {
      words: hashedWords(['secret', 'merger', 'acme'], 'key'),
      voter: hashedVoter('thread-1', 'key'),
      tool: 'mail.send_v2',
      usedAt: 5,
    };
    const kept = written(use);
    expect(kept.use).toMatch(/^[\w-]{18}\.[\w-]{4}\.mail\.send_v2$/);
    expect(kept.use).not.toMatch(/secret|merger|acme|thread/);
    expect(readUse(kept)).toEqual(use);
    expect(readUse(written({ ...use, wasFirst: true }))).toEqual({ ...use, wasFirst: true });
    expect(readUse({ ...kept, use: kept.use.replace('.mail', '2.mail') })).toBeUndefined();
  });

  it('has other hashes in another scope, and the same ones whatever the order of the words', () => {
    expect(hashedWords(['a', 'b'], 'one')).toEqual(hashedWords(['b', 'a', 'b'], 'one'));
    expect(hashedWords(['a', 'b'], 'one')).not.toEqual(hashedWords(['a', 'b'], 'two'));
    expect(hashedVoter('a', 'one')).not.toBe(hashedVoter('a', 'two'));
  });
});
