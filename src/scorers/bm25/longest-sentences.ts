import type { ToolQuery } from '../words/query.ts';
import { sentencesOf } from '../words/query-sentences.ts';
import type { WordMatch } from './match-cache.ts';

/** Sentences of a long query that count: a message of 2,000 characters has hardly more. */
const MAX_SENTENCES = 16;
/** One word is no request: it would be covered wholly. */
const MIN_WORDS = 2;

/**
 * The matches of a query's longest sentences, out of those of the whole: the longest first, as those after it raise little.
 *
 * @param read - the words of each keyword of the query.
 */
export function longestSentences(
  query: ToolQuery,
  read: readonly (readonly string[])[],
  matches: readonly WordMatch[],
): readonly (readonly WordMatch[])[] {
  const byWord = new Map(matches.map((match) => [match.word, match]));
  let start = 0;
  return sentencesOf(query)
    .map(({ length }) => {
      const list = read.slice(start, start + length).flat();
      start += length;
      return [...new Set(list)].flatMap((word) => byWord.get(word) ?? []);
    })
    .filter(({ length }) => length >= MIN_WORDS)
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_SENTENCES);
}
