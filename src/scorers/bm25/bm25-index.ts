import type { ToolDocument } from '../../catalog/document.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { inSlices, type SlicedWork } from '../../util/time-slices.ts';
import type { IncrementalIndex, MatchExplanation, ToolMatch } from '../scorer.ts';
import type { ToolQuery } from '../words/query.ts';
import { querySentences } from '../words/query.ts';
import { DELETING } from '../words/query-words.ts';
import type { Synonyms } from '../words/thesaurus/synonyms.ts';
import { isStopWord, splitIdentifier } from '../words/words.ts';
import { confidenceOf, type Evidence, evidenceOf, explainWord } from './confidence.ts';
import { InvertedIndex, type NameFit } from './inverted-index.ts';
import type { Bm25Settings, CatalogStatistics } from './settings.ts';
import { Scores, SURE, type WordMatch, WordMatcher } from './word-match.ts';

/** Words of a short query. It says all that is wanted of a name; a longer one tells a task, in other words than names. */
const SHORT = 4;
/** Words of a long query, as a pasted message is: its sentences count by themselves as well. */
const LONG = 14;
/** Sentences of a long query that count: a message of 2,000 characters has hardly more. */
const MAX_SENTENCES = 16;
/** Words of the shortest sentence that counts: one word would be covered wholly. */
const MIN_WORDS = 2;
/** The confidence of a tool whose name was asked for. */
const NAMED_CONFIDENCE = 0.99;
/** Kinds of action, and none. */
const KINDS = 8;

/** The ranking of one query: kept as long as the query object lives, for its confidence and explanation. */
interface Ranking {
  readonly words: readonly WordMatch[];
  /** Documents by place, and for each the share of the query that it covers. */
  readonly ids: Uint32Array;
  readonly coverages: Float64Array;
  readonly order: BestFirst;
  /** Documents whose name was asked for. */
  readonly named: ReadonlySet<number>;
}

/**
 * The index of `bm25Scorer()`. It is immutable, serves any number of searches at once, and runs in browsers too.
 *
 * The score of a tool is the sum over the words of the query of BM25F's (Robertson, Zaragoza, Taylor 2004: "Simple BM25
 * extension to multiple weighted fields"), times three factors: coverage, the share of the query that the tool has, each
 * word weighing its idf; its name's fit to the query; and the kind of action that its name says.
 */
export class Bm25Index implements IncrementalIndex {
  readonly #terms: InvertedIndex;
  readonly #settings: Bm25Settings;
  readonly #synonyms: Synonyms;
  readonly #matcher: WordMatcher;
  readonly #rankings = new WeakMap<ToolQuery, Ranking>();

  /** @param statistics - of the whole catalog, where the index has a part of it. */
  constructor(terms: InvertedIndex, settings: Bm25Settings, synonyms: Synonyms, statistics?: CatalogStatistics) {
    this.#terms = terms;
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#matcher = new WordMatcher(terms, settings, synonyms, statistics);
  }

  static *build(documents: readonly ToolDocument[], settings: Bm25Settings, synonyms: Synonyms): SlicedWork<Bm25Index> {
    return new Bm25Index(yield* InvertedIndex.build(documents, settings.fields), settings, synonyms);
  }

