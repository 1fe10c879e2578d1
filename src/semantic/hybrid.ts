import {
  bestFirst,
  bm25Scorer,
  checkOption,
  consoleContext,
  given,
  type IncrementalIndex,
  inTime,
  judgedTogether,
  type MatchExplanation,
  messageOf,
  type NamesOf,
  type ResolvedEmbedder,
  refuseUnknownOptions,
  type ScorerContext,
  type ScorerFault,
  type ToolDocument,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import { askedText, CircuitBreaker } from './circuit-breaker.ts';
import { changedDocuments, Lexicon } from './lexicon.ts';
import { checkInnerScorer, matchesIn, sharesOf } from './reranking.ts';
import { growingSemanticScorer, type SemanticScorerOptions } from './semantic.ts';

/**
 * The options of `hybridScorer`.
 *
 * @example
 * ```ts
 * const options: HybridScorerOptions = { weights: [0.7, 0.3], timeout: 2_000 };
 * hybridScorer([bm25Scorer(), tieredScorer()], options);
 * ```
 */
export interface HybridScorerOptions {
  /**
   * What is fused: the parts' scores, or their ranks alone, for parts whose scores say nothing.
   *
   * @default 'scores'; with a `k` 'ranks'
   */
  readonly fusion?: 'scores' | 'ranks';
  /**
   * The weight of each part, above 0, in the order of the parts. Only their proportion counts. A better embedding model
   * deserves more than the default.
   *
   * @default 0.85 for the first part, with ranks 0.75; the others share the rest
   */
  readonly weights?: readonly number[];
  /**
   * Smoothing of the ranks: with a larger `k`, the first ones count less against the later ones. 0 or more. With ranks
   * only.
   *
   * @default 5
   */
  readonly k?: number;
  /**
   * Milliseconds after which a search goes on without a part. `Infinity` waits. A part that is still building its index
   * takes part as soon as it has one: an index of many embeddings may take longer than a model should wait.
   *
   * @default 30_000
   */
  readonly timeout?: number;
}

const optionNames: NamesOf<HybridScorerOptions> = { fusion: true, weights: true, k: true, timeout: true };

/**
 * Fuses the rankings of several scorers. By default their scores are added up, each as a share of its part's best: that
 * of the first part counting from zero, that of every other part from its match at rank 50, as what is unrelated has a
 * cosine too. The first part should be the one of words, and weighs 85 %.
 *
 * With `fusion: 'ranks'` a tool earns `weight / (k + rank)` from each part: weighted reciprocal rank fusion (Cormack,
 * Clarke and Büttcher, SIGIR 2009).
 *
 * Scores are shares of what a tool earns that every part ranks first, so 1 at most. So that an exact name wins whatever
 * the weights, a query that is a tool's name, in any spelling, ranks that tool first, with 1 on top of its score.
 *
 * The parts work at once. One that fails or takes too long is left out and reported, then rests for a second, doubling
 * up to a minute while it keeps failing: for that query, and for all once three different ones have failed in a row.
 * Only when all parts fail does the search fail.
 *
 * @throws ToolSearchError `invalid-option` for less than two parts, what is no scorer, or an option out of its range.
 *
 * @example
 * ```ts
 * import { hybridScorer, semanticScorer } from 'mastra-tool-search/semantic';
 * import { ModelRouterEmbeddingModel } from '@mastra/core/llm';
 *
 * const embed = new ModelRouterEmbeddingModel('openai/text-embedding-3-small');
 * const scorer = hybridScorer([bm25Scorer(), semanticScorer({ embed })], { weights: [0.7, 0.3] });
 * new ToolSearchProcessor({ tools, search: { scorer } });
 * ```
 */
export function hybridScorer(parts: readonly ToolScorer[], options: HybridScorerOptions = {}): ToolScorer {
  const { fuse, settings } = resolveHybrid(parts, options);
  const givesConfidence = settings[0]?.scorer.givesConfidence;
  return {
    name: 'hybrid',
    ...(givesConfidence === undefined ? {} : { givesConfidence }),
    keepsTail: true,
    index(documents, context = consoleContext) {
      const parts = settings.map((part) => new HybridPart(part, documents, context));
      return hybridIndex(parts, fuse, documents, context);
    },
  };
}

/** The scorer of the option `search.embedder`: by words at once, and by meaning as soon as the vectors are there. */
export function wordsAndMeaning({ share, timeout, ...embedding }: ResolvedEmbedder): ToolScorer {
  const meaning = growingSemanticScorer(given(embedding) as typeof embedding & SemanticScorerOptions);
  return hybridScorer([bm25Scorer(), meaning], { weights: [1 - share, share], timeout });
}

/** The weight of the first part, against all others together. */
const FIRST_WEIGHT = { scores: 0.85, ranks: 0.75 };

/** Scores of the fused ranking, by the name. */
type Fuse = (rankings: readonly WeightedRanking[]) => Map<string, number>;

/** A scorer as a part of a hybrid. */
interface PartSettings {
  readonly scorer: ToolScorer;
  readonly weight: number;
  /** Milliseconds after which a search goes on without it. */
  readonly timeout: number;
}

/** @throws ToolSearchError `invalid-option` for less than two parts, what is no scorer, or an option out of its range. */
function resolveHybrid(
  scorers: readonly ToolScorer[],
  options: HybridScorerOptions,
): { readonly fuse: Fuse; readonly settings: readonly PartSettings[] } {
  checkOption(Array.isArray(scorers) && scorers.length >= 2, 'parts', scorers, 'an array of two scorers or more');
  for (const [position, scorer] of scorers.entries()) {
    checkInnerScorer(`parts[${position}]`, scorer, 'a scorer; have it rerank the hybrid');
  }
  refuseUnknownOptions('hybridScorer', options, optionNames);
  const { fusion = options.k === undefined ? 'scores' : 'ranks', k = 5, timeout = 30_000 } = options;
  checkOption(fusion === 'scores' || fusion === 'ranks', 'fusion', fusion, "'scores' or 'ranks'");
  checkOption(fusion === 'ranks' || options.k === undefined, 'k', k, "left out with fusion 'scores'");
  checkOption(Number.isFinite(k) && k >= 0, 'k', k, 'a number of at least 0');
  const isTime = typeof timeout === 'number' && timeout > 0;
  checkOption(isTime, 'timeout', timeout, 'milliseconds, above 0; Infinity waits');
  const first = FIRST_WEIGHT[fusion];
  const others = (1 - first) / (scorers.length - 1);
  const { weights = scorers.map((_, position) => (position === 0 ? first : others)) } = options;
  const isOneEach = Array.isArray(weights) && weights.length === scorers.length;
  checkOption(isOneEach, 'weights', weights, `an array with one number for each of the ${scorers.length} parts`);
  const settings = scorers.map((scorer, position) => {
    const weight = weights[position] ?? Number.NaN;
    checkOption(Number.isFinite(weight) && weight > 0, `weights[${position}]`, weights[position], 'a number above 0');
    return { scorer, weight, timeout };
  });
  return { fuse: fusion === 'ranks' ? (rankings) => fusedRanks(rankings, k) : fusedScores, settings };
}

/**
 * One of a hybrid's scorers over one catalog. After a failure or a delay it is left out for a while, for that query or
 * for all; then the next search tries it again, and builds its index if that had failed.
 */
class HybridPart {
  readonly settings: PartSettings;
  readonly #documents: readonly ToolDocument[];
  readonly #context: ScorerContext;
  /** Makes the first index out of another part's. Dropped when it is used, so that the other index can go. */
  #update: (() => Promise<IncrementalIndex | undefined>) | undefined;
  /** The index, or its build under way. */
  #index: Promise<IncrementalIndex> | undefined;
  /** The index, once it is built. */
  #built: IncrementalIndex | undefined;
  /** Indexes of what requests may see, by the names. */
  readonly #restricted = new WeakMap<ReadonlySet<string>, ToolIndex | Promise<ToolIndex>>();
  /** Whether the build under way takes longer than its time. No search waits for it, but it may still succeed. */
  #isLate = false;
  readonly #breaker = new CircuitBreaker();

  /** @param update - makes the index out of one for other documents, where that is possible. */
  constructor(
    settings: PartSettings,
    documents: readonly ToolDocument[],
    context: ScorerContext,
    update?: () => Promise<IncrementalIndex | undefined>,
  ) {
    this.settings = settings;
    this.#documents = documents;
    this.#context = context;
    this.#update = update;
  }

  isAvailable(query: ToolQuery): boolean {
    return !this.#isLate && !this.#built?.isPending?.() && !this.#breaker.isOpen(askedText(query));
  }

  /** Whether its index rates matches; undefined while there is none. */
  get givesConfidence(): boolean | undefined {
    return this.#built && this.#built.confidence !== undefined;
  }

  /** Builds the index. */
  async prepare(): Promise<void> {
    await this.#attempt(() => this.#indexed());
  }

  /** @param names - those that may be found; all without it. */
  search(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly ToolMatch[]> {
    return this.#attempt(async () => {
      const matches: unknown = await (await this.#indexOf(names)).search(query);
      if (!Array.isArray(matches)) throw new Error('its search() did not return an array of matches');
      return matchesIn(matches, names);
    }, query);
  }

  /** The confidence of names that the last search ranked, best first; an empty list where there is none. */
  async confidence(
    query: ToolQuery,
    ranked: readonly string[],
    names?: ReadonlySet<string>,
  ): Promise<readonly number[]> {
    const confidences = await (await this.#indexOf(names)).confidence?.(query, ranked);
    return Array.isArray(confidences) ? confidences : [];
  }

  /** The cosines of the tools closest to a query, matching or not; undefined where the scorer compares no meanings. */
  async closest(query: ToolQuery, names?: ReadonlySet<string>): Promise<readonly number[] | undefined> {
    return (await this.#indexed()).closest?.(query, names);
  }

  /** The explanation from the index that is there; undefined where that fails. */
  async explain(query: ToolQuery, name: string, names?: ReadonlySet<string>): Promise<MatchExplanation | undefined> {
    try {
      const index = this.#index && (await this.#indexOf(names));
      return await index?.explain?.(query, name);
    } catch {
      return undefined;
    }
  }

  /** This part for other documents. Its index is made from this one's, where that can be updated. */
  updated(documents: readonly ToolDocument[], added: readonly ToolDocument[], removed: readonly string[]): HybridPart {
    const index = this.#index;
    const update = async () => (await index)?.update?.(added, removed);
    return new HybridPart(this.settings, documents, this.#context, update);
  }

  /** @param query - not at fault while there is no index. */
  async #attempt<Value>(task: () => Promise<Value>, query?: ToolQuery): Promise<Value> {
    const { timeout } = this.settings;
    const late = (): Error => {
      this.#isLate = this.#index !== undefined && !this.#built;
      return new Error(`${this.#isLate ? 'building its index' : 'its search'} takes longer than ${timeout} ms`);
    };
    try {
      const value = await inTime(task(), timeout, late);
      this.#breaker.worked();
      return value;
    } catch (error) {
      this.#breaker.failed(this.#built && query && askedText(query));
      throw error;
    }
  }

  async #indexOf(names: ReadonlySet<string> | undefined): Promise<ToolIndex> {
    const index = await this.#indexed();
    if (!names || !index.restrictedTo) return index;
    const restricted = this.#restricted.get(names) ?? index.restrictedTo(names);
    this.#restricted.set(names, restricted);
    return restricted;
  }

  /** The index, or the build under way. One that failed is built anew. */
  #indexed(): Promise<IncrementalIndex> {
    if (this.#index !== undefined) return this.#index;
    const build = this.#build();
    this.#index = build;
    build.then(
      (index) => {
        this.#built = index;
        if (this.#isLate) this.#breaker.end();
        this.#isLate = false;
      },
      (error: unknown) => {
        this.#index = undefined;
        if (!this.#isLate) return;
        // No search waits for this build any more, so that none would report it.
        this.#isLate = false;
        this.#breaker.end();
        this.#breaker.failed();
        this.#context.report({ scorer: this.settings.scorer.name, error });
      },
    );
    return build;
  }

  async #build(): Promise<IncrementalIndex> {
    const update = this.#update;
    this.#update = undefined;
    try {
      const updated = await update?.();
      if (updated) return updated;
    } catch (error) {
      this.#context.report({ scorer: this.settings.scorer.name, error });
    }
    return this.settings.scorer.index(this.#documents, this.#context);
  }
}

/** The ranking of one part, and which part that is. */
interface PartRanking extends WeightedRanking {
  readonly part: HybridPart;
  /** The cosines of the closest tools, where the part compares meanings. */
  readonly closest: readonly number[] | undefined;
}

/** An index whose confidences can be fitted: `npm run bench:retrieval -- --fit`. */
interface HybridIndex extends IncrementalIndex {
  evidence(query: ToolQuery, names: readonly string[]): Promise<RatedHybridEvidence>;
}

interface RatedHybridEvidence {
  readonly each: readonly (HybridEvidence | undefined)[];
  readonly together?: { readonly closeness: number };
}

/** What the parts say of some tools, and the cosines of the closest ones. */
interface Judgements {
  readonly of: readonly HybridJudgement[];
  readonly closest?: readonly number[] | undefined;
}

/**
 * The index of a hybrid over one catalog, as soon as each part has one, or has failed to build it in time.
 *
 * @param parts - the first one leads: confidence and explanation are its own.
 */
async function hybridIndex(
  parts: readonly HybridPart[],
  fuse: Fuse,
  documents: readonly ToolDocument[],
  context: ScorerContext,
): Promise<HybridIndex> {
  await answersOf(parts, context, (part) => part.prepare());
  const lexicon = new Lexicon(documents);
  const [lead] = parts;

  /** @param visible - the names that may be found; all without it. */
  function over(visible?: ReadonlySet<string>): HybridIndex {
    /** The rankings of a query, for its confidence. */
    const known = new WeakMap<ToolQuery, readonly PartRanking[]>();

    async function ranked(query: ToolQuery): Promise<readonly PartRanking[]> {
      const available = parts.filter((part) => part.isAvailable(query));
      const asked = available.length > 0 ? available : parts;
      const rankings = await answersOf(asked, context, async (part): Promise<PartRanking> => {
        const matches = await part.search(query, visible);
        const closest = await part.closest(query, visible);
        const scores = closest ?? matches.map(({ score }) => score).filter(Number.isFinite);
        const zero = part === lead ? Math.min(0, scores.at(-1) ?? 0) : unrelatedScore(scores);
        return { part, weight: part.settings.weight, zero, matches, closest };
      });
      known.set(query, rankings);
      return rankings;
    }

    /**
     * The confidence of the first part in each name, and its similarity by the first other part that compares meanings; of
     * none where the first part did not answer, or rates nothing.
     */
    async function judge(query: ToolQuery, names: readonly string[]): Promise<Judgements> {
      const rankings = known.get(query) ?? (await ranked(query));
      const byLead = rankings.find(({ part }) => part === lead);
      if (!byLead) return { of: [] };
      const places = new Map(byLead.matches.map(({ name }, place) => [name, place]));
      const placeOf = (name: string): number => places.get(name) ?? places.size;
      const asRankedByLead = names.toSorted((one, other) => placeOf(one) - placeOf(other));
      const confidences = await byLead.part.confidence(query, asRankedByLead, visible);
      if (confidences.length !== names.length) return { of: [] };
      const words = new Map(asRankedByLead.map((name, place) => [name, confidences[place] ?? 0]));
      const meaning = rankings.find((ranking) => ranking !== byLead && ranking.closest);
      const similarityOf = meaning && similarityIn(meaning.matches, meaning.closest ?? []);
      const judgements = names.map((name) => ({ words: words.get(name) ?? 0, similarity: similarityOf?.(name) }));
      return { of: judgements, closest: meaning?.closest };
    }

    async function confidence(query: ToolQuery, names: readonly string[]): Promise<readonly number[]> {
      const judgements = await judge(query, names);
      return confidencesWith(judgements.of, judgements.closest);
    }

    async function evidence(query: ToolQuery, names: readonly string[]): Promise<RatedHybridEvidence> {
      const judgements = await judge(query, names);
      const closeness = closenessIn(judgements.closest);
      const each = judgements.of.map(hybridEvidenceOf);
      const isSure = each.includes(undefined);
      return { each, ...(closeness === undefined || isSure ? {} : { together: { closeness } }) };
    }

    return {
      async search(query) {
        const scores = fuse(await ranked(query));
        const named = lexicon.named(query.keywords);
        return bestFirst([...scores].map(([name, score]) => ({ name, score: named.has(name) ? 1 + score : score })));
      },
      // There where the first part has a confidence, or may have one when its index is built.
      ...(lead?.givesConfidence === false ? {} : { confidence }),
      evidence,
      async explain(query, name) {
        for (const part of parts) {
          const explanation = await part.explain(query, name, visible);
          if (explanation) return explanation;
        }
        return undefined;
      },
      // Hidden tools count in no part. The parts are the same, so that one that is down is left out for all requests.
      restrictedTo: (names) => over(names),
      update(added, removed) {
        const now = changedDocuments(documents, added, removed);
        const updated = parts.map((part) => part.updated(now, added, removed));
        return hybridIndex(updated, fuse, now, context);
      },
    };
  }
  return over();
}

/** The answers of the parts that can give one; the faults of the others are reported. Throws when no part can. */
async function answersOf<Answer>(
  parts: readonly HybridPart[],
  context: ScorerContext,
  ask: (part: HybridPart) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const outcomes = await Promise.allSettled(parts.map(ask));
  const answers: Answer[] = [];
  const faults: ScorerFault[] = [];
  for (const [position, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') answers.push(outcome.value);
    else faults.push({ scorer: parts[position]?.settings.scorer.name ?? '', error: outcome.reason });
  }
  if (answers.length === 0) {
    const errors = faults.map(({ error }) => error);
    const reasons = faults.map(({ scorer, error }) => `${scorer}: ${messageOf(error)}`);
    throw new AggregateError(errors, `No part could answer. ${reasons.join('; ')}`);
  }
  for (const fault of faults) context.report(fault);
  return answers;
}

/** The rank at which a tool is taken for unrelated to a query. */
const UNRELATED_RANK = 50;

/** The score that unrelated tools have in a ranking, best first: cosines do not count from zero. */
export function unrelatedScore(scores: readonly number[]): number {
  return scores[UNRELATED_RANK - 1] ?? scores.at(-1) ?? 0;
}

/** The matches of one part of a hybrid. */
export interface WeightedRanking {
  readonly weight: number;
  /** The score of what is unrelated: 0 for words, more for cosines. */
  readonly zero: number;
  /** Best first. */
  readonly matches: readonly ToolMatch[];
}

/**
 * The sum of the rankings' scores by name, each as a share of the way from what is unrelated to the best. A tool that
 * every ranking has first scores 1.
 */
export function fusedScores(rankings: readonly WeightedRanking[]): Map<string, number> {
  const most = rankings.reduce((sum, { weight }) => sum + weight, 0);
  return sumByName(rankings, (ranking) => sharesOf(ranking).map((share) => (ranking.weight * share) / most));
}

/**
 * The sum of `weight / (k + rank)` by name, equal scores sharing the better rank. A tool that every ranking has first
 * scores 1.
 */
function fusedRanks(rankings: readonly WeightedRanking[], k: number): Map<string, number> {
  const most = rankings.reduce((sum, { weight }) => sum + weight / (k + 1), 0);
  return sumByName(rankings, ({ weight, matches }) => {
    let rank = 0;
    return matches.map(({ score }, position) => {
      if (score !== matches[position - 1]?.score) rank = position + 1;
      return weight / (k + rank) / most;
    });
  });
}

/** @param worth - what each match of a ranking adds, in their order. */
function sumByName(
  rankings: readonly WeightedRanking[],
  worth: (ranking: WeightedRanking) => readonly number[],
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const ranking of rankings) {
    const worths = worth(ranking);
    for (const [position, { name }] of ranking.matches.entries()) {
      sums.set(name, (sums.get(name) ?? 0) + (worths[position] ?? 0));
    }
  }
  return sums;
}

/** The fewest tools whose cosines show what is unrelated. */
const FEWEST = 10;
/** The least range of cosines that tells tools apart: all texts may be the same to a model. */
const NARROWEST = 0.001;
/** The confidence of words is taken to be this far from 0 and 1 at least, where its log odds have no end. */
const SURE = 0.0001;
/** From here on words are certain of a name, and meaning changes nothing. */
const NAMED = 0.99;

/**
 * The similarity of the tools of a ranking; undefined where there are too few.
 *
 * @param closest - the highest cosines, matching or not, the highest first.
 */
export function similarityIn(
  matches: readonly ToolMatch[],
  closest: readonly number[],
): ((name: string) => number) | undefined {
  if (closest.length < FEWEST) return undefined;
  const [best = 0] = closest;
  const unrelated = unrelatedScore(closest);
  const byName = new Map(matches.map(({ name, score }) => [name, score]));
  return (name) => {
    const cosine = byName.get(name) ?? unrelated;
    return Math.max(0, (cosine - unrelated) / Math.max(NARROWEST, best - unrelated));
  };
}

/** What the parts of a hybrid say of one tool. */
interface HybridJudgement {
  /** The confidence of the words. */
  readonly words: number;
  /** Its cosine as a share of the way from an unrelated tool's to the closest one's, where known. */
  readonly similarity: number | undefined;
}

/** A judgement with the confidence of the words in log odds. */
interface HybridEvidence {
  readonly words: number;
  readonly similarity: number;
}

/** The evidence for a tool; undefined without a similarity, or where the words are certain of its name. */
function hybridEvidenceOf({ words, similarity }: HybridJudgement): HybridEvidence | undefined {
  if (similarity === undefined || words >= NAMED) return undefined;
  const bounded = Math.min(1 - SURE, Math.max(SURE, words));
  return { words: Math.log(bounded / (1 - bounded)), similarity };
}

/**
 * A logistic regression over the first five results of a hybrid with 0.4 for all-MiniLM-L6-v2, on the labelled sets and,
 * with a tenth of the weight, on queries that nothing fits: `npm run bench:retrieval -- --fit`.
 */
const WEIGHTS: HybridEvidence = { words: 0.68, similarity: 1.66 };
const INTERCEPT = -1.64;

/** How likely a tool is what was asked for, by the confidence of the words and, where known, by its similarity. */
function confidenceWith(judgement: HybridJudgement): number {
  const evidence = hybridEvidenceOf(judgement);
  if (!evidence) return judgement.words;
  const logOdds = INTERCEPT + WEIGHTS.words * evidence.words + WEIGHTS.similarity * evidence.similarity;
  return 1 / (1 + Math.exp(-logOdds));
}

/** The confidences of tools, the highest first: the order of the fused ranking is the better judgement. */
export function confidencesWith(
  judgements: readonly HybridJudgement[],
  closest: readonly number[] | undefined,
): readonly number[] {
  const apart = judgements.map(confidenceWith).sort((one, other) => other - one);
  const closeness = closenessIn(closest);
  const isSure = (apart[0] ?? 0) >= NAMED;
  return closeness === undefined || isSure ? apart : judgedTogether(apart, { closeness }, TOGETHER);
}

/**
 * How close the closest tool comes, as a share of the way from an unrelated one to the query itself: models have cosines on
 * scales of their own. Undefined where there are too few tools.
 */
function closenessIn(closest: readonly number[] | undefined): number | undefined {
  if (!closest || closest.length < FEWEST) return undefined;
  const unrelated = unrelatedScore(closest);
  return unrelated >= 1 ? 0 : ((closest[0] ?? 0) - unrelated) / (1 - unrelated);
}

/** As above, of the first five together, where queries that nothing fits count as much as the labelled ones. */
const TOGETHER = { weights: { apart: 0.91, closeness: 5.81 }, intercept: -0.98 };
