import { inverseDocumentFrequency } from '../kit.ts';
import type { SlicedWork } from '../util/time-slices.ts';
import { hashesIn, inTurns, readVector, type Use } from './uses.ts';

/** The number of nearest past queries that vote. */
const NEAREST = 12;
/** The weight of words in a similarity if both queries have a vector. The cosine of the vectors has the rest. */
const WORDS = 0.3;
/** The cosine of queries that have nothing to do with each other. */
const UNRELATED = 0.3;
/** The similarity below which a past query has no vote. */
const LEAST = 0.15;
/** Exponent of the similarity in the weight of a vote. */
const NEARNESS = 3;
/** A prior vote for no tool, since a single use proves little. */
const DOUBT = 0.2;
/** Weight of a vote for a tool that the search had ranked first without learning: such a use corrected nothing. */
const CONFIRMED = 0.5;
/** Most past queries that are tested against the others to measure the precision. */
const TESTED = 150;
/** Most comparisons in that test: of 10,000 past queries, fewer are tested. */
const MAX_COMPARED = 300_000;
/** The fewest past queries that are tested. */
const MIN_TESTED = 40;
/** From this vote on, a tested query counts as predicted. */
const PREDICTED = 0.1;
/** The prior of the precision: one right prediction of four. */
const PRIOR = { right: 1, asked: 4 };
/** The highest boost, as a multiple of the best score, if all visible tools were used. It is near 1 if few were. */
const MOST = 4;
/** Factor of the squared precision in the strength. */
const STRENGTH = 12;
/**
 * Exponent of the nearest similarity. The result is a lower bound of the strength: the same query means the same again.
 */
const AGAIN = 4;
/** The part of the strength that is lost if every used tool had been ranked first without learning. */
const CONTENT = 0.5;
/** The doubts: the factor of the novelty, and the exponent of the distance to the nearest past query. */
const NOVELTY = 2;
const FAR = 0.5;
/** The least boost, in spite of doubts: this factor of the vote share by which a tool exceeds its rate. */
const NUDGE = 0.3;
/** In a scope that users share, the most that one user adds to the boost by the others. */
const ALONE = 0.2;
/** Boosts up to this are dropped. */
const BAR = 0.02;

/** A word of past queries. */
interface PastWord {
  /** Indexes of the past queries that contain the word. */
  readonly queries: number[];
  /** The squared idf. */
  idf: number;
}

/** A query in the form that its scope keeps. */
export type KeyedQuery = Pick<Use, 'words' | 'vector'>;

/** The vote of the nearest past queries for a tool. */
interface Vote {
  /** The tool's share of the votes, up to 1. */
  readonly share: number;
  /** The share less all doubts; 0 if they outweigh it. */
  readonly sure: number;
}

/** The votes of the nearest past queries after a query. */
interface Votes {
  /** By tool. `others` leaves out the conversation, or the user, that votes most for the tool. */
  readonly ofTools: ReadonlyMap<string, Vote & { readonly others: Vote }>;
  /** The similarity of the nearest past query, times its weight. */
  readonly nearest: number;
}

/** How past use raises a tool. */
export interface Boost {
  /** The part that is added to the score, as a multiple of the search's best score. */
  readonly factor: number;
  /** How likely a tool with such a vote is what the query wants, from 0 to 1. */
  readonly likelihood: number;
}

/** The request for which past queries are read. */
export interface Circumstances {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds after which a use weighs half. */
  readonly halfLife: number;
  /** The count of tools that the request may see. */
  readonly tools: number;
  /** Whether the voters are users who share the scope, not conversations of one user. */
  readonly isShared: boolean;
}

/**
 * The past queries of a scope. Those nearest to a query vote for the tools that were used after them.
 *
 * A log that says nothing of what is asked does no harm, by three measures. Precision: how often past queries predict
 * what was used after one another. Novelty: the chance that a query wants a tool that was never used (Good and Turing:
 * the share of uses whose tool was used once). Rate: how often a tool is used after any query; a tool that is used
 * after everything says nothing of this query.
 */
export class PastQueries {
  /** The number of uses. */
  readonly size: number;
  readonly #circumstances: Circumstances;
  readonly #queries: readonly PastQuery[];
  readonly #words = new Map<string, PastWord>();
  /** The vectors of all queries, one after the other; zeros for a query without one. */
  readonly #vectors: Int8Array;
  readonly #dims: number;
  /** The lengths of the vectors. */
  readonly #norms: Float64Array;
  /** The sum of the squared idf of each query's words. */
  readonly #sizes: Float64Array;
  readonly #rates = new Map<string, number>();
  readonly #novelty: number;
  /** The squared idf of a word that no past query has. */
  readonly #unknown: number;
  /** The share of the uses whose tool the search had ranked first without learning. */
  readonly #confirmed: number;
  /** The share of tested queries that the others predict. */
  #precision: number | undefined;

