import { splitIdentifier, stem } from '../../util/words.ts';
import { actionKinds } from '../words/query-words.ts';
import type { InvertedIndex } from './inverted-index.ts';

/** Words of server names that carry no information. */
const EMPTY: ReadonlySet<string> = new Set(['mcp', 'server', 'api']);
/** A prefix shared by a larger part of the catalog does not tell servers apart. */
const MOST = 0.8;
/** The share of the tools with a word in their names that are a server's own, where the word names the server. */
const OWN = 0.8;
/** Words of the longest name of a server that is looked for in a query. */
const MAX_WORDS = 3;
const NONE = -1;

/**
 * The servers of a catalog. A document tells its server, or its name begins with it: a first word that other names begin
 * with, too, and that is no verb.
 */
export class Servers {
  readonly #terms: InvertedIndex;
  readonly #isPart: boolean;
  readonly #known: ReadonlySet<string> | undefined;
  /** The number of the server of each document; -1 without one. */
  readonly #of: Int32Array;
  /** Servers by the letters and digits of their names. */
  readonly #numbers = new Map<string, number>();
  /** The words of each server's name, by server number. */
  readonly #names: (readonly string[])[] = [];

  /**
   * @param isPart - whether the documents are a part of a catalog: then their names do not show which words are servers.
   * @param known - the servers of that catalog which a query may name.
   */
  constructor(terms: InvertedIndex, isPart: boolean, known?: ReadonlySet<string>) {
    const { documents } = terms;
    this.#terms = terms;
    this.#isPart = isPart;
    this.#known = known;
    this.#of = new Int32Array(documents.length).fill(NONE);
    const beginnings = new Map<string, number[]>();
    for (const [id, { name, server }] of documents.entries()) {
      const told = server === '' ? [] : tellingWords(splitIdentifier(server));
      if (told.length > 0) {
        this.#of[id] = this.#numberOf(told);
        continue;
      }
      const [first = ''] = splitIdentifier(name);
      const ids = beginnings.get(first);
      if (ids) ids.push(id);
      else beginnings.set(first, [id]);
    }
    const isServer = (first: string, { length }: readonly number[]): boolean =>
      length > 1 && length <= MOST * documents.length && !actionKinds().has(stem(first));
    for (const [first, ids] of beginnings) {
      if (isPart ? known?.has(first) : isServer(first, ids))
        for (const id of ids) this.#of[id] = this.#numberOf([first]);
    }
  }

  /** Whether the words name the server of a document, by words that hardly any tool of another server has in its name. */
  namedBy(words: readonly string[]): (id: number) => boolean {
    const named = new Set<number>();
    for (let start = 0; start < words.length; start++) {
      for (let end = start + 1; end <= Math.min(words.length, start + MAX_WORDS); end++) {
        const said = words.slice(start, end);
        const spelling = said.join('');
        const number = this.#numbers.get(spelling);
        if (number === undefined || !this.#isTelling(number, spelling)) continue;
        // The words of "file system" say something else.
        if (said.length === 1 || said.length === this.#names[number]?.length) named.add(number);
      }
    }
    return named.size === 0 ? () => false : (id) => named.has(this.#of[id] ?? NONE);
  }

  /** The documents whose name is these words behind the name of their server: `get_me` is `github_get_me`. */
  spelled(asked: readonly string[]): readonly number[] {
    if (asked.length < 2) return [];
    const lists = asked.map((word) => this.#terms.namedBy(stem(word))).filter(({ length }) => length > 0);
    const shortest = lists.reduce((least, list) => (list.length < least.length ? list : least), lists[0] ?? []);
    const spelling = asked.join('');
    return shortest.filter((id) => {
      const name = splitIdentifier(this.#terms.nameOf(id));
      let end = name.length;
      for (let left = spelling.length; left > 0 && end > 0; ) left -= name[--end]?.length ?? 0;
      return end > 0 && name.slice(end).join('') === spelling && this.#isNameOf(id, name.slice(0, end));
    });
  }

  /** Whether the words are the name of a document's server, which some names say twice, or what other names begin with. */
  #isNameOf(id: number, words: readonly string[]): boolean {
    const name = this.#names[this.#of[id] ?? NONE];
    const all = tellingWords([...new Set(words)]);
    if (name && (all.join('') === name.join('') || all.every((word) => name.includes(word)))) return true;
    if (this.#isPart || words.some((word) => actionKinds().has(stem(word)))) return false;
    const spelling = words.join('');
    const begins = (other: number): boolean =>
      other !== id && splitIdentifier(this.#terms.nameOf(other)).slice(0, words.length).join('') === spelling;
    return this.#terms.namedBy(stem(words[0] ?? '')).some(begins);
  }

  #isTelling(number: number, spelling: string): boolean {
    if (this.#isPart) return this.#known?.has(spelling) ?? true;
    return (this.#names[number] ?? []).every((word) => {
      const ids = this.#terms.namedBy(stem(word));
      return ids.filter((id) => this.#of[id] === number).length >= OWN * ids.length;
    });
  }

  #numberOf(name: readonly string[]): number {
    const spelling = name.join('');
    const known = this.#numbers.get(spelling);
    if (known !== undefined) return known;
    const number = this.#names.push(name) - 1;
    this.#numbers.set(spelling, number);
    return number;
  }
}

/** The informative words of a name; all words where none is informative. */
function tellingWords(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !EMPTY.has(word));
  return telling.length > 0 ? telling : words;
}
