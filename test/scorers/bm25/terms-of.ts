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

/** For a document the share of the words of its name that are wanted, which are stems. */
export function sharesOf(index: TermIndex, wanted: ReadonlyMap<string, number>): (id: number) => number {
  const weights = new Float64Array(index.nameStems);
  for (const [root, weight] of wanted) for (const number of index.nameStemsOf(root)) weights[number] = weight;
  return (id) => index.nameShare(id, weights);
}
