import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { lazyRegex } from '../../util/text.ts';
import { inSlices, type SlicedWork } from '../../util/time-slices.ts';
import { isStopWord, splitIdentifier } from '../../util/words.ts';
import { confidencesBy, RATED, type RatedEvidence } from '../confidence.ts';
import type { ToolDocument } from '../document.ts';
import type { IncrementalIndex, MatchExplanation, ToolMatch, ToolScorer, WordExplanation } from '../scorer.ts';
import { checkWeights } from '../weights.ts';
import { appsIn } from '../words/apps.ts';
import type { ToolQuery } from '../words/query.ts';
import { checkedGroups, type SynonymGroup } from '../words/thesaurus/groups.ts';
import { builtInSynonyms, keyedGroups, Synonyms } from '../words/thesaurus/synonyms.ts';
import { Contest } from './contest.ts';
import { BM25_MODELS, type Evidence, type VerdictEvidence } from './evidence.ts';
import { Fit, LONG, sentencesAsked, type Wish } from './fit.ts';
import { InvertedIndex } from './inverted-index.ts';
import { type Bm25Settings, type CatalogStatistics, DEFAULT_SETTINGS, FIELDS, type Field } from './settings.ts';
import { Scores, SURE, type WordMatch, WordMatcher } from './word-match.ts';

/**
 * The options of `bm25Scorer`.
 *
 * @example
 * ```ts
 * const options: Bm25ScorerOptions = { boosts: { description: 0.4, parameterDescriptions: 0 } };
 * bm25Scorer(options);
 * ```
 */
export interface Bm25ScorerOptions {
  /**
   * Factors for matches in each field. 1 is neutral, 0 leaves the field out.
   *
   * @default name 3, keywords 2, title 1, summary (the first sentence of the description) 1, description (the rest)
   * 0.7, parameters (their names) 0.4, parameterDescriptions (enum values and the hints of MCP servers too) 0.2, server
   * (the name of the MCP server, or of the group) 2
   */
  readonly boosts?: Partial<Readonly<Record<Field, number>>>;
  /** Words that mean alike; replaces the built-in vocabulary. @default toolSynonyms */
  readonly synonyms?: readonly SynonymGroup[];
}

const fieldNames = Object.fromEntries(FIELDS.map((field) => [field, true as const]));
const optionNames: NamesOf<Bm25ScorerOptions> = { boosts: fieldNames, synonyms: true };

/**
 * Ranks by BM25F over the words of names, descriptions and parameters. `search.embedder: false` uses this scorer.
 *
 * Identifiers are split into words. Words also match by their English stem and by a vocabulary of tools (`pr` and pull
 * request, create and add), for less than the word itself. A word that the catalog lacks is matched by its beginning or
 * with a few wrong letters. A query that is a tool's name, in any spelling, ranks that tool first.
 *
 * @throws ToolSearchError `invalid-option` for an unknown option, a boost that is no finite number of at least 0, or
 * invalid synonyms.
 *
 * @example
 * ```ts
 * const scorer = bm25Scorer({ boosts: { keywords: 3 }, synonyms: [...toolSynonyms, { words: ['pto', 'vacation'] }] });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function bm25Scorer(options: Bm25ScorerOptions = {}): ToolScorer {
  const { key, index } = bm25Builder('bm25Scorer', options);
  return { name: 'bm25', key, givesConfidence: true, index };
}

/** Builds indexes with the options of `bm25Scorer`. Builders with one `key` index the same tools alike. */
export interface Bm25Builder {
  readonly key: string;
  index(documents: readonly ToolDocument[]): MaybePromise<Bm25Index>;
}

/**
 * @param scorer - the function that takes the options, named in error messages.
 * @throws ToolSearchError `invalid-option`
 */
