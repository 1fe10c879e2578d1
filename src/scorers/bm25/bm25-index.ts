import type { ToolDocument } from '../../catalog/document.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { inSlices, type SlicedWork } from '../../util/time-slices.ts';
import type { IncrementalIndex } from '../incremental-index.ts';
import { bestPlaces } from '../ranking.ts';
import type { MatchExplanation, ToolMatch } from '../scorer.ts';
import type { ToolQuery } from '../words/query.ts';
import { isStopWord } from '../words/stem.ts';
import type { Synonyms } from '../words/thesaurus/synonyms.ts';
import { splitIdentifier } from '../words/words.ts';
import { SURE } from './asked.ts';
import { confidenceOf, type Evidence } from './confidence.ts';
import { evidenceOf } from './evidence.ts';
import { explainWord } from './explain-word.ts';
import { longestSentences } from './longest-sentences.ts';
import { MatchCache, type WordMatch } from './match-cache.ts';
import { highestFactor, nameFactors } from './name-factors.ts';
import { NameFits } from './name-fits.ts';
import type { Bm25Settings } from './settings.ts';
import type { CatalogStatistics } from './statistics.ts';
import { Tally } from './tally.ts';
import { TermIndex } from './term-index.ts';
import { type Shared, WordMatcher } from './word-matcher.ts';
import { Workspaces } from './workspace.ts';

/** Words of a long query, as a pasted message is: its sentences count by themselves as well. */
const LONG = 14;
/** A tool whose name was asked for is what was meant. */
const NAMED_CONFIDENCE = 0.99;

/** The findings of a query: kept as long as the query object lives, for its confidence and explanation. */
interface Evaluation {
  readonly words: readonly WordMatch[];
  /** Documents, and for each its score, and how much of the query it covers. */
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
  readonly coverages: Float64Array;
  /** Documents whose name was asked for. */
  readonly named: ReadonlySet<number>;
}

/** What the indexes of one scorer share. */
export function sharedBy(settings: Bm25Settings, synonyms: Synonyms): Shared {
  return { settings, synonyms, matches: new MatchCache(), workspaces: new Workspaces() };
}

/** The index of `bm25Scorer()`. It runs in browsers too. */
export class Bm25Index implements IncrementalIndex {
  readonly #shared: Shared;
  readonly terms: TermIndex;
  readonly #matcher: WordMatcher;
  readonly #nameFits: NameFits;
  readonly #evaluations = new WeakMap<ToolQuery, Evaluation>();

  constructor(terms: TermIndex, shared: Shared, statistics?: CatalogStatistics) {
    this.#shared = shared;
    this.terms = terms;
    this.#matcher = new WordMatcher(terms, shared, statistics);
    this.#nameFits = new NameFits(terms);
  }

  static *build(documents: readonly ToolDocument[], shared: Shared): SlicedWork<Bm25Index> {
    return new Bm25Index(yield* TermIndex.build(documents, shared.settings.fields), shared);
  }

