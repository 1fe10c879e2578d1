import type { ToolDocument } from '../catalog/document.ts';
import { splitIdentifier, stem, words } from '../query/words.ts';

/** Shorter beginnings say too little. */
const MIN_PREFIX = 3;

/** The words of a catalog, for the two things about a query that meaning cannot decide: required words and exact names. */
export class Lexicon {
  readonly #documents: readonly ToolDocument[];
  /** Document numbers by the letters and digits of their name. */
  readonly #spellings = new Map<string, number[]>();
  #words: readonly ReadonlySet<string>[] | undefined;

  constructor(documents: readonly ToolDocument[]) {
    this.#documents = documents;
    for (const [id, { name }] of documents.entries()) {
      const spelling = splitIdentifier(name).join('');
      if (spelling !== '') this.#spellings.set(spelling, [...(this.#spellings.get(spelling) ?? []), id]);
    }
  }

  /** The numbers of the documents whose name the words are, in any casing and with any separators. */
  named(keywords: readonly string[]): readonly number[] {
    return this.#spellings.get(keywords.flatMap(splitIdentifier).join('')) ?? [];
  }

  /**
   * The numbers of the documents that every required word matches: a word of theirs is it, has its stem or begins with
   * it, or their name contains it. Undefined when nothing is required.
   */
  matching(required: readonly string[]): ReadonlySet<number> | undefined {
    if (required.length === 0) return undefined;
    const needed = [...new Set(required.flatMap(splitIdentifier))];
    const ids = new Set<number>();
    for (const [id, found] of this.#wordsOfAll().entries()) {
      const name = splitIdentifier(this.#documents[id]?.name ?? '').join('');
      if (needed.every((word) => name.includes(word) || matches(word, found))) ids.add(id);
    }
    return ids;
  }

  /** Taken apart at the first required word: most queries have none. */
  #wordsOfAll(): readonly ReadonlySet<string>[] {
    this.#words ??= this.#documents.map(({ name, title, server, keywords, description, parameters }) => {
      const texts = parameters.flatMap((parameter) => [parameter.description, ...parameter.values]);
      const names = parameters.map((parameter) => parameter.name);
      return new Set([
        ...[name, server, ...names].flatMap(splitIdentifier),
        ...[title, server, description, ...keywords, ...texts].flatMap(words),
      ]);
    });
    return this.#words;
  }
}

function matches(word: string, found: ReadonlySet<string>): boolean {
  if (found.has(word)) return true;
  const root = stem(word);
  for (const candidate of found) {
    if (word.length >= MIN_PREFIX && candidate.startsWith(word)) return true;
    if (stem(candidate) === root) return true;
  }
  return false;
}