  /** @param uses - uses of tools that the request may see, the latest last. */
  constructor(uses: readonly Use[], circumstances: Circumstances) {
    this.size = uses.length;
    this.#circumstances = circumstances;
    this.#queries = queriesOf(uses, circumstances);
    this.#confirmed = uses.filter(({ wasFirst }) => wasFirst).length / Math.max(1, uses.length);
    const total = this.#queries.length;
    const vectors = this.#queries.map(({ vector }) => readVector(vector));
    this.#dims = Math.max(0, ...new Set(vectors.map(({ length }) => length)));
    this.#vectors = new Int8Array(total * this.#dims);
    this.#norms = Float64Array.from(vectors, lengthOf);
    for (const [at, { words, tools }] of this.#queries.entries()) {
      this.#vectors.set(vectors[at] ?? [], at * this.#dims);
      for (const text of hashesIn(words)) {
        const word = this.#words.get(text);
        if (word) word.queries.push(at);
        else this.#words.set(text, { queries: [at], idf: 0 });
      }
      for (const [tool] of tools) this.#rates.set(tool, (this.#rates.get(tool) ?? 0) + 1 / total);
    }
    this.#sizes = new Float64Array(total);
    this.#unknown = inverseDocumentFrequency(0, total) ** 2;
    for (const word of this.#words.values()) {
      word.idf = inverseDocumentFrequency(word.queries.length, total) ** 2;
      for (const at of word.queries) this.#sizes[at] = (this.#sizes[at] as number) + word.idf;
    }
    this.#novelty = NOVELTY * noveltyOf(this.#queries, circumstances.isShared ? 1 : 2);
  }

