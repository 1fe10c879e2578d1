import { editDistance } from '../words/suggest.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Letters of the shortest beginning: fewer say too little about what was meant. */
const MIN_PREFIX = 3;
const MIN_TYPO = 4;
const MAX_GUESSES = 8;

/**
 * Finds what an unknown word may mean: known words that begin with it; when there are none, those that differ by one
 * letter, or two in a long word. Nearest first, else by the alphabet.
 *
 * @param isKnown - whether a word of a vocabulary counts.
 */
export function guesses(
  word: string,
  vocabularies: readonly Vocabulary[],
  isKnown: (word: string) => boolean,
): readonly string[] {
  if (word.length < MIN_PREFIX) return [];
  const longer = vocabularies.flatMap((vocabulary) => vocabulary.withPrefix(word));
  const known = firstKnown(longer.sort(), isKnown);
  return known.length > 0 || word.length < MIN_TYPO ? known : nearest(word, vocabularies, isKnown);
}

function nearest(
  word: string,
  vocabularies: readonly Vocabulary[],
  isKnown: (word: string) => boolean,
): readonly string[] {
  const max = word.length < 8 ? 1 : 2;
  const byDistance: string[][] = [[], [], []];
  const letters = lettersOf(word);
  const [wordFirst, wordSecond] = [word.charCodeAt(0), word.charCodeAt(1)];
  const mayBeNear = (candidate: string): boolean => {
    // Words that share neither the first nor the second letter are not tried.
    const [first, second] = [candidate.charCodeAt(0), candidate.charCodeAt(1)];
    if (first !== wordFirst && second !== wordSecond && first !== wordSecond && second !== wordFirst) return false;
    // Each wrong letter changes the set of letters by one on either side.
    const others = lettersOf(candidate);
    return bits(letters & ~others) <= max && bits(others & ~letters) <= max;
  };
  for (const vocabulary of vocabularies) {
    for (const candidate of vocabulary.beginningLike(word, max)) {
      if (!mayBeNear(candidate)) continue;
      const distance = editDistance(word, candidate, max);
      if (distance !== undefined) byDistance[distance]?.push(candidate);
    }
  }
  for (const candidates of byDistance) {
    const known = firstKnown(candidates.sort(), isKnown);
    if (known.length > 0) return known;
  }
  return [];
}

/** The first few, each once. */
function firstKnown(sorted: readonly string[], isKnown: (word: string) => boolean): string[] {
  const found: string[] = [];
  for (const word of sorted) {
    if (found.length === MAX_GUESSES) break;
    if (word !== found.at(-1) && isKnown(word)) found.push(word);
  }
  return found;
}

/** The set of letters as bits, those of other scripts sharing some. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bits(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}
