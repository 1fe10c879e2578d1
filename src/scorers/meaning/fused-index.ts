import { CHUNK, inSlices, type SlicedWork } from '../../util/time-slices.ts';
import { stem } from '../../util/words.ts';
import type { Bm25Index, WordScores } from '../bm25/bm25.ts';
import type { CatalogStatistics } from '../bm25/settings.ts';
import { confidencesBy, RATED, type RatedEvidence } from '../confidence.ts';
import { type Copies, copiesIn } from '../copies.ts';
import type { ToolDocument } from '../document.ts';
import type { FeatureExplanation, IncrementalIndex, MatchExplanation, ToolMatch } from '../scorer.ts';
import { isQuestion, type ToolQuery } from '../words/query.ts';
import { type Asked, type AskedWord, ComparedWords } from './compared-words.ts';
import { FEATURE_NAMES, FEATURES, type FeatureName } from './features.ts';
import { type Servers, serversOf } from './servers.ts';
import { isCompared, lengthOf, ONE, product, putUnit, type ToolVectors } from './tool-vectors.ts';
import { FUSED_MODELS, type FusedEvidence, type FusedVerdict, MAX_LEAD } from './verdict.ts';
import { inTable, tableWords } from './word-table.ts';

/** Maximum number of candidates by words, and by meaning. The cosine of the last one by meaning counts as unrelated. */
const AROUND = 30;
/** Maximum number of candidates of either kind, where tools have copies or equal cosines. */
const MOST = 4 * AROUND;
/** Tools up to this cosine do not match by meaning. */
const LEAST_COSINE = 0.2;
/** Lowest value of the feature `meaning` for a tool above `LEAST_COSINE`. */
const LEAST_SHARE = 0.01;
/** Maximum number of distinct query words that are compared, and of query characters that are read. */
const MAX_WORDS = 40;
const MAX_QUERY = 2_000;
/** Score of the first tool that is no candidate, as a share of the last candidate's. */
const REST = 0.99;
/** A tool that no word finds is dropped if it scores this much less than the best: it is a hundredth as likely. */
const FAR = 5;
/**
 * Lowest score of a tool that the word table alone finds. No wanted tool had less, and in a small catalog some tool is
 * always the closest. Tools that an embedding model finds have no such bound.
 */
const LEAST_SCORE = 4.5;
/** The kind of action of verbs that read. */
const READING = 1;

const WEIGHTS = Float64Array.from(FEATURE_NAMES, (name) => FEATURES[name].weight);
const PLACES = Object.fromEntries(FEATURE_NAMES.map((name, at) => [name, at])) as Readonly<Record<FeatureName, number>>;
/** The logarithm of the longest description's length in words, for `brevity`. */
const LONGEST = Math.log1p(120);

/** A tool for which all features are computed. */
interface Candidate {
  readonly id: number;
  readonly name: string;
  readonly features: Float64Array;
  /** The part of the score that the tool has because the query names it. */
  readonly named: number;
  readonly score: number;
}

/** The ranking of one query, cached for its explanation as long as the query object lives. */
interface Ranking {
  readonly words: WordScores;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  readonly byId: ReadonlyMap<number, Candidate>;
}

/**
 * Ranks by words and meaning. The score of a tool is a weighted sum of features: those of `bm25Scorer()`, and those of
 * a table of word vectors. The index never changes, serves any number of searches at once, and runs in browsers too.
 *
 * Features are computed for candidates only: the first tools by words and the closest by meaning. Other tools that
 * words find follow the candidates.
 */
export class FusedIndex implements IncrementalIndex {
  readonly #words: Bm25Index;
  readonly #tools: ToolVectors;
  readonly #copies: Copies | undefined;
  /** The count of distinct tools. */
  readonly #size: number;
  /** Figures of the whole catalog, if the tools are only a part of it. */
  readonly #statistics: CatalogStatistics | undefined;
  readonly #servers: Servers;
  /** By word number: how many distinct tools have the word. */
  readonly #counts: Uint32Array;
  /** The words of each tool's name and title, without those of its server. */
  readonly #ownNames: readonly Uint32Array[];
  readonly #rankings = new WeakMap<ToolQuery, Ranking>();

