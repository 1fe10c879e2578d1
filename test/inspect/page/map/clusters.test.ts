import { describe, expect, it } from 'vitest';
import { clustersOf } from '../../../../src/inspect/page/map/clusters.ts';
import type { AlikePair } from '../../../../src/inspect/page/map/similarity.ts';

const alike = (one: string, other: string, similarity: number, words: string[] = []): AlikePair => ({
  ...{ one, other, similarity, words },
});

describe('clustersOf', () => {
  it('groups tools that are linked, the most alike first', () => {
    const { shown } = clustersOf([alike('a', 'b', 0.7), alike('x', 'y', 0.9), alike('b', 'c', 0.6)], [], 99);
    expect(shown.map(({ names }) => [...names].sort())).toEqual([
      ['x', 'y'],
      ['a', 'b', 'c'],
    ]);
  });

  it('puts what searches confuse first, alike or not, in either direction', () => {
    const confusions = [
      { wanted: 'b', instead: 'a', count: 2, words: ['open'] },
      { wanted: 'a', instead: 'b', count: 1, words: [] },
      { wanted: 'p', instead: 'q', count: 1, words: ['merge'] },
      { wanted: 'z', count: 4, words: [] },
    ];
    const { shown } = clustersOf([alike('x', 'y', 0.9), alike('a', 'b', 0.5, ['issue'])], confusions, 99);
    expect(shown.map(({ links }) => links)).toEqual([
      [{ one: 'a', other: 'b', similarity: 0.5, confused: 3, words: ['issue'] }],
      [{ one: 'p', other: 'q', similarity: 0, confused: 1, words: ['merge'] }],
      [{ one: 'x', other: 'y', similarity: 0.9, confused: 0, words: [] }],
    ]);
  });

  it('cuts long chains at their weakest links', () => {
    const chain = Array.from({ length: 20 }, (_, at) => alike(`t${at}`, `t${at + 1}`, at === 9 ? 0.5 : 0.9));
    const { shown } = clustersOf(chain, [], 99);
    expect(shown.map(({ names }) => names.length).sort()).toEqual([10, 11]);
  });

  it('tells how many tools had no room', () => {
    const pairs = [alike('a', 'b', 0.9), alike('b', 'c', 0.9), alike('p', 'q', 0.8), alike('x', 'y', 0.7)];
    const { shown, left } = clustersOf(pairs, [], 5);
    expect(shown.flatMap(({ names }) => [...names].sort())).toEqual(['a', 'b', 'c', 'p', 'q']);
    expect(left).toBe(2);
  });

  it('names a cluster by the words that most of its links have', () => {
    const { shown } = clustersOf(
      [alike('a', 'b', 0.9, ['get', 'issue']), alike('b', 'c', 0.8, ['issue', 'list', 'open'])],
      [],
      9,
    );
    expect(shown[0]?.words).toEqual(['issue', 'get', 'list']);
  });
});
