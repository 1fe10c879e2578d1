import { TextReader } from '../../../src/scorers/bm25/text-reader.ts';
import { Vocabulary } from '../../../src/scorers/bm25/vocabulary.ts';
import { WordNumbers } from '../../../src/scorers/bm25/word-numbers.ts';
import { atOnce } from '../at-once.ts';

/** The vocabulary of documents that have these words; the silent ones were read, but count for nothing. */
export function vocabularyOf(words: Iterable<string>, silent: readonly string[] = []): Vocabulary {
  const numbers = new WordNumbers();
  const reader = new TextReader(numbers);
  for (const word of words) reader.numberOf(word);
  for (const word of silent) reader.numberOf(word);
  const totals = Uint32Array.from(numbers.words, (word) => (silent.includes(word) ? 0 : 1));
  return atOnce(Vocabulary.build(numbers, totals));
}
