import type { SynonymGroup } from './synonym-group.ts';
import { actions, alike, domains, everyday, related, spellings, translations } from './words.ts';

/**
 * The built-in vocabulary of tools. Extend it (`[...toolSynonyms, { words: ['pto', 'vacation'] }]`) or replace it in
 * `bm25Scorer({ synonyms })`. In English; the commonest words are there in nine other languages as well.
 *
 * @example
 * ```ts
 * import { toolSynonyms } from 'mastra-tool-search/synonyms';
 *
 * bm25Scorer({ synonyms: [...toolSynonyms, { words: ['pto', 'vacation'] }] });
 * ```
 */
export const toolSynonyms: readonly SynonymGroup[] = [
  ...groups(0.8, spellings),
  ...groups(0.8, translations),
  ...groups(0.6, actions),
  ...groups(0.45, related),
  ...groups(0.45, domains),
  ...groups(0.6, alike),
  ...groups(0.45, everyday).map((group) => ({ ...group, forUnknown: true })),
];

function groups(weight: number, text: string): SynonymGroup[] {
  return text
    .split(';')
    .map((group) => group.trim())
    .filter((group) => group !== '')
    .map((group) => ({ words: group.split(/\s+/).map((word) => word.replaceAll('_', ' ')), weight }));
}