  private constructor(
    words: Bm25Index,
    tools: ToolVectors,
    ownNames: readonly Uint32Array[],
    servers: Servers,
    counts: Uint32Array,
    statistics: CatalogStatistics | undefined,
  ) {
    this.#words = words;
    this.#statistics = statistics;
    this.#tools = tools;
    this.#copies = copiesIn(tools.documents);
    this.#size = this.#copies?.tools ?? tools.documents.length;
    this.#servers = servers;
    this.#ownNames = ownNames;
    this.#counts = counts;
  }

  /**
   * @param tools - vectors of the documents that `words` indexes, in the same order.
   * @param statistics - figures of the whole catalog, if the tools are only a part of it: they tell how rare words are.
   */
  static *build(words: Bm25Index, tools: ToolVectors, statistics?: CatalogStatistics): SlicedWork<FusedIndex> {
    const servers = serversOf(tools);
    yield;
    const copies = copiesIn(tools.documents);
    const counts = new Uint32Array(tools.vocabulary.size);
    const ownNames: Uint32Array[] = [];
    for (let id = 0; id < tools.documents.length; id++) {
      ownNames.push(ownNameOf(tools, id, servers.prefixes[id] ?? 0));
      if ((copies?.firsts[id] ?? id) === id) countWords(tools.wordsOf(id), counts);
      if (id % CHUNK === CHUNK - 1) yield;
    }
    return new FusedIndex(words, tools, ownNames, servers, counts, statistics);
  }

