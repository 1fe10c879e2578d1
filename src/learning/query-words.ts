import { contentWords, stem, words } from '../kit.ts';

/** Words of a query that are looked at: those of a long message say little. */
const MAX_WORDS = 40;

/** The words of a query by which it is known again: stems, each once. */
export function queryWords(text: string): readonly string[] {
  return [...new Set(contentWords(words(text)).map(stem))].slice(0, MAX_WORDS);
}
