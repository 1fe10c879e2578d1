import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';
import { lazyRegex } from '../../util/text.ts';
import { inSlices, type SlicedWork } from '../../util/time-slices.ts';
import { isStopWord, splitIdentifier } from '../../util/words.ts';
import { judgedTogether, type LikelihoodModel, likelihoodBy, RATED, type Together } from '../confidence.ts';
import type { ToolDocument } from '../document.ts';
import type { IncrementalIndex, MatchExplanation, ToolMatch, ToolScorer, WordExplanation } from '../scorer.ts';
import { checkWeights } from '../weights.ts';
import { appsIn } from '../words/apps.ts';
import { isQuestion, querySentences, type ToolQuery } from '../words/query.ts';
import { DELETING, READING } from '../words/query-words.ts';
import { checkedGroups, type SynonymGroup } from '../words/thesaurus/groups.ts';
import { builtInSynonyms, keyedGroups, Synonyms } from '../words/thesaurus/synonyms.ts';
import { type AskedWords, Contest } from './contest.ts';
import { InvertedIndex } from './inverted-index.ts';
import { Servers } from './servers.ts';
import { type Bm25Settings, type CatalogStatistics, DEFAULT_SETTINGS, FIELDS, type Field } from './settings.ts';
import { type MatchedWord, type PartedMatch, Scores, SURE, type WordMatch, WordMatcher } from './word-match.ts';

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

/**
 * From this many words on, a query is long, as a pasted message is. Its sentences are then scored one by one as well.
 */
const LONG = 14;
/** Most sentences of a long query that are scored: a message of 2,000 characters has hardly more. */
const MAX_SENTENCES = 16;
/** Fewest words of a sentence that is scored: a single word would be covered wholly by any tool that has it. */
const MIN_WORDS = 2;
/** The confidence of a tool that was asked for by its name. */
export const NAMED_CONFIDENCE = 0.99;
/**
 * Bonus of a tool that the query names in another spelling, as a multiple of the best score. A name of stop words alone
 * needs it: no word finds the tool, so it has no score of its own.
 */
const NAMED_BONUS = 1.25;
const KINDS = 8;

/** What a query asks for beside its words. */
interface Wish {
  readonly isQuestion: boolean;
  readonly isOfNamedServer: (id: number) => boolean;
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
  readonly #statistics: CatalogStatistics | undefined;
  #ofServers: Servers | undefined;
  readonly #rankings = new WeakMap<ToolQuery, Ranking>();

  /** @param statistics - figures of the whole catalog, if the index holds only a part of it. */
  constructor(terms: InvertedIndex, settings: Bm25Settings, synonyms: Synonyms, statistics?: CatalogStatistics) {
    this.#terms = terms;
    this.#settings = settings;
    this.#synonyms = synonyms;
    this.#statistics = statistics;
    this.#matcher = new WordMatcher(terms, settings, synonyms, statistics);
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
    const { each, together, onlyWords } = this.evidence(query, names);
    const apart = confidencesApart(each);
    return together ? judgedTogether(apart, together, TOGETHER, onlyWords) : apart;
  }

