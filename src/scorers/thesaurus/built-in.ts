import { type KeyedGroup, Synonyms } from './synonyms.ts';
import { vocabulary } from './vocabulary.ts';

/** `categor|y|i`: a word that is not its own stem, taken apart into what both have, the word's end and the stem's. */
const ENDS = /\|([a-z]*)(?:\|([a-z]+))?/g;

let builtIn: Synonyms | undefined;

/** The built-in vocabulary, which is read once. */
export function builtInSynonyms(): Synonyms {
  builtIn ??= new Synonyms(builtInGroups());
  return builtIn;
}

/** Reads the generated vocabulary: the groups of `toolSynonyms`, without the work of finding their words and stems. */
export function builtInGroups(): readonly KeyedGroup[] {
  return vocabulary.flatMap(({ weight, forUnknown = false, groups }) => {
    const keys = split(groups.replace(ENDS, '$2'));
    return split(groups.replace(ENDS, '$1')).map((members, at) => ({
      members,
      keys: keys[at] ?? [],
      weight,
      forUnknown,
    }));
  });
}

function split(groups: string): readonly (readonly string[])[] {
  return groups.split(/;\s/).map((group) => group.split(' '));
}