  update(added: readonly ToolDocument[], removed: readonly string[]): MaybePromise<Bm25Index | undefined> {
    return inSlices(this.#with(this.#terms.update(added, new Set(removed))));
  }

  restrictedTo(names: ReadonlySet<string>): MaybePromise<Bm25Index> {
    return inSlices(this.#with(this.#terms.restrictedTo(names))) as MaybePromise<Bm25Index>;
  }

  *#with(work: SlicedWork<InvertedIndex | undefined>): SlicedWork<Bm25Index | undefined> {
    const terms = yield* work;
    return terms && new Bm25Index(terms, this.#settings, this.#synonyms);
  }

  search(query: ToolQuery): readonly ToolMatch[] {
    return [...this.ranked(query)];
  }

  *ranked(query: ToolQuery): Iterable<ToolMatch> {
    const { ids, order } = this.#rank(query);
    for (let rank = 0, place = order.at(0); place !== undefined; place = order.at(++rank)) {
      yield { name: this.#terms.nameOf(ids[place] ?? 0), score: order.scoreOf(place) };
    }
  }

  confidence(query: ToolQuery, names: readonly string[]): readonly number[] {
    let least = NAMED_CONFIDENCE;
    return this.evidence(query, names).map((evidence) => {
      if (evidence !== undefined) least = Math.min(least, confidenceOf(evidence));
      return least;
    });
  }

  /** The evidence for each of the names, best first; undefined for one that was asked for. */
  evidence(query: ToolQuery, names: readonly string[]): readonly (Evidence | undefined)[] {
    const ranking = this.#rank(query);
    const { words, ids, coverages, order, named } = ranking;
    const shown = names.map((name) => {
      const id = this.#terms.idOf(name) ?? -1;
      const place = ids.indexOf(id);
      return place < 0
        ? { id, score: 0, coverage: 0 }
        : { id, score: order.scoreOf(place), coverage: coverages[place] ?? 0 };
    });
    const scoreAt = (rank: number): number => this.#scoreOfTool(ranking, rank);
    const evidence = evidenceOf({ words, scoreAt, shown, matcher: this.#matcher });
    return evidence.map((each, position) => (named.has(shown[position]?.id ?? -1) ? undefined : each));
  }

  explain(query: ToolQuery, name: string): MatchExplanation | undefined {
    const { words, ids, coverages, named } = this.#rank(query);
    const id = this.#terms.idOf(name);
    const place = id === undefined ? -1 : ids.indexOf(id);
    if (id === undefined || place < 0) return undefined;
    const fit: NameFit = { share: 0, strangers: 0 };
    this.#terms.nameFit(id, this.#nameWeights(words), fit);
    return {
      words: words.map((match) =>
        explainWord(match, id, this.#matcher.weightOf(match, words.length), (form) => this.#terms.fieldsOf(id, form)),
      ),
      coverage: coverages[place] ?? 0,
      nameCoverage: fit.share,
      isNamed: named.has(id),
    };
  }

  /** The score of the distinct tool of a rank, counted from 1; 0 where there are fewer. */
  #scoreOfTool({ ids, order }: Ranking, wanted: number): number {
    const tools = new Set<number>();
    for (let rank = 0, place = order.at(0); place !== undefined; place = order.at(++rank)) {
      tools.add(this.#terms.toolOf(ids[place] ?? 0));
      if (tools.size === wanted) return order.scoreOf(place);
    }
    return 0;
  }

  #rank(query: ToolQuery): Ranking {
    const cached = this.#rankings.get(query);
    if (cached) return cached;
    const read = this.#matcher.read(query.keywords);
    const words = this.#matcher.match(query.keywords, read);
    const sums = new Scores(this.#terms.documents.length);
    const covered = new Float64Array(this.#terms.documents.length);
    this.#sum(words, sums, covered);
    const best = words.length < LONG ? undefined : this.#bestSentences(longestSentences(query, read, words));
    const matching = sums.ids.slice();
    const order = this.#ordered(words, matching, sums.values, covered, best);
    const named = this.#named(query);
    const ids = this.#allowed(query, named, matching);
    const asked = this.#sizeOf(words, this.#matcher.highestIdf);
    const ranking: Ranking = {
      ...{ words, ids, named },
      coverages: valuesOf(covered, ids, asked || 1),
      order: ids === matching ? order : this.#withNamed(query, named, ids, matching, order),
    };
    this.#rankings.set(query, ranking);
    return ranking;
  }

  /**
   * The documents in the order of their scores: the sum of the words, times coverage, times the factor of the name.
   *
   * @param covered - what each document has of the query, in idf.
   * @param best - for a long query, the score of the sentence that each document answers best: one sentence of a long
   *   message asks, and the others tell what is around it. Then both are halved and added.
   */
  #ordered(
    words: readonly WordMatch[],
    ids: Uint32Array,
    sums: Float64Array,
    covered: Float64Array,
    best: Float64Array | undefined,
  ): BestFirst {
    const { coverage } = this.#settings;
    const whole = this.#sizeOf(words, 0);
    const nameFactor = this.#nameFactors(words);
    const scores = new Float64Array(ids.length);
    for (let place = 0; place < ids.length; place++) {
      const id = ids[place] ?? 0;
      const score = (sums[id] ?? 0) * ((covered[id] ?? 0) / whole) ** coverage * nameFactor(id);
      scores[place] = best ? (score + (best[id] ?? 0)) / 2 : score;
    }
    return this.#bestFirst(ids, scores);
  }

  #bestFirst(ids: Uint32Array, scores: Float64Array): BestFirst {
    return new BestFirst(scores, (place) => this.#terms.nameOf(ids[place] ?? 0));
  }

  /** Adds the scores of the words, and how much of them each document covers. */
  #sum(words: readonly WordMatch[], sums: Scores, covered: Float64Array): void {
    for (const match of words) {
      const { ids, scores, covers, idf } = match;
      const weight = this.#matcher.weightOf(match, words.length);
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at] ?? 0;
        sums.add(id, weight * (scores[at] ?? 0));
        covered[id] = (covered[id] ?? 0) + weight * idf * (covers[at] ?? 0);
      }
    }
  }

  /** The coverage of a document that has all words; a word that no document has counts `unknown`. */
  #sizeOf(words: readonly WordMatch[], unknown: number): number {
    return words.reduce(
      (size, match) => size + this.#matcher.weightOf(match, words.length) * (match.idf || unknown),
      0,
    );
  }

  /** The factor of a document's name: more for what is asked of it and for the kind of its action, less for what is not. */
  #nameFactors(words: readonly WordMatch[]): (id: number) => number {
    const { nameCoverage, fullName } = this.#settings;
    const stranger = words.length > SHORT ? 0 : this.#settings.stranger;
    const actionFactors = this.#actionFactors(words);
    const { actions } = this.#terms;
    const weights = this.#nameWeights(words);
    const fit: NameFit = { share: 0, strangers: 0 };
    return (id) => {
      this.#terms.nameFit(id, weights, fit);
      const bonus = nameCoverage * fit.share + (fit.share === 1 ? fullName : 0);
      return ((1 + bonus) * (actionFactors[actions[id] ?? 0] ?? 1)) / (1 + stranger * fit.strangers);
    };
  }

  /** What a stem of a name counts for some words, by its number. */
  #nameWeights(words: readonly WordMatch[]): Float64Array {
    const weights = new Float64Array(this.#terms.nameStems);
    for (const { nameStems } of words) {
      for (const [number, weight] of nameStems) weights[number] = Math.max(weight, weights[number] ?? 0);
    }
    return weights;
  }

  /** The factors of the kinds of action, by their number. */
  #actionFactors(words: readonly WordMatch[]): Float64Array {
    const { action, unaskedDelete } = this.#settings;
    const asked = words.find((word) => word.action !== 0)?.action ?? 0;
    const factors = new Float64Array(KINDS).fill(asked === 0 ? 1 : 1 - action);
    // A word that nothing is known of may ask for anything.
    const mayAsk = words.some((word) => word.asksToDelete || (word.idf === 0 && word.action === 0));
    if (!mayAsk) factors[DELETING] = 1 - unaskedDelete;
    factors[asked] = 1 + action;
    factors[0] = 1;
    return factors;
  }

