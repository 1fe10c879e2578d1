import type { ToolDocument } from '../../catalog/document.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { inSlices, type SlicedWork } from '../../util/time-slices.ts';
import type { IncrementalIndex } from '../incremental-index.ts';
import { bestPlaces } from '../ranking.ts';
import type { MatchExplanation, ToolMatch } from '../scorer.ts';
import { DELETING } from '../words/actions.ts';
import type { ToolQuery } from '../words/query.ts';
import { sentencesOf } from '../words/query-sentences.ts';
import { isStopWord } from '../words/stem.ts';
import type { Synonyms } from '../words/thesaurus/synonyms.ts';
import { splitIdentifier } from '../words/words.ts';
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
/** Kinds of action that fit in a byte. */
const KINDS = 256;

/** The ranking of one query: kept as long as the query object lives, for its confidence and explanation. */
interface Ranking {
  readonly words: readonly WordMatch[];
  /** Documents, and for each its score, and the share of the query that it covers. */
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
  readonly coverages: Float64Array;
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
    const { ids, scores } = this.#rank(query);
    const nameAt = (place: number): string => this.#terms.nameOf(ids[place] ?? 0);
    for (const place of bestPlaces(scores, nameAt)) yield { name: nameAt(place), score: scores[place] ?? 0 };
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
    const { words, ids, scores, coverages, named } = this.#rank(query);
    const shown = names.map((name) => {
      const id = this.#terms.idOf(name) ?? -1;
      const place = ids.indexOf(id);
      return { id, score: scores[place] ?? 0, coverage: coverages[place] ?? 0 };
    });
    const distinct = this.#terms.bestOfCopies(ids, scores);
    const evidence = evidenceOf({ words, scores: distinct, shown, matcher: this.#matcher });
    return evidence.map((each, position) => (named.has(shown[position]?.id ?? -1) ? undefined : each));
  }

  explain(query: ToolQuery, name: string): MatchExplanation | undefined {
    const { words, ids, scores, coverages, named } = this.#rank(query);
    const id = this.#terms.idOf(name);
    const place = id === undefined ? -1 : ids.indexOf(id);
    if (id === undefined || !scores[place]) return undefined;
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

  #rank(query: ToolQuery): Ranking {
    const cached = this.#rankings.get(query);
    if (cached) return cached;
    const read = this.#matcher.read(query.keywords);
    const words = this.#matcher.match(query.keywords, read);
    const covered = new Float64Array(this.#terms.documents.length);
    const scores = this.#combined(words, covered);
    if (words.length >= LONG) this.#addBestSentence(scores, longestSentences(query, read, words));
    const named = this.#addNamed(query, scores);
    for (const word of new Set(query.required)) {
      if (!isStopWord(word.toLowerCase())) for (const match of this.#matcher.match([word])) require(scores, match);
    }
    const ids = scores.ids.slice();
    const asked = this.#sizeOf(words, this.#matcher.highestIdf);
    const ranking: Ranking = {
      ...{ words, ids, named },
      scores: valuesOf(scores.values, ids, 1),
      coverages: valuesOf(covered, ids, asked || 1),
    };
    this.#rankings.set(query, ranking);
    return ranking;
  }

  /** The score of each document that has a word. `covered` is what it has of the query, in idf. */
  #combined(words: readonly WordMatch[], covered: Float64Array): Scores {
    const scores = new Scores(this.#terms.documents.length);
    this.#sum(words, scores, covered);
    // Words that no document has make no difference between documents.
    const whole = this.#sizeOf(words, 0);
    const { coverage } = this.#settings;
    const nameFactor = this.#nameFactors(words);
    scores.change((id, sum) => sum * ((covered[id] ?? 0) / whole) ** coverage * nameFactor(id));
    return scores;
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

  /**
   * Adds to the score of each document that of the sentence which it answers best, and halves both: one sentence of a long
   * message asks, and the others tell what is around it.
   */
  #addBestSentence(scores: Scores, sentences: readonly (readonly WordMatch[])[]): void {
    const { coverage, nameCoverage, fullName, action } = this.#settings;
    const highestFactor = (1 + (nameCoverage + fullName)) * (1 + action);
    const size = this.#terms.documents.length;
    const sums = new Scores(size);
    const covered = new Float64Array(size);
    const best = new Float64Array(size);
    for (const words of sentences) {
      this.#sum(words, sums, covered);
      const whole = this.#sizeOf(words, 0);
      const nameFactor = this.#nameFactors(words);
      for (const id of sums.ids) {
        const before = best[id] ?? 0;
        const share = (covered[id] ?? 0) / whole;
        covered[id] = 0;
        // Most need no power, as that of a share is at most its tangent at 1, and no factor.
        const most = (sums.values[id] ?? 0) * (1 + coverage * (share - 1));
        if (most * highestFactor <= before) continue;
        const raised = nameFactor(id);
        if (most * raised > before) best[id] = Math.max(before, (sums.values[id] ?? 0) * raised * share ** coverage);
      }
      sums.clear();
    }
    scores.change((id, score) => (score + (best[id] ?? 0)) / 2);
  }

  /** Puts tools whose name was asked for first, in the spelling that was used before others. */
  #addNamed({ text, keywords }: ToolQuery, scores: Scores): ReadonlySet<number> {
    let best = 0;
    for (const id of scores.ids) best = Math.max(best, scores.values[id] ?? 0);
    const parts = keywords.map((keyword) => splitIdentifier(keyword));
    const named = new Set(this.#terms.spelled(parts.flat().join('')));
    for (const list of parts) if (list.length > 1) for (const id of this.#terms.spelled(list.join(''))) named.add(id);
    for (const id of named) {
      const name = this.#terms.nameOf(id);
      const isLiteral = name === text || keywords.includes(name);
      scores.add(id, (isLiteral ? 2 : 1) * (best || 1));
    }
    return named;
  }
}

/** The values of some documents, divided. A loop: `Float64Array.from` takes the detour of an iterator. */
function valuesOf(all: Float64Array, ids: Uint32Array, divisor: number): Float64Array {
  const values = new Float64Array(ids.length);
  for (let at = 0; at < ids.length; at++) values[at] = (all[ids[at] ?? 0] ?? 0) / divisor;
  return values;
}

/** Keeps only the documents that surely have a required word. */
function require(scores: Scores, { ids, covers }: WordMatch): void {
  const sure = new Set(ids.filter((_, place) => (covers[place] ?? 0) >= SURE));
  scores.change((id, score) => (sure.has(id) ? score : 0));
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
  return sentencesOf(query)
    .map(({ length }) => {
      const list = read.slice(start, start + length).flat();
      start += length;
      return [...new Set(list)].flatMap((word) => byWord.get(word) ?? []);
    })
    .filter(({ length }) => length >= MIN_WORDS)
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_SENTENCES);
}
