/**
 * The vocabulary of `bm25Scorer()`, to extend it.
 *
 * @module mastra-tool-search/synonyms
 */

export type { SynonymGroup } from '../scorers/words/thesaurus/groups.ts';
export { toolSynonyms } from '../scorers/words/thesaurus/tool-synonyms.ts';