export function bm25Builder(scorer: string, options: Bm25ScorerOptions): Bm25Builder {
  refuseUnknownOptions(scorer, options, optionNames);
  checkWeights('boosts', options.boosts);
  const { fields } = DEFAULT_SETTINGS;
  const weights = { ...fields };
  for (const [field, boost] of Object.entries(options.boosts ?? {})) {
    weights[field as Field] = { ...fields[field as Field], boost };
  }
  const settings: Bm25Settings = { ...DEFAULT_SETTINGS, fields: weights };
  const groups = options.synonyms === undefined ? undefined : checkedGroups(options.synonyms);
  let synonyms: Synonyms | undefined;
  return {
    key: JSON.stringify(['bm25', weights, groups]),
    index: (documents) => {
      // Reading the synonyms takes a millisecond: an agent that never searches does not need them.
      synonyms ??= groups ? new Synonyms(keyedGroups(groups)) : builtInSynonyms();
      return inSlices(Bm25Index.build(documents, settings, synonyms));
    },
  };
}

/** The ranking of one query, cached for its confidence and explanation as long as the query object lives. */
interface Ranking {
  readonly words: readonly WordMatch[];
  /** By document: the score (0 if not found), and the summed idf of the query words that it has. */
  readonly scores: Float64Array;
  readonly covered: Float64Array;
  readonly ids: readonly number[];
  /** Documents by descending score: those sorted so far, and an iterator over the rest. */
  readonly order: { readonly read: number[]; readonly rest: Iterator<number> };
  /** Documents that the query names; true if the name can mean no other tool. */
  readonly named: ReadonlyMap<number, boolean>;
  readonly requires: boolean;
}

/** The word ranking of one query, by document number. `FusedIndex` adds meaning to it. */
export interface WordScores {
  /** Documents that have one of the words, best first. Sorted lazily, as far as they are read. */
  readonly found: Iterable<number>;
  /** 0 for a document that is not found. */
  readonly scores: Float64Array;
  /** Documents that the query names; true if the name can mean no other tool. */
  readonly named: Pick<ReadonlyMap<number, boolean>, 'has' | 'get'>;
  /** The kind of action that the query asks for; 0 for none. */
  readonly action: number;
  /** Whether the query has required words (`+word`) that are no stop words. */
  readonly requires: boolean;
  /** The share of the query that a document covers, from 0 to 1. */
  coverageOf(id: number): number;
}

/**
 * The index of `bm25Scorer()`. It is immutable, serves any number of searches at once, and runs in browsers too.
 *
 * The score of a tool is the sum over the words of the query of BM25F's (Robertson, Zaragoza, Taylor 2004: "Simple BM25
 * extension to multiple weighted fields"), times four factors: coverage, the share of the query that the tool has, each
 * word weighing its idf; its name's fit to the query; the kind of action that its name says; and whether the query
 * names its server.
 */
export class Bm25Index implements IncrementalIndex {
  readonly #terms: InvertedIndex;
  readonly #settings: Bm25Settings;
  readonly #synonyms: Synonyms;
  readonly #matcher: WordMatcher;
  readonly #fit: Fit;
  readonly #rankings = new WeakMap<ToolQuery, Ranking>();

  /** @param statistics - figures of the whole catalog, if the index holds only a part of it. */
  constructor(terms: InvertedIndex, settings: Bm25Settings, synonyms: Synonyms, statistics?: CatalogStatistics) {
    this.#terms = terms;
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#matcher = new WordMatcher(terms, settings, synonyms, statistics);
    this.#fit = new Fit(terms, settings, statistics);
  }

  static *build(documents: readonly ToolDocument[], settings: Bm25Settings, synonyms: Synonyms): SlicedWork<Bm25Index> {
    return new Bm25Index(yield* InvertedIndex.build(documents, settings.fields), settings, synonyms);
  }

  *#rebuilt(documents: readonly ToolDocument[]): SlicedWork<Bm25Index> {
    return new Bm25Index(yield* this.#terms.rebuilt(documents), this.#settings, this.#synonyms);
  }

