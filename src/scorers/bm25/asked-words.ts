import { verbsOf } from '../words/actions.ts';
import { contentWords, stem } from '../words/stem.ts';
import type { Synonyms } from '../words/thesaurus/synonyms.ts';
import { splitIdentifier, words } from '../words/words.ts';
import { FILLERS } from './fillers.ts';
import type { Bm25Settings } from './settings.ts';
import { MAX_WORDS } from './word-matcher.ts';

/** A word of a query, as an engine looks for it. */
export interface AskedWord {
  readonly word: string;
  readonly stem: string;
  /** What counts for the word as well: stems that a document must all have, and what that counts, against 1 for the word. */
  readonly others: readonly { readonly stems: readonly string[]; readonly weight: number }[];
  /** Whether it mostly says nothing. */
  readonly isFiller: boolean;
}

const NUMBER = /^\d+$/;

/**
 * The words that an index would look for: those of the query, their compounds, verbs and synonyms.
 *
 * @param isKnown - whether a document has the word. Without it, a word such as GitHub is read in both ways.
 */
export function askedWords(
  keywords: readonly string[],
  synonyms: Synonyms,
  settings: Bm25Settings,
  isKnown?: (word: string) => boolean,
): readonly AskedWord[] {
  const all = keywords.flatMap((keyword) => readingsOf(keyword, synonyms, isKnown));
  const list = [...new Set(contentWords(all))].slice(0, MAX_WORDS);
  const phrases = [...synonyms.phrases(all.slice(0, 2 * MAX_WORDS), 2)];
  return list.map((word, at) => {
    const root = stem(word);
    const others: { stems: readonly string[]; weight: number }[] = [];
    for (const neighbour of [`${list[at - 1] ?? ''}${word}`, `${word}${list[at + 1] ?? ''}`]) {
      if (neighbour !== word) others.push({ stems: [stem(neighbour)], weight: settings.compound });
    }
    for (const { stems, weight } of synonyms.of(root) ?? []) others.push({ stems, weight });
    for (const { start, length, synonyms: ofPhrase } of phrases) {
      if (!all.slice(start, start + length).includes(word)) continue;
      for (const { stems, weight } of ofPhrase) others.push({ stems, weight: weight * settings.phrase });
    }
    for (const verb of verbsOf(word)) others.push({ stems: [stem(verb)], weight: settings.verb });
    return { word, stem: root, others, isFiller: FILLERS.has(word) || NUMBER.test(word) };
  });
}

/** As the words of a keyword are read for an index: whole where it is known so, else in its parts. */
function readingsOf(keyword: string, synonyms: Synonyms, isKnown?: (word: string) => boolean): readonly string[] {
  const list = words(keyword);
  if (list.length !== 1 || list[0] === keyword) return list;
  const parts = splitIdentifier(keyword);
  if (parts.length < 2) return list;
  if (!isKnown) return [...list, ...parts];
  return isKnown(list[0] ?? '') || synonyms.has(list[0] ?? '') ? list : parts;
}
