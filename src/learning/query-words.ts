import { stem } from '../query/stem.ts';
import { contentWords } from '../query/stop-words.ts';
import { words } from '../query/words.ts';

/** Words of a query that are looked at: those of a long message say little. */
const MAX_WORDS = 40;

/** The words of a query by which it is known again: stems, each once. */
export function queryWords(text: string): readonly string[] {
  return [...new Set(contentWords(words(text)).map(stem))].slice(0, MAX_WORDS);
}