  /** For each document, the score of the sentence that it answers best. */
  #bestSentences(sentences: readonly (readonly WordMatch[])[]): Float64Array {
    const { coverage } = this.#settings;
    const size = this.#terms.documents.length;
    const sums = new Scores(size);
    const covered = new Float64Array(size);
    const best = new Float64Array(size);
    for (const words of sentences) {
      this.#sum(words, sums, covered);
      const whole = this.#sizeOf(words, 0);
      const nameFactor = this.#nameFactors(words);
      for (const id of sums.ids) {
        const score = (sums.values[id] ?? 0) * nameFactor(id) * ((covered[id] ?? 0) / whole) ** coverage;
        if (score > (best[id] ?? 0)) best[id] = score;
        covered[id] = 0;
      }
      sums.clear();
    }
    return best;
  }

  /** The documents whose name was asked for, as a whole or by one of the words. */
  #named({ keywords }: ToolQuery): ReadonlySet<number> {
    const parts = keywords.map((keyword) => splitIdentifier(keyword));
    const named = new Set(this.#terms.spelled(parts.flat().join('')));
    for (const list of parts) if (list.length > 1) for (const id of this.#terms.spelled(list.join(''))) named.add(id);
    return named;
  }

  /** The documents that match or are named, without those that surely lack a required word: the same list where it is so. */
  #allowed({ required }: ToolQuery, named: ReadonlySet<number>, matching: Uint32Array): Uint32Array {
    const wanted = [...new Set(required)].filter((word) => !isStopWord(word.toLowerCase()));
    if (named.size === 0 && wanted.length === 0) return matching;
    const sure = wanted.flatMap((word) => this.#matcher.match([word])).map(sureOf);
    return Uint32Array.from(
      [...new Set([...matching, ...named])].filter((id) => sure.every((documents) => documents.has(id))),
    );
  }

  /** Puts tools whose name was asked for first, in the spelling that was used before others. */
  #withNamed(
    { text, keywords }: ToolQuery,
    named: ReadonlySet<number>,
    ids: Uint32Array,
    matching: Uint32Array,
    order: BestFirst,
  ): BestFirst {
    const first = order.at(0);
    const best = (first === undefined ? 0 : order.scoreOf(first)) || 1;
    const before = new Map(Array.from(matching, (id, place) => [id, order.scoreOf(place)]));
    const scores = new Float64Array(ids.length);
    for (const [place, id] of ids.entries()) {
      const name = this.#terms.nameOf(id);
      const bonus = named.has(id) ? (name === text || keywords.includes(name) ? 2 : 1) * best : 0;
      scores[place] = (before.get(id) ?? 0) + bonus;
    }
    return this.#bestFirst(ids, scores);
  }
}

