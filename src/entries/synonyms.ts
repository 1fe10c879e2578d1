export type { SynonymGroup } from '../scorers/thesaurus/synonym-group.ts';
export { toolSynonyms } from '../scorers/thesaurus/tool-synonyms.ts';