  /**
   * The boost of each tool after such a query. The first call measures the precision, which takes tenths of a second
   * over thousands of uses.
   */
  *boosts(query: KeyedQuery): SlicedWork<ReadonlyMap<string, Boost>> {
    const boosts = new Map<string, Boost>();
    const { ofTools, nearest } = this.#votes(query);
    if (ofTools.size === 0) return boosts;
    const precision = this.#precision ?? (yield* this.#measured());
    this.#precision = precision;
    const { isShared, tools } = this.#circumstances;
    // If few of the visible tools were ever used, habits say little of the others.
    const most = 1 + (MOST - 1) * Math.min(1, this.#rates.size / Math.max(1, tools));
    const trust = nearest ** AGAIN;
    // A ranking that is mostly right needs little boost.
    const wanted = 1 - CONTENT * this.#confirmed;
    const strength = Math.max(wanted * Math.min(most, STRENGTH * precision ** 2), trust);
    for (const [tool, { others, ...vote }] of ofTools) {
      const rate = this.#rates.get(tool) ?? 0;
      const factorOf = ({ share, sure }: Vote): number => Math.max(NUDGE * (share - rate), strength * sure, 0);
      const factor = isShared ? Math.min(factorOf(vote), factorOf(others) + ALONE) : factorOf(vote);
      const { sure } = isShared ? others : vote;
      if (factor > BAR) boosts.set(tool, { factor, likelihood: Math.min(1, sure) * Math.max(precision, trust) });
    }
    return boosts;
  }

  /**
   * Measures the precision: the share of tested past queries after which the tool was used that the others vote for
   * most.
   */
  *#measured(): SlicedWork<number> {
    let { right, asked } = PRIOR;
    const count = Math.min(TESTED, Math.max(MIN_TESTED, Math.floor(MAX_COMPARED / this.#queries.length)));
    for (const query of sampleOf(this.#queries, count)) {
      yield;
      let first: string | undefined;
      let best = PREDICTED;
      for (const [tool, { sure }] of this.#votes(query, query.voter).ofTools)
        if (sure > best) [first, best] = [tool, sure];
      if (first === undefined) continue;
      asked += query.weight;
      if (query.tools.some(([tool]) => tool === first)) right += query.weight;
    }
    return right / asked;
  }

  /** @param without - a conversation whose votes are left out. */
  #votes(asked: KeyedQuery, without?: string): Votes {
    const similarities = this.#similaritiesTo(asked);
    const alike: number[] = [];
    for (const [at, similarity] of similarities.entries())
      if (similarity >= LEAST && this.#queries[at]?.voter !== without) alike.push(at);
    alike.sort((one, other) => (similarities[other] as number) - (similarities[one] as number));
    const sums = new Map<string, number>();
    const strongest = new Map<string, number>();
    const voted = new Set<string>();
    let [total, places, nearest] = [DOUBT, 0, 0];
    for (const at of alike) {
      const { voter, tools, weight } = this.#queries[at] as PastQuery;
      const similarity = Math.min(1, similarities[at] as number);
      nearest = Math.max(nearest, weight * similarity);
      if (places === NEAREST) break;
      // A conversation has one vote for a tool, that of its nearest query, however often it used the tool.
      const fresh = tools.filter(([tool]) => !voted.has(`${voter} ${tool}`));
      if (fresh.length === 0) continue;
      places += 1;
      const vote = weight * similarity ** NEARNESS;
      total += vote;
      for (const [tool, part] of fresh) {
        voted.add(`${voter} ${tool}`);
        sums.set(tool, (sums.get(tool) ?? 0) + vote * part);
        strongest.set(tool, Math.max(strongest.get(tool) ?? 0, vote * part));
      }
    }
    const doubt = (1 - Math.min(1, similarities[alike[0] ?? -1] ?? 0)) ** FAR;
    const ofTools = new Map<string, Vote & { readonly others: Vote }>();
    for (const [tool, sum] of sums) {
      const against = doubt * (this.#novelty + (this.#rates.get(tool) ?? 0));
      const voteOf = (part: number): Vote => ({ share: part / total, sure: Math.max(0, part / total - against) });
      ofTools.set(tool, { ...voteOf(sum), others: voteOf(sum - (strongest.get(tool) ?? 0)) });
    }
    return { ofTools, nearest };
  }

  /** The similarity of each past query to the asked one. */
  #similaritiesTo({ words, vector: written }: KeyedQuery): Float64Array {
    const similarities = new Float64Array(this.#queries.length);
    let size = 0;
    for (const text of hashesIn(words)) {
      const word = this.#words.get(text);
      size += word?.idf ?? this.#unknown;
      for (const at of word?.queries ?? []) similarities[at] = (similarities[at] as number) + (word?.idf ?? 0);
    }
    const vector = readVector(written);
    const norm = vector.length === this.#dims ? lengthOf(vector) : 0;
    for (const [at, common] of similarities.entries()) {
      let similarity = common > 0 ? common / Math.sqrt(size * (this.#sizes[at] as number)) : 0;
      const other = this.#norms[at] as number;
      if (norm > 0 && other > 0) {
        const cosine = this.#dot(vector, at) / (norm * other);
        similarity = WORDS * similarity + (1 - WORDS) * Math.max(0, (cosine - UNRELATED) / (1 - UNRELATED));
      }
      similarities[at] = similarity;
    }
    return similarities;
  }

  #dot(vector: Int8Array, at: number): number {
    const start = at * this.#dims;
    let sum = 0;
    for (let place = 0; place < vector.length; place++)
      sum += (vector[place] as number) * (this.#vectors[start + place] as number);
    return sum;
  }
}

/** A query of a conversation, with the tools that were used after it. */
interface PastQuery extends KeyedQuery {
  readonly voter: string;
  /** The tools, each with its part of a vote, up to 1. */
  readonly tools: (readonly [tool: string, part: number])[];
  /** The weight by age, from 0 to 1: one half after a half-life. */
  weight: number;
}

function queriesOf(uses: readonly Use[], { now, halfLife }: Circumstances): readonly PastQuery[] {
  const queries = new Map<string, PastQuery>();
  for (const { words, vector, voter, tool, usedAt, wasFirst = false } of uses) {
    const key = `${voter} ${words}`;
    const query = queries.get(key) ?? { words, vector, voter, tools: [], weight: 0 };
    queries.set(key, query);
    const part = wasFirst ? CONFIRMED : 1;
    const at = query.tools.findIndex(([other]) => other === tool);
    if (at === -1) query.tools.push([tool, part]);
    else if (part > (query.tools[at]?.[1] ?? 0)) query.tools[at] = [tool, part];
    query.weight = Math.max(query.weight, 2 ** (-Math.max(0, now - usedAt) / halfLife));
  }
  return [...queries.values()];
}

/**
 * The chance that the next query wants a tool that was never used, by Good and Turing: the share of uses whose tool was
 * used once.
 *
 * @param most - most uses of a tool by one conversation that count.
 */
function noveltyOf(queries: readonly PastQuery[], most: number): number {
  const ofPairs = new Map<string, number>();
  const times = new Map<string, number>();
  for (const { voter, tools } of queries) {
    for (const [tool] of tools) {
      const pair = `${voter} ${tool}`;
      const count = (ofPairs.get(pair) ?? 0) + 1;
      ofPairs.set(pair, count);
      if (count <= most) times.set(tool, (times.get(tool) ?? 0) + 1);
    }
  }
  let [all, once] = [0, 0];
  for (const count of times.values()) {
    all += count;
    if (count === 1) once += 1;
  }
  return all === 0 ? 1 : once / all;
}

/** A sample of the queries that has as many conversations as possible, so that none decides alone. */
function sampleOf(queries: readonly PastQuery[], most: number): readonly PastQuery[] {
  const all = inTurns(queries.toReversed(), ({ voter }) => voter);
  const last = all[Math.min(most, all.length) - 1]?.turn ?? 0;
  const some = all.filter(({ turn }) => turn <= last);
  const step = Math.max(1, some.length / most);
  const places = Array.from({ length: Math.min(most, some.length) }, (_, at) => Math.floor(at * step));
  return places.flatMap((place) => some[place]?.item ?? []);
}

function lengthOf(vector: Int8Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