  /** The evidence for the confidences of `names`, which are ranked best first. */
  evidence(query: ToolQuery, names: readonly string[]): RatedEvidence {
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
      nameCoverage: this.#nameFits(words).shareOf(id),
      isNamed: named.has(id),
    };
  }

  get #servers(): Servers {
    this.#ofServers ??= new Servers(this.#terms, this.#statistics !== undefined, this.#statistics?.servers);
    return this.#ofServers;
  }

  /** The first app that a query names and that no tool mentions, as the query writes it. */
  unmentionedApp({ keywords }: ToolQuery): string | undefined {
    return appsIn(keywords).find(({ words }) => !this.#matcher.mentions(words))?.name;
  }

  /** For thousands of queries, each asking which tools score at least as high as a given one; see {@link Contest}. */
  contest(): Contest {
    return new Contest(this.#terms, this.#settings.coverage, (query, cache, placeOf) => {
      const read = this.#matcher.read(query.keywords);
      const words = this.#matcher.parted(query.keywords, read, cache, placeOf);
      const wish = this.#wishOf(query, read);
      const askedOf = (some: readonly PartedMatch[]): AskedWords => this.#askedWords(some, wish);
      return {
        all: askedOf(words),
        sentences: words.length >= LONG ? sentencesAsked(query, read, words).map(askedOf) : undefined,
        named: new Map(Array.from(this.#named(query).keys(), (id) => [id, this.#bonusOf(id, query)])),
      };
    });
  }

  /** @param read - the words of each keyword of the query. */
  #wishOf({ text }: ToolQuery, read: readonly (readonly string[])[]): Wish {
    return { isQuestion: isQuestion(text), isOfNamedServer: this.#servers.namedBy(read.flat()) };
  }

  #askedWords(words: readonly PartedMatch[], { isQuestion, isOfNamedServer }: Wish): AskedWords {
    const { nameCoverage, namedServer } = this.#settings;
    const wanted = wantedStems(words);
    const nameFactor = this.#nameFactors(words, isQuestion);
    const mostAction = Math.max(...this.#actionFactors(words, isQuestion));
    return {
      words,
      weights: words.map((match) => this.#matcher.weightOf(match, words.length)),
      whole: this.#sizeOf(words, 0),
      factorOf: (id, nameStems) => {
        let sum = 0;
        for (const root of nameStems) sum += wanted.get(root) ?? 0;
        return nameFactor(id, sum) * (isOfNamedServer(id) ? namedServer : 1);
      },
      mostFactor: (1 + nameCoverage) * mostAction * namedServer,
    };
  }

  /** The bonus of a document that the query names, as a multiple of the best score. The exact spelling earns most. */
  #bonusOf(id: number, { text, keywords }: ToolQuery): number {
    const name = this.#terms.nameOf(id);
    return name === text || keywords.includes(name) ? 2 : NAMED_BONUS;
  }

  #coverageOf({ words, scores, covered }: Ranking, id: number): number {
    return (scores[id] ?? 0) === 0 ? 0 : (covered[id] ?? 0) / (this.#sizeOf(words, this.#matcher.highestIdf) || 1);
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
    const wish = this.#wishOf(query, read);
    const { scores, covered } = this.#scoresOf(words, wish);
    const { values } = scores;
    if (words.length >= LONG) this.#addSentences(scores, sentencesAsked(query, read, words), wish);
    const named = this.#named(query);
    if (named.size > 0) {
      // Named tools come first, the exact spelling before others.
      const best = scores.ids.reduce((most, id) => Math.max(most, values[id] ?? 0), 0) || 1;
      for (const id of named.keys()) scores.add(id, this.#bonusOf(id, query) * best);
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
    const { coverage, namedServer } = this.#settings;
    const { values, ids } = scores;
    const whole = this.#sizeOf(words, 0);
    const { factorOf } = this.#nameFits(words, wish.isQuestion);
    for (const id of ids) {
      const ofServer = wish.isOfNamedServer(id) ? namedServer : 1;
      values[id] = (values[id] ?? 0) * ((covered[id] ?? 0) / whole) ** coverage * factorOf(id) * ofServer;
    }
    return { scores, covered };
  }

  /** The summed idf of a document that has all words. A word that no document has counts as `unknown`. */
  #sizeOf(words: readonly MatchedWord[], unknown: number): number {
    return words.reduce(
      (size, match) => size + this.#matcher.weightOf(match, words.length) * (match.idf || unknown),
      0,
    );
  }

  /**
   * `shareOf`: the share of a document's name that the words ask for, each stem by its weight. `factorOf`: the factor
   * of the name, above 1 for asked stems and the asked kind of action, below 1 for an action of another kind.
   */
  #nameFits(
    words: readonly WordMatch[],
    isQuestion = false,
  ): { shareOf(id: number): number; factorOf(id: number): number } {
    const { nameSizes, documents } = this.#terms;
    const sums = new Float64Array(documents.length);
    for (const [root, weight] of wantedStems(words)) {
      for (const id of this.#terms.namedBy(root)) {
        sums[id] = (sums[id] ?? 0) + weight;
      }
    }
    const nameFactor = this.#nameFactors(words, isQuestion);
    return {
      shareOf: (id) => (sums[id] ?? 0) / (nameSizes[id] || 1),
      factorOf: (id) => nameFactor(id, sums[id] ?? 0),
    };
  }

  /** The factor of a document's name. `sum` is the summed weight of the name's stems that the words ask for. */
  #nameFactors(words: readonly MatchedWord[], isQuestion: boolean): (id: number, sum: number) => number {
    const { nameSizes, actions } = this.#terms;
    const { nameCoverage } = this.#settings;
    const actionFactors = this.#actionFactors(words, isQuestion);
    return (id, sum) => (1 + (nameCoverage * sum) / (nameSizes[id] || 1)) * (actionFactors[actions[id] ?? 0] ?? 1);
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

  /**
   * The documents that the query names: the whole query or one keyword is the name, or the name without its server. The
   * value is true if the name can mean no other tool: several servers may have a tool of one name.
   */
  #named({ keywords }: ToolQuery): ReadonlyMap<number, boolean> {
    const parts = keywords.map((keyword) => splitIdentifier(keyword));
    const whole = parts.flat();
    const spellings = [whole, ...parts.filter(({ length }) => length > 1), ...(isSelf(whole) ? SELF : [])];
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
}

/**
 * The words of a long query's sentences, the longest first, at most `MAX_SENTENCES`.
 *
 * @param read - the words of each keyword of the query.
 */
function sentencesAsked<Match extends MatchedWord>(
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
function wantedStems(words: readonly MatchedWord[]): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const { nameStems } of words) {
    for (const [root, weight] of nameStems) wanted.set(root, Math.max(weight, wanted.get(root) ?? 0));
  }
  return wanted;
}

