import { Vocabulary } from '../../../src/scorers/bm25/vocabulary.ts';
import { WordNumbers } from '../../../src/scorers/bm25/word-numbers.ts';

/** The vocabulary of documents that have these words; the silent ones were read, but count for nothing. */
export function vocabularyOf(words: Iterable<string>, silent: readonly string[] = []): Vocabulary {
  const numbers = new WordNumbers([...words, ...silent]);
  let end = 0;
  return new Vocabulary(
    numbers,
    Uint32Array.from(numbers.words, (word) => (silent.includes(word) ? end : ++end)),
  );
}
