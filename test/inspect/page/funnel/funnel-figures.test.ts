import { describe, expect, it } from 'vitest';
import { shownFunnel } from '../../../../src/inspect/page/funnel/funnel-figures.ts';
import { funnel } from '../../../../src/workbench/funnel.ts';
import type { Funnel } from '../../../../src/workbench/usage.ts';

const none: Funnel = funnel([]);
const stages: Funnel['stages'] = [
  { name: 'searches', count: 40 },
  { name: 'found', count: 30 },
  { name: 'loaded', count: 10 },
  { name: 'called', count: 8 },
];

describe('shownFunnel', () => {
  it('draws each stage with its share of all, and what was lost on the way', () => {
    expect(shownFunnel({ ...none, stages }).stages).toEqual([
      { title: 'searched', count: 40, share: 1, lost: 0 },
      { title: 'found a tool', count: 30, share: 0.75, lost: 10 },
      { title: 'loaded it', count: 10, share: 0.25, lost: 20 },
      { title: 'called it', count: 8, share: 0.2, lost: 2 },
    ]);
  });

  it('reads the figures with what they are a part of', () => {
    const { figures, tokens } = shownFunnel({
      ...none,
      stages,
      searches: { total: 40, unmatched: 5, askedAgain: 3 },
      loads: { total: 12, neverCalled: 4, notFound: 1, denied: 2, evicted: 0 },
      tokens: { steps: 9, sent: 1_000, all: 50_000, saved: 49_000 },
    });
    const values = new Map(figures.map(({ title, value, of }) => [title, of === undefined ? value : [value, of]]));
    expect(values.get('Without a confident match')).toEqual([5, 40]);
    expect(values.get('Asked again')).toEqual([3, 40]);
    expect(values.get('Loaded, never called')).toEqual([4, 12]);
    expect(values.get('Loads denied')).toBe(2);
    expect(tokens).toEqual({ steps: 9, sent: 1_000, all: 50_000, saved: 49_000 });
  });

  it('lists the tools that were loaded and never called, the most often first', () => {
    const tool = (name: string, loaded: number, neverCalled: number) => ({
      name,
      loaded,
      neverCalled,
      called: 0,
      found: 1,
    });
    expect(
      shownFunnel({ ...none, stages, tools: [tool('b', 3, 1), tool('a', 9, 0), tool('c', 5, 4)] }).uncalled,
    ).toEqual([
      { name: 'c', loaded: 5, neverCalled: 4 },
      { name: 'b', loaded: 3, neverCalled: 1 },
    ]);
  });
});