  async restrictedTo(names: ReadonlySet<string>): Promise<FusedIndex> {
    const words = await this.#words.restrictedTo(names);
    return this.#over(
      words,
      this.#tools.documents.filter(({ name }) => names.has(name)),
    );
  }

  async update(added: readonly ToolDocument[], removed: readonly string[]): Promise<FusedIndex> {
    const words = await this.#words.update(added, removed);
    const gone = new Set(removed);
    return this.#over(words, [...this.#tools.documents.filter(({ name }) => !gone.has(name)), ...added]);
  }

  async #over(words: Bm25Index, documents: readonly ToolDocument[]): Promise<FusedIndex> {
    const tools = await inSlices(this.#tools.rebuilt(documents));
    return inSlices(FusedIndex.build(words, tools));
  }

  search(query: ToolQuery): readonly ToolMatch[] {
    return [...this.ranked(query)];
  }

  /**
   * Ranks with the similarities of an embedding model in place of the table's cosines. The model's closest tools become
   * candidates too. `explain` and `confidence` of this query object follow this ranking afterwards.
   *
   * @param similarities - by name, the closest tool first: 1 for the closest, 0 for an unrelated one.
   */
  rankedWith(query: ToolQuery, similarities: ReadonlyMap<string, number>): Iterable<ToolMatch> {
    this.#rankings.set(query, this.#rank(query, similarities));
    return this.ranked(query);
  }

  *ranked(query: ToolQuery): Iterable<ToolMatch> {
    const ranking = this.#ranking(query);
    const { words, candidates, byId } = ranking;
    for (const { name, score } of candidates) yield { name, score };
    const scale = scaleOfRest(ranking);
    for (const id of words.found) {
      if (!byId.has(id)) yield { name: this.#nameOf(id), score: scale * (words.scores[id] ?? 0) };
    }
  }

  confidence(query: ToolQuery, names: readonly string[]): readonly number[] {
    return confidencesBy(this.evidence(query, names), FUSED_MODELS);
  }

  evidence(query: ToolQuery, names: readonly string[]): RatedEvidence<FusedEvidence, FusedVerdict> {
    const { words, byId } = this.#ranking(query);
    const byWords = this.#asRankedByWords(query, names);
    const ofWords = this.#words.evidence(query, byWords);
    const wordsOf = new Map(byWords.map((name, at) => [name, ofWords.each[at]]));
    const onlyWordOf = new Map(byWords.map((name, at) => [name, ofWords.onlyWords[at]]));
    const onlyWords = names.map((name) => onlyWordOf.get(name));
    const ids = names.map((name) => this.#words.idOf(name) ?? -1);
    // The bonus of a named tool is left out: it says nothing of the other tools.
    const scores = ids.map((id) => {
      const candidate = byId.get(id);
      return candidate ? candidate.score - candidate.named : 0;
    });
    const [best = 0, second = 0] = scores;
    // A single result leads nothing, so its coverage stands in for the lead.
    const coverage = byId.get(ids[0] ?? -1)?.features[PLACES.coverage] ?? 0;
    const lead = names.length === 1 ? MAX_LEAD * coverage : Math.min(MAX_LEAD, best - second);
    const each = ids.map((id, at): FusedEvidence | undefined => {
      if (words.named.get(id)) return undefined;
      const { strength = 0, contrast = 0, wholeness = 0 } = wordsOf.get(names[at] ?? '') ?? {};
      const behind = (scores[at] ?? 0) - best;
      return { strength, contrast, wholeness, behind, lead: at === 0 ? lead : 0 };
    });
    if (!each[0]) return { each, onlyWords };
    const none = { breadth: 0, kept: 0, deed: 0, app: this.unmentionedApp(query) === undefined ? 1 : 0 };
    const meant = this.#keptBy(query, ids.slice(0, RATED));
    return { each, onlyWords, together: { ...(ofWords.together ?? none), meant } };
  }

  unmentionedApp(query: ToolQuery): string | undefined {
    return this.#words.unmentionedApp(query);
  }

  /** The share of the query that is left without the weightiest word whose meaning all of the tools lack. */
  #keptBy(query: ToolQuery, ids: readonly number[]): number {
    const asked = this.#askedBy(this.#words.textOf(query).slice(0, MAX_QUERY));
    const compared = new ComparedWords(asked, this.#tools.vocabulary);
    const lost = compared.lost(ids.filter((id) => id >= 0).map((id) => this.#tools.wordsOf(id)));
    return 1 - lost;
  }

  #asRankedByWords(query: ToolQuery, names: readonly string[]): readonly string[] {
    const { scores } = this.#words.wordScores(query);
    const scoreOf = (name: string): number => scores[this.#words.idOf(name) ?? -1] ?? 0;
    return names.toSorted((one, other) => scoreOf(other) - scoreOf(one) || (one < other ? -1 : 1));
  }

  explain(query: ToolQuery, name: string): MatchExplanation | undefined {
    const ranking = this.#ranking(query);
    const { words, byId } = ranking;
    const id = this.#words.idOf(name) ?? -1;
    const candidate = byId.get(id);
    const explanation = this.#words.explain(query, name);
    if (!candidate) {
      const value = words.scores[id] ?? 0;
      const rest: FeatureExplanation = { feature: 'rest', of: 'words', value, score: scaleOfRest(ranking) * value };
      return explanation && { ...explanation, features: [rest] };
    }
    const features = [...FEATURE_NAMES.keys()].map((at): FeatureExplanation => {
      const feature = FEATURE_NAMES[at] as FeatureName;
      const value = candidate.features[at] as number;
      return { feature, of: FEATURES[feature].of, value, score: (WEIGHTS[at] as number) * value };
    });
    if (candidate.named > 0) features.push({ feature: 'named', of: 'words', value: 1, score: candidate.named });
    return {
      ...{ words: [], coverage: 0, nameCoverage: 0, isNamed: words.named.has(candidate.id), ...explanation },
      features,
    };
  }

  #nameOf(id: number): string {
    return this.#tools.documents[id]?.name ?? '';
  }

  #toolOf(id: number): number {
    return this.#copies?.firsts[id] ?? id;
  }

  #ranking(query: ToolQuery): Ranking {
    const known = this.#rankings.get(query) ?? this.#rank(query);
    this.#rankings.set(query, known);
    return known;
  }

  #rank(query: ToolQuery, similarities?: ReadonlyMap<string, number>): Ranking {
    const words = this.#words.wordScores(query);
    const text = this.#words.textOf(query).slice(0, MAX_QUERY);
    const asked = this.#askedBy(text);
    const cosines = this.#cosinesWith(asked.vector);
    const closest = this.#closest(cosines);
    const ranks = this.#firstByWords(words);
    // Required words have to be found as words, so meaning adds no candidates.
    const close = words.requires ? [] : [...closest.ids, ...this.#firstOf(similarities)];
    const ids = [...new Set([...ranks.keys(), ...close])];
    const kind = words.action || (isQuestion(query.text) ? READING : 0);
    const meaningOf = similarities
      ? (id: number): number => similarities.get(this.#nameOf(id)) ?? 0
      : (id: number): number => shareOf(cosines[id] as number, closest);
    const features = this.#featuresOf(ids, asked, { words, ranks, meaningOf, kind });
    const candidates = this.#scored(query, ids, features, words, similarities ? 0 : LEAST_SCORE);
    return { words, candidates, byId: new Map(candidates.map((each) => [each.id, each])) };
  }

  /** The tools that are closest to the query by an embedding model. */
  #firstOf(similarities: ReadonlyMap<string, number> = new Map()): readonly number[] {
    return [...similarities.keys()].slice(0, AROUND).flatMap((name) => this.#words.idOf(name) ?? []);
  }

  #scored(
    query: ToolQuery,
    ids: readonly number[],
    features: readonly Float64Array[],
    { named, scores }: WordScores,
    floor: number,
  ): readonly Candidate[] {
    const sums = features.map(sumOf);
    const best = sums.reduce((most, sum) => Math.max(most, sum), 0);
    const candidates = ids.map((id, at): Candidate => {
      const name = this.#nameOf(id);
      const isExact = name === query.text || query.keywords.includes(name);
      const lift = named.has(id) ? (isExact ? 2 : 1) * best : 0;
      return { id, name, features: features[at] as Float64Array, named: lift, score: (sums[at] as number) + lift };
    });
    const least = Math.max(best - FAR, floor);
    return candidates
      .filter(({ id, score }) => (scores[id] ?? 0) > 0 || score >= least)
      .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  }

  /** The words of a query that are compared, and the vector of the whole query. */
  #askedBy(text: string): Asked {
    const { vocabulary } = this.#tools;
    const { table } = vocabulary;
    const { dims } = table;
    const whole = new Int32Array(dims);
    const own = new Int32Array(dims);
    const vectors = new Int16Array(MAX_WORDS * dims);
    const words: AskedWord[] = [];
    const seen = new Set<string>();
    for (const written of tableWords(text)) {
      const word = inTable(written);
      if (word === '') continue;
      own.fill(0);
      if (!table.tells(word) || !table.add(word, own)) continue;
      for (let at = 0; at < dims; at++) whole[at] = (whole[at] as number) + (own[at] as number);
      if (seen.has(word) || words.length >= MAX_WORDS || !isCompared(word)) continue;
      seen.add(word);
      const length = lengthOf(own);
      if (length === 0) continue;
      vectors.set(own, words.length * dims);
      words.push({ text: word, length, weight: length * this.#rarityOf(word) });
    }
    const vector = new Int16Array(dims);
    putUnit(whole, vector, 0);
    return { words, vectors, vector, total: words.reduce((sum, { weight }) => sum + weight, 0) || 1 };
  }

  /** The idf of a word: the logarithm of the count of tools per tool that has the word. */
  #rarityOf(word: string): number {
    const own = this.#counts[this.#tools.vocabulary.find(word)] ?? 0;
    if (!this.#statistics) return Math.log(1 + this.#size / (own + 0.5));
    const { documents, words, stems } = this.#statistics;
    // A word without a count is taken to be as frequent in the whole catalog as among these tools.
    const count = words?.get(word) ?? stems.get(stem(word)) ?? (own * documents) / this.#size;
    return Math.log(1 + documents / (count + 0.5));
  }

  #cosinesWith(vector: Int16Array): Float64Array {
    const { vectors, documents, vocabulary } = this.#tools;
    const cosines = new Float64Array(documents.length);
    const { dims } = vocabulary.table;
    for (let id = 0; id < cosines.length; id++) {
      // Copies have the cosine of the first one: the name of its server says nothing of what a tool does.
      const first = this.#toolOf(id);
      cosines[id] = first < id ? (cosines[first] as number) : product(vectors, id * dims, vector, 0, dims) / ONE ** 2;
    }
    return cosines;
  }

  /** The closest tools, with the highest cosine and the cosine that counts as unrelated. */
  #closest(cosines: Float64Array): Closest {
    const highest = new Float64Array(Math.min(AROUND, this.#size));
    let count = 0;
    for (let id = 0; id < cosines.length; id++) {
      if (this.#toolOf(id) === id) count = insert(highest, count, cosines[id] as number);
    }
    const least = Math.max(highest[count - 1] ?? 0, LEAST_COSINE);
    const ids: number[] = [];
    for (let id = 0; id < cosines.length; id++) {
      const cosine = cosines[id] as number;
      if (cosine >= least && cosine > LEAST_COSINE) ids.push(id);
    }
    if (ids.length > MOST) {
      const cosineOf = (id: number): number => cosines[id] as number;
      ids.sort((one, other) => cosineOf(other) - cosineOf(one) || (this.#nameOf(one) < this.#nameOf(other) ? -1 : 1));
      ids.length = MOST;
    }
    return { ids, best: highest[0] ?? 0, unrelated: highest[count - 1] ?? 0 };
  }

  /** The first tools by words, each with its rank from 1. Copies share a rank. */
  #firstByWords({ found }: WordScores): ReadonlyMap<number, number> {
    const ranks = new Map<number, number>();
    const byTool = new Map<number, number>();
    for (const id of found) {
      const tool = this.#toolOf(id);
      const rank = byTool.get(tool) ?? byTool.size + 1;
      if (rank > AROUND || ranks.size >= MOST) break;
      byTool.set(tool, rank);
      ranks.set(id, rank);
    }
    return ranks;
  }

  #featuresOf(ids: readonly number[], asked: Asked, found: FoundFor): readonly Float64Array[] {
    const { words, ranks, meaningOf, kind } = found;
    const { vocabulary, kinds } = this.#tools;
    const { dims } = vocabulary.table;
    const { scores, coverageOf } = words;
    const compared = new ComparedWords(asked, vocabulary);
    const all = ids.map((id) => {
      const tool = this.#toolOf(id);
      const server = this.#servers.of[tool] as number;
      const values: Readonly<Record<FeatureName, number>> = {
        words: Math.log1p(scores[id] ?? 0),
        wordRank: 1 / (ranks.get(id) ?? Number.POSITIVE_INFINITY),
        coverage: coverageOf(id),
        meaning: meaningOf(id),
        askedWords: compared.asked(this.#tools.wordsOf(tool)),
        summary: compared.own(this.#tools.firstWordsOf(tool)),
        name: compared.own(this.#ownNames[tool] as Uint32Array),
        server:
          server < 0 ? 0 : Math.max(0, product(this.#servers.vectors, server * dims, asked.vector, 0, dims) / ONE ** 2),
        action: kind > 0 && kinds[tool] === kind ? 1 : 0,
        brevity: LONGEST - Math.log1p(this.#tools.lengthOf(tool)),
      };
      const features = new Float64Array(FEATURE_NAMES.length);
      for (const name of FEATURE_NAMES) features[PLACES[name]] = values[name];
      return features;
    });
    return all;
  }
}

interface Closest {
  readonly ids: readonly number[];
  readonly best: number;
  readonly unrelated: number;
}

interface FoundFor {
  readonly words: WordScores;
  readonly ranks: ReadonlyMap<number, number>;
  readonly meaningOf: (id: number) => number;
  readonly kind: number;
}

/** The factor that ranks the other tools below the last candidate, in the order of their word scores. */
function scaleOfRest({ words: { found, scores }, candidates, byId }: Ranking): number {
  for (const id of found) {
    if (!byId.has(id)) return (REST * (candidates.at(-1)?.score ?? 1)) / (scores[id] || 1);
  }
  return 0;
}

/** Inserts a value into the highest values, which are in descending order. Returns the new count. */
function insert(highest: Float64Array, count: number, value: number): number {
  if (count === highest.length && value <= (highest[count - 1] ?? 0)) return count;
  let at = Math.min(count, highest.length - 1);
  for (; at > 0 && (highest[at - 1] as number) < value; at--) highest[at] = highest[at - 1] as number;
  highest[at] = value;
  return Math.min(count + 1, highest.length);
}

function shareOf(cosine: number, { best, unrelated }: Closest): number {
  if (cosine <= LEAST_COSINE) return 0;
  if (cosine >= best) return 1;
  return Math.max(LEAST_SHARE, LEAST_SHARE + ((1 - LEAST_SHARE) * (cosine - unrelated)) / (best - unrelated));
}

function sumOf(features: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < features.length; at++) sum += (WEIGHTS[at] as number) * (features[at] as number);
  return sum;
}

function ownNameOf({ names, titles, vocabulary }: ToolVectors, id: number, prefix: number): Uint32Array {
  const own = new Set(titles[id]);
  for (const word of tableWords((names[id] ?? []).slice(prefix).join(' '))) {
    const number = vocabulary.find(word);
    if (number >= 0 && vocabulary.stops[number] === 0) own.add(number);
  }
  return Uint32Array.from(own);
}

function countWords(words: Uint32Array, counts: Uint32Array): void {
  for (let at = 0; at < words.length; at++) counts[words[at] as number] = (counts[words[at] as number] as number) + 1;
}