/** The values of some documents, divided. A loop: `Float64Array.from` takes the detour of an iterator. */
function valuesOf(all: Float64Array, ids: Uint32Array, divisor: number): Float64Array {
  const values = new Float64Array(ids.length);
  for (let at = 0; at < ids.length; at++) values[at] = (all[ids[at] ?? 0] ?? 0) / divisor;
  return values;
}

/** The documents that surely have a required word. */
function sureOf({ ids, covers }: WordMatch): ReadonlySet<number> {
  return new Set(ids.filter((_, place) => (covers[place] ?? 0) >= SURE));
}

/**
 * The matches of a query's longest sentences, out of those of the whole: the longest first, as those after it raise little.
 *
 * @param read - the words of each keyword of the query.
 */
function longestSentences(
  query: ToolQuery,
  read: readonly (readonly string[])[],
  matches: readonly WordMatch[],
): readonly (readonly WordMatch[])[] {
  const byWord = new Map(matches.map((match) => [match.word, match]));
  let start = 0;
  return querySentences(query)
    .map(({ length }) => {
      const list = read.slice(start, start + length).flat();
      start += length;
      return [...new Set(list)].flatMap((word) => byWord.get(word) ?? []);
    })
    .filter(({ length }) => length >= MIN_WORDS)
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_SENTENCES);
}

/**
 * Places in the order of their scores, best first, ties by name in code unit order. They come from a heap: mostly only the
 * first few of thousands are looked at.
 */
export class BestFirst {
  readonly #scores: Float64Array;
  readonly #nameAt: (place: number) => string;
  readonly #heap: Uint32Array;
  #size: number;
  /** The places that have left the heap, best first. */
  readonly #order: number[] = [];

  /** @param scores - by place. */
  constructor(scores: Float64Array, nameAt: (place: number) => string) {
    this.#scores = scores;
    this.#nameAt = nameAt;
    this.#size = scores.length;
    this.#heap = new Uint32Array(this.#size);
    for (let place = 0; place < this.#size; place++) this.#heap[place] = place;
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(this.#heap[at] ?? 0, at);
  }

  /** The place of a rank, counted from 0; undefined behind the last one. */
  at(rank: number): number | undefined {
    while (this.#order.length <= rank && this.#size > 0) {
      this.#order.push(this.#heap[0] ?? 0);
      const last = this.#heap[--this.#size] ?? 0;
      if (this.#size > 0) this.#sink(last, 0);
    }
    return this.#order[rank];
  }

  scoreOf(place: number): number {
    return this.#scores[place] ?? 0;
  }

  #sink(place: number, from: number): void {
    const heap = this.#heap;
    let hole = from;
    for (let child = 2 * hole + 1; child < this.#size; child = 2 * hole + 1) {
      if (child + 1 < this.#size && this.#isBefore(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
      if (!this.#isBefore(heap[child] ?? 0, place)) break;
      heap[hole] = heap[child] ?? 0;
      hole = child;
    }
    heap[hole] = place;
  }

  #isBefore(first: number, second: number): boolean {
    const difference = this.scoreOf(first) - this.scoreOf(second);
    return difference === 0 ? this.#nameAt(first) < this.#nameAt(second) : difference > 0;
  }
}
