import { type SynonymGroup, toolGroups } from './groups.ts';

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
export const toolSynonyms: readonly SynonymGroup[] = toolGroups((member) =>
  member.replace(/_(?=[\u3040-\u9fff])/g, '').replaceAll('_', ' '),
);
