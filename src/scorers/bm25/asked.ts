import { actionKinds, mayMeanDelete } from '../words/actions.ts';
import { stem } from '../words/stem.ts';
import type { Synonym } from '../words/thesaurus/synonyms.ts';
import type { Source, WordMatch } from './match-cache.ts';
import type { TermIndex } from './term-index.ts';

/** A synonym that counts this much stands for a required word. */
export const SURE = 0.8;

/** The stems of names that may stand for a word: its own, and those of its synonyms, with what each counts. */
export function nameStemsOf(root: string, synonyms: readonly Synonym[], terms: TermIndex): WordMatch['nameStems'] {
  const found: [number, number][] = [];
  for (const { stems, weight } of synonyms) {
    for (const each of stems) for (const number of terms.nameStemsOf(each)) found.push([number, weight]);
  }
  for (const number of terms.nameStemsOf(root)) found.push([number, 1]);
  return found;
}

/** The kind of action that a word asks for, in any language of the vocabulary; 0 for none. */
export function actionOf(root: string, synonyms: readonly Synonym[]): number {
  const kinds = actionKinds();
  const own = kinds.get(root);
  if (own !== undefined) return own;
  for (const { stems, weight } of synonyms) {
    const translated = weight >= SURE && stems.length === 1 ? kinds.get(stems[0] ?? '') : undefined;
    if (translated !== undefined) return translated;
  }
  return 0;
}

/** Whether a word asks for something to be deleted or ended: itself, by a synonym, or as a guess. */
export function asksToDelete(root: string, synonyms: readonly Synonym[], sources: readonly Source[]): boolean {
  return (
    mayMeanDelete(root) ||
    synonyms.some(({ stems }) => stems.some(mayMeanDelete)) ||
    sources.some(({ by, terms }) => by === 'guess' && terms.flat().some((form) => mayMeanDelete(stem(form))))
  );
}

/** The kind of action that a query asks for first; 0 for none. */
export function askedAction(words: readonly WordMatch[]): number {
  return words.find(({ action }) => action !== 0)?.action ?? 0;
}
