import fc from 'fast-check';
import { bm25Scorer, type ToolDocument, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { miniSearchScorer } from '../../src/entries/minisearch.ts';

import { rankedIds } from '../../src/scorers/bm25/bm25.ts';
import { bestFirst, type IncrementalIndex } from '../../src/scorers/scorer.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { document } from '../fixtures/tools.ts';

const explained = async (documents: readonly ToolDocument[], text: string, name: string) =>
  (await bm25Scorer().index(documents)).explain?.(parseQuery(text), name);

const both = document('read_heron', 'Reads a bird.');
const other = document('parcel', 'Reads a parcel.');

describe('of a tool that has a word in two forms, the explanation', () => {
  it('names the one that was written', async () => {
    expect(await explained([both, other], 'read', 'read_heron')).toMatchObject({
      words: [{ found: 'read', by: 'word' }],
    });
  });

  it('names the one that was written, whatever the order of the tools', async () => {
    expect(await explained([other, both], 'read', 'read_heron')).toEqual(
      await explained([both, other], 'read', 'read_heron'),
    );
  });

  it('is the same after an update as in an index that is built anew', async () => {
    const index: IncrementalIndex = await bm25Scorer().index([document('heron'), other]);
    const updated = await index.update?.([both], ['heron']);
    expect(await updated?.explain?.(parseQuery('read'), 'read_heron')).toEqual(
      await explained([both, other], 'read', 'read_heron'),
    );
  });
});

/** The options of scorers that hold weights by name. */
const MAKERS: Readonly<Record<string, (weights: unknown) => unknown>> = {
  'boosts of bm25Scorer': (boosts) => bm25Scorer({ boosts } as never),
  'weights of tieredScorer': (weights) => tieredScorer({ weights } as never),
  'boost of miniSearchScorer': (boost) => miniSearchScorer({ boost } as never),
  'bm25 of miniSearchScorer': (bm25) => miniSearchScorer({ bm25 } as never),
  'weights of miniSearchScorer': (weights) => miniSearchScorer({ weights } as never),
};

describe.each(Object.keys(MAKERS))('%s', (name) => {
  const option = name.split(' ')[0];
  const make = MAKERS[name] ?? (() => undefined);

  it.each([5, null, [], 'name', () => 1])('are an object: %s is refused', (weights) => {
    expect(() => make(weights)).toThrow(new RegExp(`^"${option}" must be an object of numbers; got `));
  });

  it('have the names that there are', () => {
    expect(() => make({ nome: 1 })).toThrow(new RegExp(`^"${option}\\.nome" is no option of `));
  });

  it('may be left out', () => {
    expect(() => make(undefined)).not.toThrow();
    expect(() => make({})).not.toThrow();
  });
});

/** A few scores, so that many are equal; names in no order. */
const score = fc.oneof(fc.constantFrom(0.5, 1, 2), fc.double({ min: 0.01, max: 3, noNaN: true }));
const name = fc.string({ unit: fc.constantFrom(...'abBZя_'), minLength: 1, maxLength: 4 });
const matches = fc.uniqueArray(fc.record({ name, score }), { maxLength: 40, selector: (match) => match.name });

function placesOf(list: readonly { name: string; score: number }[]): Iterable<number> {
  const scores = Float64Array.from(list, (match) => match.score);
  return rankedIds([...list.keys()], scores, (place) => list[place]?.name ?? '?');
}

describe('the places of scores, best first', () => {
  it('are in the order of a sort, ties by name', () => {
    fc.assert(
      fc.property(matches, (list) => {
        const sorted = [...placesOf(list)].map((place) => list[place]);
        expect(sorted).toEqual(bestFirst([...list]));
        expect(sorted).toEqual(
          [...list].sort((first, second) => second.score - first.score || (first.name < second.name ? -1 : 1)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('are the first of them when no more are taken', () => {
    fc.assert(
      fc.property(matches, fc.nat(10), (list, count) => {
        const taken: number[] = [];
        for (const place of placesOf(list)) {
          if (taken.length >= count) break;
          taken.push(place);
        }
        expect(taken.map((place) => list[place])).toEqual(bestFirst([...list]).slice(0, count));
      }),
    );
  });

  it('are none of nothing', () => {
    expect([...placesOf([])]).toEqual([]);
  });

  it('are in the order of the names in code units where all scores are equal', () => {
    const list = ['b_mail', 'a_mail', 'B_mail', 'я_mail', 'Z_mail'].map((text) => ({ name: text, score: 1 }));
    expect([...placesOf(list)].map((place) => list[place]?.name)).toEqual([
      'B_mail',
      'Z_mail',
      'a_mail',
      'b_mail',
      'я_mail',
    ]);
  });

  it('need no name where the scores differ', () => {
    const scores = Float64Array.from({ length: 10_000 }, (_, place) => (place * 7_919) % 10_007);
    let named = 0;
    const [first = -1] = rankedIds([...scores.keys()], scores, (place) => {
      named++;
      return `${place}`;
    });
    expect(scores[first]).toBe(Math.max(...scores));
    expect(named).toBe(0);
  });
});
