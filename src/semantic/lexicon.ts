import type { ToolDocument } from '../kit.ts';
import { Spellings, splitIdentifier, stem, words } from '../util/words.ts';

/** Letters of the shortest prefix that matches. */
const MIN_PREFIX = 3;

/** Handles what embeddings cannot: exact names and required words. */
export class Lexicon {
  readonly #documents: readonly ToolDocument[];
  readonly #spellings: Spellings;
  /** Document numbers by word. Made at the first required word: most queries have none. */
  #holders: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(documents: readonly ToolDocument[]) {
    this.#documents = documents;
    this.#spellings = new Spellings(documents.map(({ name }) => name));
  }

  /** The names that the joined words spell, in any casing and with any separators. */
  named(keywords: readonly string[]): ReadonlySet<string> {
    return new Set(this.#spellings.of(keywords).map((id) => this.#documents[id]?.name ?? ''));
  }

  /**
   * The numbers of the documents that match every required word; undefined if none is required. A document matches if
   * one of its words is the required one, has its stem or begins with it, or if its name contains it.
   */
  matching(required: readonly string[]): ReadonlySet<number> | undefined {
    if (required.length === 0) return undefined;
    const matched = required.flatMap(splitIdentifier).map((word) => this.#matching(word));
    return new Set([...this.#documents.keys()].filter((id) => matched.every((ids) => ids.has(id))));
  }

  #matching(word: string): ReadonlySet<number> {
    const root = stem(word);
    const ids = new Set(this.#spellings.containing(word));
    this.#holders ??= holdersOf(this.#documents);
    for (const [candidate, holders] of this.#holders) {
      const isPrefix = word.length >= MIN_PREFIX && candidate.startsWith(word);
      if (candidate === word || isPrefix || stem(candidate) === root) for (const id of holders) ids.add(id);
    }
    return ids;
  }
}

function holdersOf(documents: readonly ToolDocument[]): ReadonlyMap<string, readonly number[]> {
  const holders = new Map<string, number[]>();
  for (const [id, document] of documents.entries()) {
    for (const word of wordsOf(document)) {
      const ids = holders.get(word);
      if (ids) ids.push(id);
      else holders.set(word, [id]);
    }
  }
  return holders;
}

function wordsOf({
  name,
  title,
  server,
  keywords,
  hints = [],
  description,
  parameters,
}: ToolDocument): ReadonlySet<string> {
  const texts = parameters.flatMap((parameter) => [parameter.description, ...parameter.values]);
  const names = parameters.map((parameter) => parameter.name);
  return new Set([
    ...[name, server, ...names].flatMap(splitIdentifier),
    ...[title, server, description, ...keywords, ...hints, ...texts].flatMap(words),
  ]);
}

/**
 * The documents of a catalog after a change.
 *
 * @param added - new documents, and the new form of changed ones.
 * @param removed - the names of documents that are gone or changed.
 */
export function changedDocuments(
  documents: readonly ToolDocument[],
  added: readonly ToolDocument[],
  removed: readonly string[],
): readonly ToolDocument[] {
  const gone = new Set(removed);
  return [...documents.filter(({ name }) => !gone.has(name)), ...added];
}
