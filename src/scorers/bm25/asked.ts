import { actionKinds } from '../../query/actions.ts';
import { stem } from '../../query/stem.ts';
import type { WordMatch } from './match-cache.ts';

/** A synonym that counts this much stands for a required word. */
export const SURE = 0.8;

/** Stems of the words of the query and of their synonyms, with what each counts for a name. One may be there twice. */
export function askedStems(words: readonly WordMatch[]): WordMatch['stems'] {
  return words.flatMap(({ stems }) => stems);
}

/** The kind of action that a query asks for first, in any language of the vocabulary; 0 for none. */
export function askedAction(words: readonly WordMatch[]): number {
  const kinds = actionKinds();
  for (const { word, synonyms } of words) {
    const kind = kinds.get(stem(word));
    if (kind !== undefined) return kind;
    for (const { words: parts, weight } of synonyms) {
      const translated = weight >= SURE && parts.length === 1 ? kinds.get(stem(parts[0] ?? '')) : undefined;
      if (translated !== undefined) return translated;
    }
  }
  return 0;
}
