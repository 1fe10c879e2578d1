import type { ToolDocument } from '../../../src/catalog/document.ts';
import { type CatalogStatistics, FIELDS, type Guess } from '../../../src/scorers/bm25/settings.ts';
import { contentWords, stem, words } from '../../../src/scorers/words/words.ts';
import { naiveFields } from './naive-fields.ts';

/** Counts by key of what each document has. */
function countsOf(documents: readonly Iterable<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const keys of documents) for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * The statistics of a catalog, counted by plain lists and sets.
 *
 * @param guessed - words that no document has, with the words of the catalog that are guessed for each.
 * @param phrases - lists of stems of which it is counted who has them all.
 */
export function statisticsOf(
  documents: readonly ToolDocument[],
  guessed: ReadonlyMap<string, readonly string[]> = new Map(),
  phrases: readonly (readonly string[])[] = [],
): CatalogStatistics {
  const fields = naiveFields(documents);
  const all = fields.map((of) => new Set(FIELDS.flatMap((field) => of[field])));
  const stems = all.map((has) => new Set([...has].map(stem)));
  const averageOf = (field: (typeof FIELDS)[number]): number =>
    fields.reduce((sum, of) => sum + Math.min(255, new Set(of[field]).size), 0) / documents.length;
  const guess = (found: readonly string[]): Guess => {
    const stems = [...new Set(found.map(stem))];
    return { stems, documents: all.filter((has) => [...has].some((word) => stems.includes(stem(word)))).length };
  };
  return {
    documents: documents.length,
    averageLengths: Object.fromEntries(FIELDS.map((field) => [field, averageOf(field)])),
    stems: countsOf(
      stems.map((has) => [
        ...has,
        ...phrases.filter((phrase) => phrase.every((each) => has.has(each))).map((phrase) => phrase.join(' ')),
      ]),
    ),
    words: countsOf(all),
    instructions: countsOf(documents.map(({ instructions = '' }) => contentWords(words(instructions)).map(stem))),
    guesses: new Map([...guessed].map(([word, found]) => [word, guess(found)])),
  };
}
