import { type KeyedGroup, Synonyms } from './synonyms.ts';
import { vocabulary } from './vocabulary.ts';

/** `categor|y|i`: a word that is not its own stem, taken apart into what both have, the word's end and the stem's. */
const ENDS = /\|([a-z]*)(?:\|([a-z]+))?/g;

const BREAK = /;\s/;

let builtIn: Synonyms | undefined;

/** The built-in vocabulary, which is read once. */
export function builtInSynonyms(): Synonyms {
  builtIn ??= new Synonyms(builtInGroups());
  return builtIn;
}

/** Reads the generated vocabulary: the groups of `toolSynonyms`, without the work of finding their words and stems. */
export function builtInGroups(): readonly KeyedGroup[] {
  return vocabulary.flatMap(({ weight, forUnknown = false, groups }) => {
    const keys = groups.replace(ENDS, '$2').split(BREAK);
    const members = groups.replace(ENDS, '$1').split(BREAK);
    return members.map((list, at) => ({ members: list, keys: keys[at] ?? '', weight, forUnknown }));
  });
}
