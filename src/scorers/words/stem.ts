import { stemmer } from 'stemmer';
import { STEMS } from './stems.ts';

const LATIN = /^[a-z]+$/;
/** Stems by word: the exceptions, and those that were found before. */
const stems = new Map(STEMS);
const MAX_STEMS = 50_000;

/** The English stem (Porter) of a lower-case word; words of other scripts, with digits, or short ones are their own. */
export function stem(word: string): string {
  if (word.length < 3 || !LATIN.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const root = stemmer(word);
  // The currency aed is no ending of the letter a.
  const stemmed = root.length < 2 ? word : root;
  // Words of tools repeat; a hostile stream of new ones must not grow the memory.
  if (stems.size >= MAX_STEMS) {
    stems.clear();
    for (const [exception, root] of STEMS) stems.set(exception, root);
  }
  stems.set(word, stemmed);
  return stemmed;
}

/** The letters that a word has in common with its stem: the first two, where y may become i. */
export function beginningOf(word: string): string {
  return word[1] === 'y' ? `${word[0]}i` : word.slice(0, 2);
}
