import { splitIdentifier } from '../../util/words.ts';
import { bestFirst, type ToolContest, type ToolMatch, type WordExplanation } from '../scorer.ts';
import type { ToolQuery } from '../words/query.ts';
import { type Fit, LONG, sentencesAsked, type Wish, wantedStems } from './fit.ts';
import { type InvertedIndex, nameStems } from './inverted-index.ts';
import type { Bm25Settings } from './settings.ts';
import type { LoneMatch, PartedMatch, WordMatcher } from './word-match.ts';

/** The words of a query or of one of its sentences, with what is needed to score a document by them. */
interface AskedWords {
  readonly words: readonly PartedMatch[];
  readonly weights: readonly number[];
  /** The summed idf of a document that has all of the words. */
  readonly whole: number;
  /** The factor of a document by the stems of its name, and the upper bound of that factor. */
  readonly factorOf: (id: number, nameStems: ReadonlySet<string>) => number;
  readonly mostFactor: number;
}

/** A query as an index reads it. */
interface AskedQuery {
  readonly all: AskedWords;
  /**
   * The sentences of a long query, of which the best counts as much as the whole query. Undefined for a short query.
   */
  readonly sentences: readonly AskedWords[] | undefined;
  /** Documents that the query names, each with its bonus as a multiple of the best score. */
  readonly named: ReadonlyMap<number, number>;
}

type Found = { readonly score: number; readonly cover: number };

/** Scores that differ by less than this share are equal: floating-point sums have rounding errors. */
const ROUNDING = 1e-9;

/**
 * Tells, for one query after the other, which tools score at least as high as a given tool. Made for thousands of
 * queries.
 *
 * Prunes with the upper bounds of MaxScore (Turtle, Flood 1995): a tool that has only the most frequent words of a
 * query cannot reach the given tool's score, so these words are looked up only for tools that have one of the other
 * words.
 */
export class Contest implements ToolContest {
  readonly #terms: InvertedIndex;
  /** Exponent of the share of a query that a tool covers. */
  readonly #coverage: number;
  readonly #matcher: WordMatcher;
  readonly #fit: Fit;
  /** Matches of words that earlier queries had. */
  readonly #read = new Map<string, LoneMatch>();
  readonly #places = new WeakMap<LoneMatch, Places>();
  readonly #nameStems = new Map<number, ReadonlySet<string>>();
  /** Accumulators by document, reset to 0 after each query. */
  readonly #sums: Float64Array;
  readonly #covered: Float64Array;

  constructor(terms: InvertedIndex, { coverage }: Pick<Bm25Settings, 'coverage'>, matcher: WordMatcher, fit: Fit) {
    this.#terms = terms;
    this.#coverage = coverage;
    this.#matcher = matcher;
    this.#fit = fit;
    this.#sums = new Float64Array(terms.documents.length);
    this.#covered = new Float64Array(terms.documents.length);
  }