  update(added: readonly ToolDocument[], removed: readonly string[]): MaybePromise<Bm25Index | undefined> {
    return inSlices(this.#updated(added, removed));
  }

  *#updated(added: readonly ToolDocument[], removed: readonly string[]): SlicedWork<Bm25Index | undefined> {
    const terms = yield* this.terms.update(added, removed);
    return terms && new Bm25Index(terms, this.#shared);
  }

  restrictedTo(names: ReadonlySet<string>): MaybePromise<Bm25Index> {
    return inSlices(this.#restrictedTo(names));
  }

  *#restrictedTo(names: ReadonlySet<string>): SlicedWork<Bm25Index> {
    return new Bm25Index(yield* this.terms.restrictedTo(names), this.#shared);
  }

  search(query: ToolQuery): readonly ToolMatch[] {
    return [...this.ranked(query)];
  }

  *ranked(query: ToolQuery): Iterable<ToolMatch> {
    const { ids, scores } = this.#evaluate(query);
    const nameAt = (place: number): string => this.terms.nameOf(ids[place] ?? 0);
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
    const { words, ids, scores, coverages, named } = this.#evaluate(query);
    const shown = names.map((name) => {
      const id = this.terms.idOf(name) ?? -1;
      const place = ids.indexOf(id);
      return { id, score: scores[place] ?? 0, coverage: coverages[place] ?? 0 };
    });
    const { highestIdf } = this.#matcher;
    const evidence = evidenceOf({
      ...{ words, scores, shown, highestIdf },
      weightOf: (match) => this.#matcher.weightOf(match, words.length),
      size: this.#matcher.counts.size,
    });
    return evidence.map((each, position) => (named.has(shown[position]?.id ?? -1) ? undefined : each));
  }

  explain(query: ToolQuery, name: string): MatchExplanation | undefined {
    const evaluation = this.#evaluate(query);
    const { words, named } = evaluation;
    const id = this.terms.idOf(name);
    const place = id === undefined ? -1 : evaluation.ids.indexOf(id);
    if (id === undefined || !evaluation.scores[place]) return undefined;
    return {
      words: words.map((match) => explainWord(match, id, words.length, this.#matcher)),
      coverage: evaluation.coverages[place] ?? 0,
      nameCoverage: this.#nameFits.with(words, (fitOf) => fitOf(id).share),
      isNamed: named.has(id),
    };
  }

  #evaluate(query: ToolQuery): Evaluation {
    const cached = this.#evaluations.get(query);
    if (cached) return cached;
    const read = this.#matcher.read(query.keywords);
    const words = this.#matcher.match(query.keywords, read);
    const { sums, covered } = this.#combine(words);
    if (words.length >= LONG) this.#addBestSentence(sums, longestSentences(query, read, words));
    const named = this.#addNamed(query, sums);
    for (const word of new Set(query.required)) {
      if (!isStopWord(word.toLowerCase()))
        for (const match of this.#matcher.match([word])) sums.keepOnly(sureOnes(match));
    }
    const ids = sums.idsSoFar().slice();
    const asked = this.#sizeOf(words, this.#matcher.highestIdf);
    // A loop: `Float64Array.from` takes the detour of an iterator, a tenth of a search.
    const coverages = new Float64Array(ids.length);
    if (asked > 0) for (let at = 0; at < ids.length; at++) coverages[at] = (covered[ids[at] ?? 0] ?? 0) / asked;
    const evaluation: Evaluation = { words, ids, scores: sums.of(ids), coverages, named };
    this.#evaluations.set(query, evaluation);
    return evaluation;
  }

  /** Sums the scores of the words, raised for what a document covers of the query and the query of its name. */
  #combine(words: readonly WordMatch[]): { sums: Tally; covered: Float64Array } {
    const { coverage } = this.#shared.settings;
    const tally = new Tally(this.terms.end);
    const { sums } = tally;
    const covered = new Float64Array(this.terms.end);
    this.#sum(words, tally, covered);
    // Words that no document has make no difference between documents.
    const whole = this.#sizeOf(words, 0);
    this.#withFactors(words, (factor) => {
      for (const id of tally.idsSoFar()) {
        sums[id] = (sums[id] ?? 0) * ((covered[id] ?? 0) / whole) ** coverage * factor(id);
      }
    });
    return { sums: tally, covered };
  }

  /** Adds the scores of the words, and how much of them each document covers. */
  #sum(words: readonly WordMatch[], tally: Tally, covered: Float64Array): void {
    for (const match of words) {
      const { ids, scores, covers, idf } = match;
      const weight = this.#matcher.weightOf(match, words.length);
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at] ?? 0;
        tally.add(id, weight * (scores[at] ?? 0));
        covered[id] = (covered[id] ?? 0) + weight * idf * (covers[at] ?? 0);
      }
    }
  }

  /** Does something with a function that gives a document's factor for its name. */
  #withFactors(words: readonly WordMatch[], use: (factor: (id: number) => number) => void): void {
    const actionOf = this.terms.actions();
    this.#nameFits.with(words, (fitOf) => use(nameFactors(words, fitOf, actionOf, this.#shared.settings)));
  }

  /**
   * Adds to the score of each document that of the sentence which it answers best, and halves both: one sentence of a long
   * message asks, and the others tell what is around it.
   */
  #addBestSentence(scores: Tally, sentences: readonly (readonly WordMatch[])[]): void {
    const { coverage } = this.#shared.settings;
    const highest = highestFactor(this.#shared.settings);
    const tally = new Tally(this.terms.end);
    const { sums } = tally;
    const covered = new Float64Array(this.terms.end);
    const best = new Float64Array(this.terms.end);
    for (const words of sentences) {
      this.#sum(words, tally, covered);
      const whole = this.#sizeOf(words, 0);
      this.#withFactors(words, (factor) => {
        for (const id of tally.idsSoFar()) {
          const before = best[id] ?? 0;
          const share = (covered[id] ?? 0) / whole;
          covered[id] = 0;
          // Most need no power, as that of a share is at most its tangent at 1, and no factor.
          const most = (sums[id] ?? 0) * (1 + coverage * (share - 1));
          if (most * highest <= before) continue;
          const raised = factor(id);
          if (most * raised > before) best[id] = Math.max(before, (sums[id] ?? 0) * raised * share ** coverage);
        }
      });
      tally.clear();
    }
    for (const id of scores.idsSoFar()) scores.sums[id] = ((scores.sums[id] ?? 0) + (best[id] ?? 0)) / 2;
  }

  /** The coverage of a document that has all words; a word that no document has counts `unknown`. */
  #sizeOf(words: readonly WordMatch[], unknown: number): number {
    return words.reduce(
      (size, match) => size + this.#matcher.weightOf(match, words.length) * (match.idf || unknown),
      0,
    );
  }

  /** Puts tools whose name was asked for first, in the spelling that was used before others. */
  #addNamed({ text, keywords }: ToolQuery, sums: Tally): Set<number> {
    let best = 0;
    for (const id of sums.idsSoFar()) best = Math.max(best, sums.sums[id] ?? 0);
    const parts = keywords.map((keyword) => splitIdentifier(keyword));
    const named = new Set(this.terms.spelled(parts.flat().join('')));
    for (const list of parts) if (list.length > 1) for (const id of this.terms.spelled(list.join(''))) named.add(id);
    for (const id of named) {
      const name = this.terms.nameOf(id);
      const isLiteral = name === text || keywords.includes(name);
      sums.add(id, (isLiteral ? 2 : 1) * (best || 1));
    }
    return named;
  }
}

/** Documents that surely have a required word. */
function sureOnes({ ids, covers }: WordMatch): Set<number> {
  return new Set(ids.filter((_, place) => (covers[place] ?? 0) >= SURE));
}
