import type { NameFit } from '../../../src/scorers/bm25/segment.ts';
import type { Tally } from '../../../src/scorers/bm25/tally.ts';
import type { TermIndex } from '../../../src/scorers/bm25/term-index.ts';
import type { Term } from '../../../src/scorers/bm25/terms.ts';

// An index by words instead of numbers.

export const hasWord = (index: TermIndex, word: string): boolean => index.term(word) !== undefined;

export const textsOf = (terms: readonly Term[]): string[] => terms.map(({ word }) => word);

export function addFrequencies(index: TermIndex, word: string, share: number, to: Tally): void {
  const term = index.term(word);
  if (term) index.addFrequencies(term, share, to);
}

/** For a document how its name fits the words that are wanted, which are stems. */
export function fitsOf(index: TermIndex, wanted: ReadonlyMap<string, number>): (id: number) => NameFit {
  const weights = new Float64Array(index.nameStems);
  for (const [root, weight] of wanted) for (const number of index.nameStemsOf(root)) weights[number] = weight;
  return (id) => {
    const fit: NameFit = { share: 0, strangers: 0 };
    index.nameFit(id, weights, fit);
    return fit;
  };
}
