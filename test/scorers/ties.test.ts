// Tools that share one word of several are all right or all wrong: many of them are no more likely to have the right one.
import { bm25Scorer, type ToolDocument, wordsAndMeaningScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { likelihoodOfAny } from '../../src/scorers/confidence.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { rated } from './scorer-contract.ts';

const PLACES = ['pond', 'river', 'lake', 'shore', 'island'];
const herons = (count: number): readonly ToolDocument[] =>
  PLACES.slice(0, count).map((place) => document(`heron_${place}`, `Counts the herons of a ${place}.`));
const other = document('paint_fence', 'Paints a fence.');

describe.each([
  ['bm25', bm25Scorer()],
  ['words and meaning', wordsAndMeaningScorer()],
])('%s', (_, scorer) => {
  const likelihood = async (documents: readonly ToolDocument[], query: string): Promise<number> => {
    const { names, confidences } = await rated(await scorer.index([...catalog, ...documents]), query);
    expect(names[0]).toMatch(/^heron/);
    return likelihoodOfAny(confidences.slice(0, 5));
  };

  it('is no surer of five tools with one word of a query than of one such tool', async () => {
    for (const query of ['heron xylophone marimba', 'cook a heron for our marimba band']) {
      const one = await likelihood(herons(1), query);
      expect(await likelihood(herons(5), query)).toBeLessThanOrEqual(one + 0.05);
    }
  });

  it('counts those apart that have different words, and all of them where the query has that word alone', async () => {
    expect(await likelihood([...herons(5), other], 'heron')).toBeGreaterThan(0.5);
  });
});
