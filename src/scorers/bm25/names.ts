import { lazyRegex } from '../../util/lazy-regex.ts';

/** A word as names are written: a capital, then small letters. */
const CAPITALISED = lazyRegex(String.raw`^\p{Lu}\p{Ll}+$`, 'u');
const SMALL = lazyRegex(String.raw`^\p{Ll}`, 'u');
/** Letters of the longest abbreviation: a longer word of a name means what it says. */
const MAX_ABBREVIATION = 4;

/**
 * The short words that are a part of somebody's name, lower-case: in "songs of Lana Del Rey", del is no abbreviation. A
 * name is a few capitalised words in a row, one of them unknown, in a query that has others as well.
 */
export function namesAmong(keywords: readonly string[], isKnown: (word: string) => boolean): ReadonlySet<string> {
  const names = new Set<string>();
  if (!keywords.some((keyword) => SMALL().test(keyword))) return names;
  let run: string[] = [];
  // The first word has a capital anyway. One more ends the last run.
  for (const keyword of [...keywords.slice(1), '']) {
    if (CAPITALISED().test(keyword)) {
      run.push(keyword.toLowerCase());
      continue;
    }
    if (run.length > 1 && !run.every(isKnown)) {
      for (const word of run) if (word.length <= MAX_ABBREVIATION) names.add(word);
    }
    run = [];
  }
  return names;
}
