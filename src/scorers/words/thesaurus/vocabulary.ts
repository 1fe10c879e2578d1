import { type KeyedGroup, keyedGroups } from './synonyms.ts';
import { toolSynonyms } from './tool-synonyms.ts';

/**
 * The groups of `toolSynonyms` as they are looked up. In the built package this module is another one, which has them
 * packed, as stemming thousands of words would be most of a first search: see vocabulary.config.ts.
 */
export function builtInGroups(): readonly KeyedGroup[] {
  return keyedGroups(toolSynonyms);
}