  upTo(name: string, query: ToolQuery): readonly ToolMatch[] | undefined {
    const own = this.#terms.idOf(name);
    if (own === undefined) return undefined;
    const asked = this.#ask(query);
    const { named } = asked;
    const ownScore = this.#scoreOf(asked, own);
    if (ownScore === 0) return undefined;
    const least = ownScore * (1 - ROUNDING);
    const ids = this.#candidates(asked, least).add(own);
    for (const id of named.keys()) ids.add(id);
    const scores = Array.from(ids, (id) => [id, this.#scoreOf(asked, id)] as const);
    const best = scores.reduce((most, [, score]) => Math.max(most, score), 0);
    const all = new Map(scores.map(([id, score]) => [id, score + (named.get(id) ?? 0) * best]));
    const wanted = (all.get(own) ?? 0) * (1 - ROUNDING);
    const matches = [...all].filter(([, score]) => score > 0 && score >= wanted);
    return bestFirst(matches.map(([id, score]) => ({ name: this.#terms.nameOf(id), score })));
  }

  wordsOf(name: string, query: ToolQuery): readonly Pick<WordExplanation, 'word' | 'score'>[] {
    const id = this.#terms.idOf(name) ?? -1;
    const { words, weights } = this.#ask(query).all;
    return words.map((match, at) => {
      return { word: match.word, score: (weights[at] ?? 0) * (this.#foundIn(match, id)?.score ?? 0) };
    });
  }

  #ask(query: ToolQuery): AskedQuery {
    const read = this.#matcher.read(query.keywords);
    const words = this.#matcher.parted(query.keywords, read, this.#read, (match, id) => this.#placesOf(match).of(id));
    const wish = this.#fit.wishOf(query, read);
    const askedOf = (some: readonly PartedMatch[]): AskedWords => this.#askedWords(some, wish);
    return {
      all: askedOf(words),
      sentences: words.length >= LONG ? sentencesAsked(query, read, words).map(askedOf) : undefined,
      named: new Map(Array.from(this.#fit.named(query).keys(), (id) => [id, this.#fit.bonusOf(id, query)])),
    };
  }

  #askedWords(words: readonly PartedMatch[], wish: Wish): AskedWords {
    const wanted = wantedStems(words);
    const factorOf = this.#fit.factors(words, wish);
    return {
      words,
      weights: words.map((match) => this.#matcher.weightOf(match, words.length)),
      whole: this.#matcher.sizeOf(words, 0),
      factorOf: (id, stems) => {
        let sum = 0;
        for (const root of stems) sum += wanted.get(root) ?? 0;
        return factorOf(id, sum);
      },
      mostFactor: this.#fit.mostFactor(words, wish),
    };
  }

  #foundIn({ alone, changed }: PartedMatch, id: number): Found | undefined {
    const found = changed.get(id);
    if (found) return found;
    const place = this.#placesOf(alone).of(id);
    return place < 0 ? undefined : { score: alone.scores[place] ?? 0, cover: alone.covers[place] ?? 0 };
  }

  #scoreOf({ all, sentences }: AskedQuery, id: number): number {
    const score = this.#valueOf(all, id);
    if (!sentences || score === 0) return score;
    return (score + sentences.reduce((best, one) => Math.max(best, this.#valueOf(one, id)), 0)) / 2;
  }

  #valueOf({ words, weights, whole, factorOf }: AskedWords, id: number): number {
    let [sum, covered] = [0, 0];
    for (const [at, match] of words.entries()) {
      const found = this.#foundIn(match, id);
      if (!found) continue;
      const weight = weights[at] ?? 0;
      sum += weight * found.score;
      covered += weight * match.idf * found.cover;
    }
    return sum === 0 ? 0 : sum * (covered / whole) ** this.#coverage * factorOf(id, this.#nameStemsOf(id));
  }

  /**
   * The documents that may reach `least` by all words or by one sentence. The mean of both is at most the higher one.
   */
  #candidates({ all, sentences = [] }: AskedQuery, least: number): Set<number> {
    const found = new Set<number>();
    for (const asked of [all, ...sentences]) this.#addCandidates(asked, least, found);
    return found;
  }

  #addCandidates({ words, weights, whole, factorOf, mostFactor }: AskedWords, least: number, to: Set<number>): void {
    const most = (sum: number, covered: number, factor: number): number =>
      sum * Math.min(1, covered / whole) ** this.#coverage * factor;
    const parts = words.map((match, at) => {
      const weight = weights[at] ?? 0;
      let most = this.#placesOf(match.alone).most;
      for (const { score } of match.changed.values()) most = Math.max(most, score);
      return { match, weight, most: weight * most, covers: weight * match.idf };
    });
    const read: typeof parts = [];
    let [sum, covered] = [0, 0];
    for (const part of parts.sort((one, other) => other.match.alone.ids.length - one.match.alone.ids.length)) {
      if (most(sum + part.most, covered + part.covers, mostFactor) < least) {
        sum += part.most;
        covered += part.covers;
      } else read.push(part);
    }
    const ids: number[] = [];
    const [sums, covers] = [this.#sums, this.#covered];
    for (const { match, weight } of read) {
      const { alone, changed, idf } = match;
      const add = (id: number, score: number, cover: number): void => {
        if (sums[id] === 0) ids.push(id);
        sums[id] = (sums[id] ?? 0) + weight * score;
        covers[id] = (covers[id] ?? 0) + weight * idf * cover;
      };
      for (let at = 0; at < alone.ids.length; at++)
        if (!changed.has(alone.ids[at] ?? 0)) add(alone.ids[at] ?? 0, alone.scores[at] ?? 0, alone.covers[at] ?? 0);
      for (const [id, { score, cover }] of changed) add(id, score, cover);
    }
    for (const id of ids) {
      const [ofSum, ofCovered] = [sum + (sums[id] ?? 0), covered + (covers[id] ?? 0)];
      sums[id] = 0;
      covers[id] = 0;
      if (most(ofSum, ofCovered, mostFactor) < least || to.has(id)) continue;
      if (most(ofSum, ofCovered, factorOf(id, this.#nameStemsOf(id))) >= least) to.add(id);
    }
  }

  #placesOf(match: LoneMatch): Places {
    const known = this.#places.get(match) ?? new Places(match);
    this.#places.set(match, known);
    return known;
  }

  #nameStemsOf(id: number): ReadonlySet<string> {
    const known = this.#nameStems.get(id) ?? nameStems(splitIdentifier(this.#terms.nameOf(id)));
    this.#nameStems.set(id, known);
    return known;
  }
}

/** Finds the place of a document in a match, by binary search. */
class Places {
  /** The highest score of the match. */
  readonly most: number;
  readonly #match: LoneMatch;
  /**
   * Sorted numbers, each made of a document and its place. Built at the first lookup, which most matches never have.
   */
  #sorted: Float64Array | undefined;

  constructor(match: LoneMatch) {
    this.#match = match;
    this.most = match.scores.reduce((most, score) => Math.max(most, score), 0);
  }

  /** The place of a document; -1 if the match does not have it. */
  of(id: number): number {
    const { ids } = this.#match;
    const size = ids.length + 1;
    this.#sorted ??= Float64Array.from(ids, (one, at) => one * size + at).sort();
    const sorted = this.#sorted;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? 0) < id * size) low = middle + 1;
      else high = middle;
    }
    const found = sorted[low] ?? -1;
    return Math.floor(found / size) === id ? found - id * size : -1;
  }
}