  update(added: readonly ToolDocument[], removed: readonly string[]): MaybePromise<Bm25Index> {
    const gone = new Set(removed);
    return inSlices(this.#rebuilt([...this.#terms.documents.filter(({ name }) => !gone.has(name)), ...added]));
  }

  restrictedTo(names: ReadonlySet<string>): MaybePromise<Bm25Index> {
    return inSlices(this.#rebuilt(this.#terms.documents.filter(({ name }) => names.has(name))));
  }

  search(query: ToolQuery): readonly ToolMatch[] {
    return [...this.ranked(query)];
  }

  *ranked(query: ToolQuery): Iterable<ToolMatch> {
    const ranking = this.#rank(query);
    for (const id of inOrder(ranking)) yield { name: this.#terms.nameOf(id), score: ranking.scores[id] ?? 0 };
  }

  /** The number of a document in {@link WordScores}. */
  idOf(name: string): number | undefined {
    return this.#terms.idOf(name);
  }

  /**
   * The query's text for the word table. A hyphenated compound that the index reads as one word (`on-call`) is one word
   * here.
   */
  textOf({ keywords }: ToolQuery): string {
    const read = this.#matcher.read(keywords);
    const texts = keywords.map((keyword, at) => {
      const [word = keyword, ...others] = read[at] ?? [];
      return keyword.includes('-') && others.length === 0 ? word : keyword;
    });
    return texts.join(' ');
  }

  wordScores(query: ToolQuery): WordScores {
    const ranking = this.#rank(query);
    const { words, scores, named, requires } = ranking;
    return {
      found: { [Symbol.iterator]: () => inOrder(ranking)[Symbol.iterator]() },
      ...{ scores, named, requires },
      action: words.find(({ action }) => action !== 0)?.action ?? 0,
      coverageOf: (id) => this.#coverageOf(ranking, id),
    };
  }

  confidence(query: ToolQuery, names: readonly string[]): readonly number[] {
    return confidencesBy(this.evidence(query, names), BM25_MODELS);
  }

  /** The evidence for the confidences of `names`, which are ranked best first. */
  evidence(query: ToolQuery, names: readonly string[]): RatedEvidence<Evidence, VerdictEvidence> {
    const ranking = this.#rank(query);
    const ids = names.map((name) => this.#terms.idOf(name) ?? -1);
    const scoreOf = (place: number): number => ranking.scores[ids[place] ?? -1] ?? 0;
    const [best, second] = [scoreOf(0), scoreOf(1)];
    const { worth, wholeness, ...verdict } = this.#bestMatch(ranking, ids.slice(0, RATED), valuesAmong(query.keywords));
    const noise = Math.max(NOISE.least, Math.min(NOISE.most, Math.ceil(NOISE.share * this.#matcher.size)));
    const contrast = best === 0 ? 0 : Math.max(0, 1 - this.#scoreOfTool(ranking, noise) / best);
    // A single result leads nothing, so its coverage stands in for the lead.
    const lead = names.length === 1 ? this.#coverageOf(ranking, ids[0] ?? -1) : Math.max(0, 1 - second / best);
    const each = ids.map((id, place) => {
      if (ranking.named.get(id)) return undefined;
      if (best === 0) return { strength: 0, ratio: 0, lead: 0, contrast: 0, wholeness: 0 };
      const ratio = scoreOf(place) / best;
      const strength = Math.log1p(SCALE * worth * ratio);
      return { strength, ratio, lead: place === 0 ? lead : 0, contrast, wholeness };
    });
    const isMatch = best > 0 && each[0] !== undefined;
    const onlyWords = this.#onlyWordsOf(ranking, ids);
    if (!isMatch) return { each, onlyWords };
    const app = this.unmentionedApp(query) === undefined ? 1 : 0;
    return { each, onlyWords, together: { ...verdict, deed: this.#deedOf(ranking, ids[0] ?? -1), app } };
  }

  /**
   * For each document, the only telling query word that it has; undefined if it has several, or the query has fewer
   * than two.
   */
  #onlyWordsOf({ words }: Ranking, ids: readonly number[]): readonly (string | undefined)[] {
    const telling = words.filter(({ isFiller }) => !isFiller);
    if (telling.length < 2) return ids.map(() => undefined);
    const found = telling.map((match) => ({ word: match.word, ids: new Set(match.ids) }));
    return ids.map((id) => {
      const [only, ...others] = found.filter((match) => match.ids.has(id));
      return others.length > 0 ? undefined : only?.word;
    });
  }

  /**
   * Evidence about the best match. `worth` is its score, lower where the catalog lacks words of the query, in units of
   * a word that no tool has; `BEYOND` further tools are assumed. The other figures are described in {@link Evidence}
   * and {@link VerdictEvidence}.
   *
   * @param shown - the matches that are judged together, best first.
   * @param values - query words that look like names, numbers or addresses. Most are argument values, which no tool's
   * text has.
   */
  #bestMatch(
    { words, scores }: Ranking,
    shown: readonly number[],
    values: ReadonlySet<string>,
  ): { worth: number } & Pick<Evidence, 'wholeness'> & Pick<VerdictEvidence, 'breadth' | 'kept'> {
    const { size, highestIdf } = this.#matcher;
    const [best = -1] = shown;
    const rarer = Math.log(1 + BEYOND / (size + 1));
    let [found, raised, known, asked, lost, lostByAll] = [0, 0, 0, 0, 0, 0];
    let [telling, had] = [0, 0];
    for (const match of words) {
      const { ids, idf, scores: all, covers } = match;
      if (match.isFiller && idf === 0) continue;
      const places = shown.map((id) => ids.indexOf(id));
      const [place = -1] = places;
      const cover = covers[place] ?? 0;
      const weight = this.#matcher.weightOf(match, words.length);
      const own = weight * (all[place] ?? 0);
      const distinctive = weight * ((idf || highestIdf) + rarer);
      found += own;
      raised += own * (1 + rarer / (idf || highestIdf));
      if (idf > 0) known += distinctive;
      asked += distinctive;
      lost = Math.max(lost, distinctive * (1 - cover));
      lostByAll = Math.max(lostByAll, distinctive * (1 - Math.max(...places.map((each) => covers[each] ?? 0))));
      const isHad = cover >= HALF;
      if (match.isFiller || (values.has(match.word) && !isHad)) continue;
      telling += 1;
      if (isHad) had += 1;
    }
    const breadth = telling > 1 && had <= 1 ? 0 : 1;
    if (asked === 0) return { worth: 0, wholeness: 0, breadth, kept: 0 };
    const rise = found > 0 ? raised / found : 1;
    const worth = ((scores[best] ?? 0) * rise * known) / asked / (highestIdf + rarer);
    return { worth, wholeness: 1 - lost / asked, breadth, kept: 1 - lostByAll / asked };
  }

  /** How well the verb in a document's name fits the asked action; see {@link VerdictEvidence}. */
  #deedOf({ words }: Ranking, id: number): number {
    const asked = words.find(({ action }) => action !== 0)?.action ?? 0;
    const kind = this.#terms.actions[id] ?? 0;
    if (asked === 0) return 0;
    return kind === asked ? 1 : kind === 0 ? NO_VERB : -1;
  }

  explain(query: ToolQuery, name: string): MatchExplanation | undefined {
    const ranking = this.#rank(query);
    const { words, scores, named } = ranking;
    const id = this.#terms.idOf(name);
    if (id === undefined || scores[id] === 0) return undefined;
    return {
      words: words.map((match) =>
        explainWord(match, id, this.#matcher.weightOf(match, words.length), (form) => this.#terms.fieldsOf(id, form)),
      ),
      coverage: this.#coverageOf(ranking, id),
      nameCoverage: (this.#fit.nameSums(words)[id] ?? 0) / (this.#terms.nameSizes[id] || 1),
      isNamed: named.has(id),
    };
  }

  /** The first app that a query names and that no tool mentions, as the query writes it. */
  unmentionedApp({ keywords }: ToolQuery): string | undefined {
    return appsIn(keywords).find(({ words }) => !this.#matcher.mentions(words))?.name;
  }

  /** For thousands of queries, each asking which tools score at least as high as a given one; see {@link Contest}. */
  contest(): Contest {
    return new Contest(this.#terms, this.#settings, this.#matcher, this.#fit);
  }

  #coverageOf({ words, scores, covered }: Ranking, id: number): number {
    return (scores[id] ?? 0) === 0
      ? 0
      : (covered[id] ?? 0) / (this.#matcher.sizeOf(words, this.#matcher.highestIdf) || 1);
  }

  /** The score at a rank, counted from 1; 0 if there are fewer tools. Copies of a tool share a rank. */
  #scoreOfTool(ranking: Ranking, wanted: number): number {
    const tools = new Set<number>();
    for (const id of inOrder(ranking)) {
      if (tools.add(this.#terms.toolOf(id)).size === wanted) return ranking.scores[id] ?? 0;
    }
    return 0;
  }

  #rank(query: ToolQuery): Ranking {
    const known = this.#rankings.get(query);
    if (known) return known;
    const read = this.#matcher.read(query.keywords);
    const words = this.#matcher.match(query.keywords, read);
    const wish = this.#fit.wishOf(query, read);
    const { scores, covered } = this.#scoresOf(words, wish);
    const { values } = scores;
    if (words.length >= LONG) this.#addSentences(scores, sentencesAsked(query, read, words), wish);
    const named = this.#fit.named(query);
    if (named.size > 0) {
      // Named tools come first, the exact spelling before others.
      const best = scores.ids.reduce((most, id) => Math.max(most, values[id] ?? 0), 0) || 1;
      for (const id of named.keys()) scores.add(id, this.#fit.bonusOf(id, query) * best);
    }
    const required = new Set(query.required.filter((word) => !isStopWord(word.toLowerCase())));
    for (const { ids, covers } of [...required].flatMap((word) => this.#matcher.match([word]))) {
      const sure = new Set(ids.filter((_, at) => (covers[at] ?? 0) >= SURE));
      for (const id of scores.ids) if (!sure.has(id)) values[id] = 0;
    }
    const ids = required.size > 0 ? scores.ids.filter((id) => values[id] !== 0) : scores.ids;
    const rest = rankedIds(ids, values, (id) => this.#terms.nameOf(id));
    const ranking: Ranking = {
      words,
      scores: values,
      covered,
      ids,
      order: { read: [], rest },
      named,
      requires: required.size > 0,
    };
    this.#rankings.set(query, ranking);
    return ranking;
  }

  /**
   * Scores the documents that have one of the words: the sum of the words' scores, times the factors of coverage, name
   * and named server. `covered` sums, for each document, the idf of the words that it has.
   */
  #scoresOf(words: readonly WordMatch[], wish: Wish): { scores: Scores; covered: Float64Array } {
    const scores = new Scores(this.#terms.documents.length);
    const covered = new Float64Array(this.#terms.documents.length);
    for (const match of words) {
      const { ids, scores: own, covers, idf } = match;
      const weight = this.#matcher.weightOf(match, words.length);
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at] ?? 0;
        scores.add(id, weight * (own[at] ?? 0));
        covered[id] = (covered[id] ?? 0) + weight * idf * (covers[at] ?? 0);
      }
    }
    const { values, ids } = scores;
    const whole = this.#matcher.sizeOf(words, 0);
    const sums = this.#fit.nameSums(words);
    const factorOf = this.#fit.factors(words, wish);
    for (const id of ids) {
      const covers = ((covered[id] ?? 0) / whole) ** this.#settings.coverage;
      values[id] = (values[id] ?? 0) * covers * factorOf(id, sums[id] ?? 0);
    }
    return { scores, covered };
  }

  /**
   * Replaces each score by its mean with the score of the sentence that the document answers best: one sentence of a
   * long message asks, and the others are context.
   */
  #addSentences({ values, ids }: Scores, asked: readonly (readonly WordMatch[])[], wish: Wish) {
    const best = new Scores(values.length);
    for (const words of asked) {
      const { scores } = this.#scoresOf(words, wish);
      for (const id of scores.ids) best.raise(id, scores.values[id] ?? 0);
    }
    for (const id of ids) values[id] = ((values[id] ?? 0) + (best.values[id] ?? 0)) / 2;
  }
}

function* inOrder({ order: { read, rest } }: Ranking): Iterable<number> {
  for (let at = 0; ; at++) {
    if (at === read.length) {
      const next = rest.next();
      if (next.done) return;
      read.push(next.value);
    }
    yield read[at] ?? 0;
  }
}

/**
 * Yields documents by descending score, ties by name in code unit order. Sorts lazily, because most callers read only
 * the first few of thousands: first the documents with at least half the best score, then those with at least a
 * quarter, and so on.
 */
export function* rankedIds(
  ids: readonly number[],
  scores: Float64Array,
  nameOf: (id: number) => string,
): Generator<number, void> {
  const scoreOf = (id: number): number => scores[id] ?? 0;
  let least = 0;
  for (const id of ids) least = Math.max(least, scoreOf(id));
  for (let rest = ids; rest.length > 0; rest = rest.filter((id) => scoreOf(id) < least)) {
    least /= 2;
    const next = rest.filter((id) => scoreOf(id) >= least);
    yield* next.sort((one, other) => scoreOf(other) - scoreOf(one) || (nameOf(one) < nameOf(other) ? -1 : 1));
  }
}

/** The rank whose score counts as noise: a third down the catalog, within bounds. */
const NOISE = { least: 15, most: 30, share: 1 / 3 };
/**
 * Tools without any word of the query that are assumed beyond the catalog: in a catalog of a few tools no word is rare.
 */
const BEYOND = 100;
/** Strength counts in quarters of the score of a word that no tool has. */
const SCALE = 4;
/** `deed` of a best match whose name has no verb. */
const NO_VERB = -0.3;

/** Matches what looks like an argument value: a capital first, a digit, or a character of an address. */
const VALUE = lazyRegex(String.raw`^\p{Lu}|[\d@/:.]`, 'u');

function valuesAmong(keywords: readonly string[]): ReadonlySet<string> {
  return new Set(
    keywords
      .slice(1)
      .flatMap((keyword) => (VALUE().test(keyword) ? [keyword.toLowerCase(), ...splitIdentifier(keyword)] : [])),
  );
}

/** From this cover on, a match counts as having the word. */
const HALF = 0.5;

/**
 * Explains what a query word found in one document.
 *
 * @param weight - the word's weight in the query.
 * @param fieldsOf - the document's fields that have a given form, each with the weighted frequency.
 */
function explainWord(
  { word, ids, scores, bySynonym, sources }: WordMatch,
  id: number,
  weight: number,
  fieldsOf: (word: string) => Readonly<Record<string, number>>,
): WordExplanation {
  const place = ids.indexOf(id);
  for (const { by, terms } of place < 0 ? [] : sources) {
    if ((by === 'synonym' || by === 'server') !== (bySynonym[place] === 1)) continue;
    const found = terms.map((forms) => forms.find((form) => Object.keys(fieldsOf(form)).length > 0));
    if (!found.every((form) => form !== undefined)) continue;
    const fields: Record<string, number> = {};
    for (const form of found) {
      for (const [field, frequency] of Object.entries(fieldsOf(form))) fields[field] = (fields[field] ?? 0) + frequency;
    }
    return { word, found: found.join(' '), by, fields, score: weight * (scores[place] ?? 0) };
  }
  return { word, found: '', by: 'nothing', fields: {}, score: 0 };
}
