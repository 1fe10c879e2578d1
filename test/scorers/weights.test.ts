import { describe, expect, it } from 'vitest';
import { miniSearchScorer } from '../../src/entries/minisearch.ts';
import { bm25Scorer, tieredScorer } from '../../src/index.ts';

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
