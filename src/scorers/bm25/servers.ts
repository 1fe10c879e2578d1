import { splitIdentifier, stem } from '../../util/words.ts';
import { actionKinds } from '../words/query-words.ts';
import type { InvertedIndex } from './inverted-index.ts';

/** Words of server names that carry no information. */
const EMPTY: ReadonlySet<string> = new Set(['mcp', 'server', 'api']);
/** A prefix that more of the catalog shares does not tell servers apart. */
const MOST = 0.8;
/** A word names a server only if at least this share of the tools with the word in their names are the server's. */
const OWN = 0.8;
/** Maximum number of words of a server's name that are looked for in a query. */
const MAX_WORDS = 3;
const NONE = -1;

/**
 * The servers of a catalog. A document belongs to its `server`. Without one, it belongs to the first word of its name,
 * if other names begin with that word too and it is no verb.
 */
export class Servers {
  readonly #terms: InvertedIndex;
  readonly #isPart: boolean;
  readonly #known: ReadonlySet<string> | undefined;
  /** The server number of each document; -1 without a server. */
  readonly #of: Int32Array;
  /** Server numbers by the letters and digits of the server's name. */
  readonly #numbers = new Map<string, number>();
  /** The words of each server's name, by server number. */
  readonly #names: (readonly string[])[] = [];

  /**
   * @param isPart - whether the documents are a part of a catalog. Then only `known` tells which first words of names
   * are servers.
   * @param known - the servers of the whole catalog that a query may name.
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

  /**
   * Finds the servers that the words name, and returns whether a document is of one of them. A word that many tools of
   * other servers have in their names names no server.
   */
  namedBy(words: readonly string[]): (id: number) => boolean {
    const named = new Set<number>();
    for (let start = 0; start < words.length; start++) {
      for (let end = start + 1; end <= Math.min(words.length, start + MAX_WORDS); end++) {
        const said = words.slice(start, end);
        const spelling = said.join('');
        const number = this.#numbers.get(spelling);
        if (number === undefined || !this.#isTelling(number, spelling)) continue;
        // "file system" is not the server `filesystem`: the two words mean something else.
        if (said.length === 1 || said.length === this.#names[number]?.length) named.add(number);
      }
    }
    return named.size === 0 ? () => false : (id) => named.has(this.#of[id] ?? NONE);
  }

  /** The documents whose name is these words after a server's name: `get_me` finds `github_get_me`. */
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

  /**
   * Whether the words are the name of a document's server, which some tools repeat in theirs, or a prefix that other
   * names share.
   */
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

/** The words of a name that carry information; all words if none does. */
function tellingWords(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !EMPTY.has(word));
  return telling.length > 0 ? telling : words;
}
