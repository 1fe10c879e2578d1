import { splitIdentifier } from './words.ts';

/** The names of a catalog by their letters and digits alone: get-weather is getWeather is "get weather". */
export class Spellings {
  /** Spellings by the number of the name. */
  readonly #spellings: readonly string[];
  readonly #ids = new Map<string, number[]>();

  constructor(names: readonly string[]) {
    this.#spellings = names.map((name) => spellingOf([name]));
    for (const [id, spelling] of this.#spellings.entries()) {
      const ids = this.#ids.get(spelling);
      if (ids) ids.push(id);
      else if (spelling !== '') this.#ids.set(spelling, [id]);
    }
  }

  /** The numbers of the names that the words together are, in any casing and with any separators. */
  of(words: readonly string[]): readonly number[] {
    return this.#ids.get(spellingOf(words)) ?? [];
  }

  /** The numbers of the names that have these lower-case letters and digits in a row. */
  containing(part: string): readonly number[] {
    return [...this.#spellings.keys()].filter((id) => this.#spellings[id]?.includes(part));
  }
}

/** The letters and digits of words, in lower case. */
export function spellingOf(words: readonly string[]): string {
  return words.flatMap(splitIdentifier).join('');
}
