import type { Field } from './settings.ts';

/**
 * The figures of a whole catalog, for an index of a few of its documents, which then weighs them as an index of all would.
 *
 * @example
 * ```ts
 * const statistics: CatalogStatistics = {
 *   documents: 1_000_000,
 *   averageLengths: { name: 3, summary: 9, description: 40, parameters: 5 },
 *   stems: new Map([['weather', 1_250], ['citi', 20_300]]),
 * };
 * ```
 */
export interface CatalogStatistics {
  /** Count of all documents. */
  readonly documents: number;
  /** How many different words each field has, on average over all documents; 0 where it is left out. */
  readonly averageLengths: Readonly<Partial<Record<Field, number>>>;
  /**
   * Counts of the documents that have a stem, in any form and field. A stem that is left out is in none. A key of several
   * stems, with a space between them, counts those that have them all; left out, the candidates tell whether any has.
   */
  readonly stems: ReadonlyMap<string, number>;
  /** Counts of the documents that have exactly this word. Without it, those of its stem count. */
  readonly words?: ReadonlyMap<string, number>;
  /** Counts of the documents whose server, or group, says a stem of all its tools. */
  readonly instructions?: ReadonlyMap<string, number>;
  /** What a word that no document has may mean: stems, and the count of the documents that have one of them. */
  readonly guesses?: ReadonlyMap<string, Guess>;
}

/**
 * The stems that a word may mean which no document has.
 *
 * @example
 * ```ts
 * const pelicna: Guess = { stems: ['pelican'], documents: 12 };
 * ```
 */
export interface Guess {
  readonly stems: readonly string[];
  readonly documents: number;
}
