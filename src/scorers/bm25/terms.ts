import type { IndexPart } from './index-part.ts';

/** A word of a catalog, with its number in each part of the index; undefined where that part does not have it. */
export interface Term {
  readonly word: string;
  readonly numbers: readonly (number | undefined)[];
}

const NONE: readonly Term[] = [];

/** A word that a document of these parts has. */
export function termIn(parts: readonly IndexPart[], word: string): Term | undefined {
  const term = { word, numbers: parts.map(({ segment }) => segment.vocabulary.numberOf(word)) };
  return isThere(parts, term) ? term : undefined;
}

function isThere(parts: readonly IndexPart[], { numbers }: Term): boolean {
  return parts.some(({ segment, gone }, part) => {
    const { documents, start, end } = segment.occurrences(numbers[part]);
    if (!gone) return end > start;
    for (let at = start; at < end; at++) if (!gone[documents[at] ?? 0]) return true;
    return false;
  });
}

/** Words with this stem that a document of these parts has: the word itself first, then by the alphabet. */
export function formsIn(parts: readonly IndexPart[], word: string, root: string): readonly Term[] {
  if (parts.length !== 1) return inOrder(formsInSeveral(parts, root), word);
  const { vocabulary } = (parts[0] as IndexPart).segment;
  const numbers = vocabulary.formsOf(root);
  if (numbers.length === 0) return NONE;
  return inOrder(
    numbers.map((number) => ({ word: vocabulary.wordOf(number), numbers: [number] })),
    word,
  );
}

/** A part alone has all its documents; of several, some may be gone. */
function formsInSeveral(parts: readonly IndexPart[], root: string): Term[] {
  const forms = parts.flatMap(({ segment: { vocabulary } }) =>
    vocabulary.formsOf(root).map((number) => vocabulary.wordOf(number)),
  );
  return [...new Set(forms)].flatMap((form) => termIn(parts, form) ?? []);
}

/** Words by the alphabet, this one first. */
function inOrder(terms: Term[], word: string): readonly Term[] {
  if (terms.length < 2) return terms;
  return terms.sort((one, other) => {
    if (one.word === word || other.word === word) return one.word === word ? -1 : 1;
    return one.word < other.word ? -1 : 1;
  });
}
