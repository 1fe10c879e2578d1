import { stemmer } from 'stemmer';

const LATIN = /^[a-z]+$/;
const stems = new Map<string, string>();
const MAX_STEMS = 50_000;

/** The English stem (Porter) of a lower-case word; words of other scripts, with digits, or short ones are their own. */
export function stem(word: string): string {
  if (word.length < 3 || !LATIN.test(word)) return word;
  const cached = stems.get(word);
  if (cached !== undefined) return cached;
  const stemmed = stemmer(word);
  // Words of tools repeat; a hostile stream of new ones must not grow the memory.
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(word, stemmed);
  return stemmed;
}
