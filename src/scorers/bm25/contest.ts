import { splitIdentifier, stem } from '../../util/words.ts';
import { bestFirst, type ToolContest, type ToolMatch, type WordExplanation } from '../scorer.ts';
import type { ToolQuery } from '../words/query.ts';
import type { InvertedIndex } from './inverted-index.ts';
import type { LoneMatch, PartedMatch } from './word-match.ts';

/** Words of a query, all of them or those of a sentence, with what they say of each document. */
export interface AskedWords {
  readonly words: readonly PartedMatch[];
  /** The weights of the words. */
  readonly weights: readonly number[];
  /** The coverage of a document that has all of the words. */
  readonly whole: number;
  /** The factor of a document by the stems of its name, and the most that it can be. */
  readonly factorOf: (id: number, nameStems: ReadonlySet<string>) => number;
  readonly mostFactor: number;
}

/** A query as an index reads it. */
export interface AskedQuery {
  readonly all: AskedWords;
  /** Of a long query, the sentences of which the best one counts as much as all of it; undefined of a short one. */
  readonly sentences: readonly AskedWords[] | undefined;
  /** Documents that the query names, each with its bonus as a multiple of the best score. */
  readonly named: ReadonlyMap<number, number>;
}

type Found = { readonly score: number; readonly cover: number };

/** Reads a query, with the matches of words that were read before. */
type Ask = (
  query: ToolQuery,
  read: Map<string, LoneMatch>,
  placeOf: (match: LoneMatch, id: number) => number,
) => AskedQuery;

/** Scores that differ by less are equal: floating-point sums have rounding errors. */
const ROUNDING = 1e-9;

/**
 * Compares tools by one query after the other, for thousands of queries: each is asked which tools score no less than one
 * tool. What cannot is not looked at, by the bounds of MaxScore (Turtle, Flood 1995): of the most frequent words, a tool
 * that has no other one cannot reach that score, so that they are looked up for few documents alone.
 */
export class Contest implements ToolContest {
  readonly #terms: InvertedIndex;
  readonly #coverage: number;
  readonly #ask: (query: ToolQuery) => AskedQuery;
  readonly #places = new WeakMap<LoneMatch, Places>();
  readonly #nameStems = new Map<number, ReadonlySet<string>>();
  /** Accumulator of scores by document, reset to 0 after each query. */
  readonly #sums: Float64Array;
  readonly #covered: Float64Array;

  /** @param coverage - the exponent of the share of a query that a tool covers. */
  constructor(terms: InvertedIndex, coverage: number, ask: Ask) {
    this.#terms = terms;
    this.#coverage = coverage;
    const read = new Map<string, LoneMatch>();
    this.#ask = (query) => ask(query, read, (match, id) => this.#placesOf(match).of(id));
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

  /** The documents that may have a score, by all words or by a sentence: the mean of both is no more than the higher one. */
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
    const known = this.#nameStems.get(id) ?? new Set(splitIdentifier(this.#terms.nameOf(id)).map(stem));
    this.#nameStems.set(id, known);
    return known;
  }
}

/** Where documents stand in a match. */
class Places {
  /** The highest score. */
  readonly most: number;
  readonly #match: LoneMatch;
  /** Cache: the documents in order, each with its place behind it. Most matches are never looked up in. */
  #sorted: Float64Array | undefined;

  constructor(match: LoneMatch) {
    this.#match = match;
    this.most = match.scores.reduce((most, score) => Math.max(most, score), 0);
  }

  /** The place of a document; -1 where it is not there. */
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