/**
 * Names of tools that tell who is signed in, looked up for "who am I". They consist mostly of stop words, so their
 * words do not find them.
 */
const SELF = ['who am i', 'get me', 'get self', 'get myself', 'get current user', 'get authenticated user'].map(
  (name) => name.split(' '),
);

function isSelf(words: readonly string[]): boolean {
  return words.join('') === 'whoami';
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

/** Evidence for one shown match. */
export type Evidence = {
  /** The score, lower where the catalog lacks words of the query, on a logarithmic scale. */
  readonly strength: number;
  /** The score of the match, as a share of the best one shown. */
  readonly ratio: number;
  /** The lead of the best match over the second, from 0 to 1; the coverage of a single match; 0 for all others. */
  readonly lead: number;
  /** The lead of the best match over noise, the score far down the ranking; from 0 to 1. */
  readonly contrast: number;
  /** The share of the query that is left without the most distinctive word that the best match lacks. */
  readonly wholeness: number;
};

/**
 * A logistic regression over the first five results of the labelled sets, each set weighing the same, and, with a tenth
 * of the weight, over queries that nothing fits. Fitted by `npm run bench:retrieval -- --fit`. No weight is below 0, so
 * that a lower score never raises the confidence.
 */
const APART: LikelihoodModel<Evidence> = {
  weights: { strength: 1.22, ratio: 2.99, lead: 2.67, contrast: 2.06, wholeness: 1.66 },
  intercept: -9.15,
};

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

/** Evidence that any result fits, beside the separate confidences. */
export type VerdictEvidence = {
  /**
   * 0 if the query has several telling words and the best match has at most one of them, which may occur anywhere. Else
   * 1.
   */
  readonly breadth: number;
  /** The share of the query that is left without the most distinctive word that all of the best matches lack. */
  readonly kept: number;
  /**
   * The verb of the best match against the asked action: 1 for the same kind, `NO_VERB` without a verb, -1 for another
   * kind; 0 if no action is asked for.
   */
  readonly deed: number;
  /** 0 if the query names an app that no tool mentions. Else 1. */
  readonly app: number;
};

export interface RatedEvidence {
  /** Undefined for a tool that the query names unmistakably. */
  readonly each: readonly (Evidence | undefined)[];
  /** Undefined if the query names the best match, or nothing matches. */
  readonly together?: VerdictEvidence;
  /**
   * For each, the only telling query word that it has; undefined if it has several, or the query has fewer than two.
   */
  readonly onlyWords: readonly (string | undefined)[];
}

function confidencesApart(each: RatedEvidence['each']): readonly number[] {
  let least = NAMED_CONFIDENCE;
  return each.map((evidence) => {
    if (evidence) least = Math.min(least, likelihoodBy(evidence, APART));
    return least;
  });
}

/**
 * Fitted as `APART`, over the first five results together. Queries that nothing fits weigh as much as the labelled
 * ones.
 */
const TOGETHER: LikelihoodModel<Together<VerdictEvidence>> = {
  weights: { apart: 1.19, breadth: 0.6, kept: 1.3, deed: 0.27, app: 2.08 },
  intercept: -3.48,
};
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
