import { Synonyms } from './synonyms.ts';
import { builtInGroups } from './vocabulary.ts';

let builtIn: Synonyms | undefined;

/** The built-in vocabulary, which is read once. */
export function builtInSynonyms(): Synonyms {
  builtIn ??= new Synonyms(builtInGroups());
  return builtIn;
}
