import { expect, it } from 'vitest';
import { choose } from '../../../src/processor/preselect/by-search.ts';
import { type FoundEntry, merge } from '../../../src/search/find.ts';
import { tool } from '../../support/harness.ts';

const found = (name: string, confidence?: number): FoundEntry => ({
  ...{ name, key: name, tool: tool(name), description: '', isResolved: false, score: 1 },
  ...(confidence === undefined ? {} : { confidence }),
});
const named = ({ entry, confidence }: { entry: FoundEntry; confidence: number }): unknown => [entry.name, confidence];

it('puts a tool first that several clauses find, as likely as where it is likeliest', () => {
  const merged = merge([
    [found('whole', 0.5), found('both', 0.3)],
    [found('both', 0.4), found('clause', 0.2)],
  ]);
  expect(merged.map(named)).toEqual([
    ['both', 0.4],
    ['whole', 0.5],
    ['clause', 0.2],
  ]);
});

it('keeps the order of the search where nothing tells how likely tools are', () => {
  expect(merge([[found('one'), found('other')]]).map(named)).toEqual([
    ['one', 0],
    ['other', 0],
  ]);
});

it('counts a tool that is there, and makes no definition of it', () => {
  const candidates = merge([[found('there', 0.45), found('next', 0.42), found('last', 0.41)]]);
  const { entries, confidence } = choose(candidates, 0.5, 3, ({ name }) => name === 'there');
  expect(entries.map(({ name }) => name)).toEqual(['next']);
  expect(confidence).toBeCloseTo(1 - 0.55 * 0.58);
});

it('says how likely the best one is where that is not enough', () => {
  expect(choose(merge([[found('one', 0.12)]]), 0.5, 3, () => false)).toEqual({
    ...{ entries: [], confidence: 0.12, reason: 'below-confidence' },
  });
  expect(choose([], 0.5, 3, () => false)).toEqual({ entries: [], reason: 'no-match' });
});
