import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryLearningStore } from '../../src/entries/learning.ts';
import { Reporter } from '../../src/events/reporter.ts';
import { Associations } from '../../src/learning/associations.ts';
import { experienceWith, Recall } from '../../src/learning/recall.ts';
import type { Use } from '../../src/learning/uses.ts';
import { runToEnd, type SlicedWork } from '../../src/util/time-slices.ts';

const NOW = 1_790_000_000_000;
const DAY = 86_400_000;

const use = (query: string, tool: string, voter: string, usedAt = NOW): Use => ({
  words: query.split(' ').sort(),
  voter,
  tool,
  usedAt,
});
const votesOf = (uses: readonly Use[], query: string, halfLife = Number.POSITIVE_INFINITY) =>
  Object.fromEntries(runToEnd(new Associations(uses, NOW, halfLife).votes(query.split(' '))));

const someUses = fc.array(
  fc.record({
    words: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 4 }),
    voter: fc.constantFrom('v1', 'v2', 'v3', 'v4'),
    tool: fc.constantFrom('t1', 't2', 't3'),
    usedAt: fc.integer({ min: NOW - 10 * DAY, max: NOW }),
  }),
  { maxLength: 30 },
);
const someWords = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 5 });

describe('associations', () => {
  it('vote for what was used after the same query, less for one that is alike, and not for another', () => {
    const uses = [use('weather in paris', 'get_weather', 'v1'), use('send a mail', 'send_email', 'v2')];
    const same = votesOf(uses, 'weather in paris');
    const alike = votesOf(uses, 'weather in london');
    expect(Object.keys(same)).toEqual(['get_weather']);
    expect(Object.keys(alike)).toEqual(['get_weather']);
    expect(alike['get_weather']).toBeLessThan(same['get_weather'] ?? 0);
    expect(votesOf(uses, 'book a flight')).toEqual({});
    expect(votesOf([], 'weather')).toEqual({});
  });

  it('believe a tool more, the more conversations used it', () => {
    const times = (count: number) => Array.from({ length: count }, (_, n) => use('ship it', 'deploy', `v${n}`));
    const votes = [1, 2, 4, 8, 16].map((count) => votesOf(times(count), 'ship it')['deploy'] ?? 0);
    expect(votes).toEqual(votes.toSorted((one, other) => one - other));
    expect(votes[0]).toBeLessThan(0.4);
    expect(votes.at(-1)).toBeGreaterThan(0.8);
  });

  it('count a conversation once, however often and after whatever queries it used a tool', () => {
    const others = [use('close the ticket', 'close_issue', 'v1'), use('close a ticket', 'close_issue', 'v2')];
    const poison = ['close the ticket', 'close ticket now', 'ticket close', 'close it', 'close'];
    const once = votesOf([...others, use('close the ticket', 'drop_table', 'evil')], 'close the ticket');
    const often = votesOf([...others, ...poison.map((text) => use(text, 'drop_table', 'evil'))], 'close the ticket');
    expect(often['drop_table'] ?? 0).toBeLessThanOrEqual((once['drop_table'] ?? 0) + 0.05);
    expect(often['drop_table'] ?? 0).toBeLessThan(often['close_issue'] ?? 0);
  });

  it('trust nothing where every query wants another tool', () => {
    const wanting = (toolOf: (n: number) => string) =>
      Array.from({ length: 100 }, (_, n) => use(`word_${n >> 1}`, toolOf(n), `v${n}`));
    const alike = votesOf(
      wanting((n) => `tool_${n >> 1}`),
      'word_0',
    );
    const diverse = votesOf(
      wanting((n) => `tool_${n}`),
      'word_0',
    );
    expect(alike['tool_0']).toBeGreaterThan(0.3);
    expect(diverse['tool_0']).toBeLessThan(0.02);
  });

  it('believe less what the search had put first by itself', () => {
    const times = (wasFirst: boolean) =>
      Array.from({ length: 6 }, (_, n) => ({ ...use('ship it', 'deploy', `v${n}`), wasFirst }));
    const [corrected = 0, confirmed = 0] = [false, true].map((first) => votesOf(times(first), 'ship it')['deploy']);
    expect(confirmed).toBeGreaterThan(0);
    expect(confirmed).toBeLessThan(corrected / 3);
    // It still speaks against others.
    const other = use('ship it', 'rollback', 'other');
    expect(votesOf([other, ...times(true)], 'ship it')['rollback'] ?? 0).toBeLessThan(
      votesOf([other], 'ship it')['rollback'] ?? 0,
    );
  });

  it('of a full scope, whose queries are all alike, let others have their turn in between', () => {
    const words = Array.from({ length: 39 }, (_, n) => `word_${n}`);
    const uses = Array.from({ length: 1_000 }, (_, n) => use([...words, `own_${n}`].join(' '), `t${n % 9}`, `v${n}`));
    const associations = new Associations(uses, NOW, DAY);
    const stepsOf = (work: SlicedWork<unknown>): number => (work.next().done ? 0 : 1 + stepsOf(work));
    expect(stepsOf(associations.votes([...words, 'own_7']))).toBe(50);
    // What was measured is kept.
    expect(stepsOf(associations.votes([...words, 'own_8']))).toBe(0);
  });

  it('let a use count half after a half-life', () => {
    const aged = (days: number) => votesOf([use('ship it', 'deploy', 'v', NOW - days * DAY)], 'ship it', 10 * DAY);
    const [fresh = 0, half = 0] = [0, 10].map((days) => aged(days)['deploy'] ?? 0);
    expect(half).toBeLessThan(fresh);
    expect(half).toBeGreaterThan(fresh / 2);
    expect(aged(100)).toEqual({});
    // A clock that goes wrong makes no use count more.
    expect(aged(-100)).toEqual(aged(0));
  });

  it('are shares, for tools that were used after one of the words', () => {
    fc.assert(
      fc.property(someUses, someWords, (uses, words) => {
        for (const [tool, vote] of runToEnd(new Associations(uses, NOW, DAY).votes(words))) {
          expect(vote).toBeGreaterThan(0);
          expect(vote).toBeLessThanOrEqual(1 + 1e-9);
          expect(uses.some((one) => one.tool === tool && one.words.some((word) => words.includes(word)))).toBe(true);
        }
      }),
    );
  });
});

describe('an experience', () => {
  it('tells of the visible tools as if no other had ever been used', () => {
    fc.assert(
      fc.property(someUses, someWords, fc.subarray(['t1', 't2', 't3']), (uses, words, visible) => {
        const isVisible = (tool: string) => visible.includes(tool);
        const own = uses.filter(({ tool }) => isVisible(tool));
        const votesIn = (some: readonly Use[]) => {
          const recall = new Recall(memoryLearningStore(), DAY, 1_000, new Reporter());
          return runToEnd(recall.associationsOf(experienceWith('s', 'k', some), isVisible).votes(words));
        };
        expect(votesIn(uses)).toEqual(votesIn(own));
      }),
    );
  });
});
