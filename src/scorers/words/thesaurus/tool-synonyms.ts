import { type SynonymGroup, toolGroups } from './groups.ts';

/**
 * The built-in vocabulary of tools. Extend it (`[...toolSynonyms, { words: ['pto', 'vacation'] }]`) or replace it in
 * `bm25Scorer({ synonyms })`. It is in English, with the commonest words in nine other languages.
 *
 * @example
 * ```ts
 * import { toolSynonyms } from 'mastra-tool-search/synonyms';
 *
 * bm25Scorer({ synonyms: [...toolSynonyms, { words: ['pto', 'vacation'] }] });
 * ```
 */
export const toolSynonyms: readonly SynonymGroup[] = toolGroups().flatMap(({ text, weight, forUnknown }) =>
  text
    .split(';')
    .slice(0, -1)
    .map((members) => ({
      words: members
        .trim()
        .split(' ')
        // Chinese and Japanese words have no spaces between them.
        .map((member) => member.replace(/_(?=[\u3040-\u9fff])/g, '').replaceAll('_', ' ')),
      weight,
      ...(forUnknown ? { forUnknown } : {}),
    })),
);
