import { splitIdentifier } from '../../util/words.ts';
import { isQuestion, querySentences, type ToolQuery } from '../words/query.ts';
import { DELETING, READING } from '../words/query-words.ts';
import type { InvertedIndex } from './inverted-index.ts';
import { Servers } from './servers.ts';
import type { Bm25Settings, CatalogStatistics } from './settings.ts';
import type { MatchedWord } from './word-match.ts';

/**
 * From this many words on, a query is long, as a pasted message is. Its sentences are then scored one by one as well.
 */
export const LONG = 14;
/** Most sentences of a long query that are scored: a message of 2,000 characters has hardly more. */
const MAX_SENTENCES = 16;
/** Fewest words of a sentence that is scored: a single word would be covered wholly by any tool that has it. */
const MIN_WORDS = 2;
/**
 * Bonus of a tool that the query names in another spelling, as a multiple of the best score. A name of stop words alone
 * needs it: no word finds the tool, so it has no score of its own.
 */
const NAMED_BONUS = 1.25;
const KINDS = 8;

/**
 * Names of tools that tell who is signed in, looked up for "who am I". They consist mostly of stop words, so their
 * words do not find them.
 */
const SELF = ['who am i', 'get me', 'get self', 'get myself', 'get current user', 'get authenticated user'].map(
  (name) => name.split(' '),
);

/** What a query asks for beside its words. */
export interface Wish {
  readonly isQuestion: boolean;
  readonly isOfNamedServer: (id: number) => boolean;
}

/** How the names, actions and servers of documents fit a query, beside the words that they have. */
export class Fit {
  readonly #terms: InvertedIndex;
  readonly #settings: Bm25Settings;
  readonly #statistics: CatalogStatistics | undefined;
  #ofServers: Servers | undefined;

  constructor(terms: InvertedIndex, settings: Bm25Settings, statistics: CatalogStatistics | undefined) {
    this.#terms = terms;
    this.#settings = settings;
    this.#statistics = statistics;
  }

  get #servers(): Servers {
    this.#ofServers ??= new Servers(this.#terms, this.#statistics !== undefined, this.#statistics?.servers);
    return this.#ofServers;
  }

  /** @param read - the words of each keyword of the query. */
  wishOf({ text }: ToolQuery, read: readonly (readonly string[])[]): Wish {
    return { isQuestion: isQuestion(text), isOfNamedServer: this.#servers.namedBy(read.flat()) };
  }

  /**
   * The documents that the query names: the whole query or one keyword is the name, or the name without its server. The
   * value is true if the name can mean no other tool: several servers may have a tool of one name.
   */
  named({ keywords }: ToolQuery): ReadonlyMap<number, boolean> {
    const parts = keywords.map((keyword) => splitIdentifier(keyword));
    const whole = parts.flat();
    const spellings = [
      whole,
      ...parts.filter(({ length }) => length > 1),
      ...(whole.join('') === 'whoami' ? SELF : []),
    ];
    const named = new Map<number, boolean>();
    const behindServers = new Set<number>();
    for (const list of spellings) {
      const ids = this.#terms.spelled(list.join(''));
      for (const id of ids) named.set(id, true);
      if (ids.length === 0) for (const id of this.#servers.spelled(list)) behindServers.add(id);
    }
    const tools = this.#terms.countTools([...behindServers]);
    for (const id of behindServers) if (!named.has(id)) named.set(id, tools === 1);
    return named;
  }

  /** The bonus of a document that the query names, as a multiple of the best score. The exact spelling earns most. */
  bonusOf(id: number, { text, keywords }: ToolQuery): number {
    const name = this.#terms.nameOf(id);
    return name === text || keywords.includes(name) ? 2 : NAMED_BONUS;
  }

  /** By document, the summed weight of the stems of its name that the words ask for. */
  nameSums(words: readonly MatchedWord[]): Float64Array {
    const sums = new Float64Array(this.#terms.documents.length);
    for (const [root, weight] of wantedStems(words)) {
      for (const id of this.#terms.namedBy(root)) sums[id] = (sums[id] ?? 0) + weight;
    }
    return sums;
  }

  /**
   * The factor of a document: above 1 for asked stems of its name, the asked kind of action and a named server, below 1 for an
   * action of another kind. `sum` is its part of {@link nameSums}.
   */
  factors(words: readonly MatchedWord[], wish: Wish): (id: number, sum: number) => number {
    const { nameSizes, actions } = this.#terms;
    const { nameCoverage, namedServer } = this.#settings;
    const ofActions = this.#actionFactors(words, wish.isQuestion);
    return (id, sum) =>
      (1 + (nameCoverage * sum) / (nameSizes[id] || 1)) *
      (ofActions[actions[id] ?? 0] ?? 1) *
      (wish.isOfNamedServer(id) ? namedServer : 1);
  }

  /** The highest that {@link factors} may return. */
  mostFactor(words: readonly MatchedWord[], wish: Wish): number {
    const { nameCoverage, namedServer } = this.#settings;
    return (1 + nameCoverage) * Math.max(...this.#actionFactors(words, wish.isQuestion)) * namedServer;
  }

  #actionFactors(words: readonly MatchedWord[], isQuestion: boolean): Float64Array {
    const { action, unaskedDelete, questionReads, questionChanges } = this.#settings;
    const asked = words.find((word) => word.action !== 0)?.action ?? 0;
    const factors = new Float64Array(KINDS).fill(asked === 0 ? 1 : 1 - action);
    // An unknown word may ask for deletion.
    const mayAsk = words.some((word) => word.asksToDelete || (word.idf === 0 && word.action === 0));
    if (!mayAsk) factors[DELETING] = 1 - unaskedDelete;
    factors[asked] = 1 + action;
    if (isQuestion)
      for (const [kind, factor] of factors.entries())
        factors[kind] = factor * (kind === READING ? questionReads : questionChanges);
    factors[0] = 1;
    return factors;
  }
}

/**
 * The words of a long query's sentences, the longest first, at most `MAX_SENTENCES`.
 *
 * @param read - the words of each keyword of the query.
 */
export function sentencesAsked<Match extends MatchedWord>(
  query: ToolQuery,
  read: readonly (readonly string[])[],
  words: readonly Match[],
): readonly (readonly Match[])[] {
  const byWord = new Map(words.map((match) => [match.word, match]));
  let start = 0;
  const sentences = querySentences(query).map(({ length }) => {
    const list = read.slice(start, start + length).flat();
    start += length;
    return [...new Set(list)].flatMap((word) => byWord.get(word) ?? []);
  });
  const asked = sentences.filter(({ length }) => length >= MIN_WORDS).sort((one, other) => other.length - one.length);
  return asked.slice(0, MAX_SENTENCES);
}

/** Stems of names that the words ask for, each with its highest weight. */
export function wantedStems(words: readonly MatchedWord[]): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const { nameStems } of words) {
    for (const [root, weight] of nameStems) wanted.set(root, Math.max(weight, wanted.get(root) ?? 0));
  }
  return wanted;
}
