import { checkOption, messageOf } from '../errors.ts';
import {
  bestFirst,
  consoleContext,
  type IncrementalIndex,
  likelihoods,
  type MatchExplanation,
  type ScorerContext,
  type ToolDocument,
  type ToolIndex,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../util/check.ts';
import { inTime } from '../util/timeout.ts';
import { askedText, CircuitBreaker } from './circuit-breaker.ts';
import { changedDocuments, Lexicon } from './lexicon.ts';

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
   * The weight of each part, above 0, in the order of the parts. Only their proportion counts. A better embedding model
   * deserves more than the default.
   *
   * @default 0.85 for the first part; the others share the rest
   */
  readonly weights?: readonly number[];
  /**
   * Milliseconds after which a search goes on without a part. `Infinity` waits. A part whose index takes longer to
   * build, as one of many embeddings may, joins the searches when the index is ready.
   *
   * @default 30_000
   */
  readonly timeout?: number;
}

const optionNames: NamesOf<HybridScorerOptions> = { weights: true, timeout: true };

/**
 * Fuses the rankings of several scorers: a score is the weighted sum of the parts' scores, each as a share of its
 * part's best. The first part's shares count from 0; the other parts' count from their score at rank 50, because even
 * unrelated texts have a cosine. The first part should be the one of words; it weighs 85 %.
 *
 * A tool that every part ranks first has a score of 1. A query that is a tool's name, in any spelling, adds 1 to that
 * tool's score, so that it ranks first whatever the weights.
 *
 * The parts work at once. A part that fails or takes too long is left out and reported. It then rests for a second,
 * doubling up to a minute while it keeps failing: for that query, and for all queries once three different ones have
 * failed in a row. A search fails only if all parts fail.
 *
 * @throws ToolSearchError `invalid-option` for less than two parts, a part that is no scorer, or an option out of its
 * range.
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
  const settings = resolveHybrid(parts, options);
  const givesConfidence = settings[0]?.scorer.givesConfidence;
  return {
    name: 'hybrid',
    ...(givesConfidence === undefined ? {} : { givesConfidence }),
    keepsTail: true,
    index(documents, context = consoleContext) {
      const parts = settings.map((part) => new HybridPart(part, documents, context));
      return hybridIndex(parts, documents, context);
    },
  };
}

/** The weight of the first part, against all others together. */
const FIRST_WEIGHT = 0.85;

/** A scorer as a part of a hybrid. */
interface PartSettings {
  readonly scorer: ToolScorer;
  readonly weight: number;
  /** Milliseconds after which a search goes on without this part. */
  readonly timeout: number;
  /** Whether this is the first part: it gives the confidence, and its scores count from zero. */
  readonly leads: boolean;
}

/**
 * @throws ToolSearchError `invalid-option` for less than two parts, a part that is no scorer, or an option out of its
 * range.
 */
function resolveHybrid(scorers: readonly ToolScorer[], options: HybridScorerOptions): readonly PartSettings[] {
  checkOption(Array.isArray(scorers) && scorers.length >= 2, 'parts', scorers, 'an array of two scorers or more');
  for (const [position, scorer] of scorers.entries()) {
    const isScorer = typeof scorer?.index === 'function' && typeof scorer.name === 'string';
    checkOption(isScorer, `parts[${position}]`, scorer, 'a ToolScorer, e.g. bm25Scorer()');
  }
  refuseUnknownOptions('hybridScorer', options, optionNames);
  const { timeout = 30_000 } = options;
  const isTime = typeof timeout === 'number' && timeout > 0;
  checkOption(isTime, 'timeout', timeout, 'milliseconds, above 0; Infinity waits');
  const others = (1 - FIRST_WEIGHT) / (scorers.length - 1);
  const { weights = scorers.map((_, position) => (position === 0 ? FIRST_WEIGHT : others)) } = options;
  const isOneEach = Array.isArray(weights) && weights.length === scorers.length;
  checkOption(isOneEach, 'weights', weights, `an array with one number for each of the ${scorers.length} parts`);
  return scorers.map((scorer, position) => {
    const weight = weights[position] ?? Number.NaN;
    checkOption(Number.isFinite(weight) && weight > 0, `weights[${position}]`, weights[position], 'a number above 0');
    return { scorer, weight, timeout, leads: position === 0 };
  });
}

/** The ranking of one part. */
interface PartRanking extends WeightedRanking {
  readonly leads: boolean;
  /** The cosines of the closest tools, matching or not; undefined where the part compares no meanings. */
  readonly closest: readonly number[] | undefined;
  /** The part's confidence in names that it has ranked, best first. */
  confidence(ranked: readonly string[]): Promise<unknown>;
}

/**
 * One scorer of a hybrid, over one catalog. After a failure or a timeout it is left out for a while, for that query or
 * for all. Then the next search tries it again, and builds its index anew if that had failed.
 */
export class HybridPart {
  readonly settings: PartSettings;
  readonly #documents: readonly ToolDocument[];
  readonly #context: ScorerContext;
  /** Makes the first index by updating another part's. Cleared on use, so that the old index can be collected. */
  #update: (() => Promise<IncrementalIndex | undefined>) | undefined;
  /** The index, or its build under way. */
  #index: Promise<IncrementalIndex> | undefined;
  /** The index, once it is built. */
  #built: IncrementalIndex | undefined;
  /** Indexes restricted to visible tools, by the set of visible names. */
  readonly #restricted = new WeakMap<ReadonlySet<string>, ToolIndex | Promise<ToolIndex>>();
  /** Whether the current build has exceeded the timeout. No search waits for a late build, but it may still succeed. */
  #isLate = false;
  readonly #breaker = new CircuitBreaker();

  /** @param update - makes the index by updating one of other documents, where that is possible. */
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

  /** @param names - the names that may be found; all if it is left out. */
  isAvailable(query: ToolQuery, names?: ReadonlySet<string>): boolean {
    return !this.#isLate && !this.#built?.isPending?.(names) && !this.#breaker.isOpen(askedText(query));
  }

  /** Whether the part's index gives confidences; undefined before the index is built. */
  get givesConfidence(): boolean | undefined {
    return this.#built && this.#built.confidence !== undefined;
  }

  /** Builds the index. */
  async prepare(): Promise<void> {
    await this.#attempt(() => this.#indexed());
  }

  /** @param names - the names that may be found; all if it is left out. */
  ranking(query: ToolQuery, names?: ReadonlySet<string>): Promise<PartRanking> {
    const { leads, weight } = this.settings;
    return this.#attempt(async () => {
      const index = await this.#indexOf(names);
      const matches = matchesIn(await index.search(query), names);
      const closest = await (await this.#indexed()).closest?.(query, names);
      const scores = closest ?? matches.map(({ score }) => score).filter(Number.isFinite);
      const zero = leads ? Math.min(0, scores.at(-1) ?? 0) : unrelatedScore(scores);
      const confidence = async (ranked: readonly string[]): Promise<unknown> => index.confidence?.(query, ranked);
      return { leads, weight, zero, matches, closest, confidence };
    }, query);
  }

  /** The explanation of the index; undefined if no index was begun. */
  async explain(query: ToolQuery, name: string, names?: ReadonlySet<string>): Promise<MatchExplanation | undefined> {
    const index = this.#index && (await this.#indexOf(names));
    return index?.explain?.(query, name);
  }

  /** The app that the index finds unmentioned; undefined if no index was begun. */
  async unmentionedApp(query: ToolQuery, names?: ReadonlySet<string>): Promise<string | undefined> {
    const index: IncrementalIndex | undefined = this.#index && (await this.#indexOf(names));
    return index?.unmentionedApp?.(query);
  }

  /** This part for other documents. Its index is an update of this one's, if that can be updated. */
  updated(documents: readonly ToolDocument[], added: readonly ToolDocument[], removed: readonly string[]): HybridPart {
    const index = this.#index;
    const update = async () => (await index)?.update?.(added, removed);
    return new HybridPart(this.settings, documents, this.#context, update);
  }

  /** @param query - the query that a failure is counted for. A failure without an index counts for all queries. */
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
      if (!this.#isLate) this.#breaker.failed(this.#built && query && askedText(query));
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

  /** The index, or its build under way. After a failed build, a new one begins. */
  #indexed(): Promise<IncrementalIndex> {
    this.#index ??= this.#build().then(
      (index) => {
        this.#isLate = false;
        this.#built = index;
        return index;
      },
      (error: unknown) => {
        this.#index = undefined;
        // No search waits for a late build, so no search reports its failure.
        if (this.#isLate) this.#report(error);
        if (this.#isLate) this.#breaker.failed();
        this.#isLate = false;
        throw error;
      },
    );
    return this.#index;
  }

  async #build(): Promise<IncrementalIndex> {
    const update = this.#update;
    this.#update = undefined;
    const updated = await update?.().catch((error: unknown) => this.#report(error));
    return updated ?? this.settings.scorer.index(this.#documents, this.#context);
  }

  #report(error: unknown): undefined {
    this.#context.report({ scorer: this.settings.scorer.name, error });
  }
}

/** An index whose confidences can be fitted: `npm run bench:retrieval -- --fit`. */
interface HybridIndex extends IncrementalIndex {
  evidence(query: ToolQuery, names: readonly string[]): Promise<Rated>;
}

/**
 * The index of a hybrid over one catalog. It is ready when each part has built its index, or failed to in time.
 *
 * @param parts - the first one leads: it rates, and it explains if it can.
 */
async function hybridIndex(
  parts: readonly HybridPart[],
  documents: readonly ToolDocument[],
  context: ScorerContext,
): Promise<HybridIndex> {
  await answersOf(parts, context, (part) => part.prepare());
  const lexicon = new Lexicon(documents);

  /** @param visible - the names that may be found; all if it is left out. */
  function over(visible?: ReadonlySet<string>): HybridIndex {
    /** Rankings by query, for the query's confidence. */
    const known = new WeakMap<ToolQuery, readonly PartRanking[]>();

    async function ranked(query: ToolQuery): Promise<readonly PartRanking[]> {
      const available = parts.filter((part) => part.isAvailable(query, visible));
      const asked = available.length > 0 ? available : parts;
      const rankings = await answersOf(asked, context, (part) => part.ranking(query, visible));
      known.set(query, rankings);
      return rankings;
    }

    /**
     * Rates each name by the first part's confidence in it, and by its similarity in the first other part that compares
     * meanings. Rates nothing if the first part did not answer, or gives no confidence.
     */
    async function evidence(query: ToolQuery, names: readonly string[]): Promise<Rated> {
      const rankings = known.get(query) ?? (await ranked(query));
      const lead = rankings.find(({ leads }) => leads);
      const places = new Map(lead?.matches.map(({ name }, place) => [name, place]));
      const placeOf = (name: string): number => places.get(name) ?? places.size;
      const asRankedByLead = names.toSorted((one, other) => placeOf(one) - placeOf(other));
      const confidences = await lead?.confidence(asRankedByLead);
      if (!Array.isArray(confidences) || confidences.length !== names.length) return rated([], undefined);
      const words = new Map(asRankedByLead.map((name, place) => [name, confidences[place] as number]));
      const meaning = rankings.find(({ leads, closest }) => !leads && closest);
      const similarityOf = meaning && similarityIn(meaning.matches, meaning.closest ?? []);
      const judgements = names.map((name) => ({ words: words.get(name) ?? 0, similarity: similarityOf?.(name) }));
      return rated(judgements, meaning?.closest);
    }

    return {
      async search(query) {
        const scores = fusedScores(await ranked(query));
        const named = lexicon.named(query.keywords);
        return bestFirst([...scores].map(([name, score]) => ({ name, score: named.has(name) ? 1 + score : score })));
      },
      // Left out if the first part's index is built and gives no confidence.
      ...(parts[0]?.givesConfidence !== false && {
        confidence: async (query, names) => (await evidence(query, names)).confidences,
      }),
      evidence,
      async unmentionedApp(query) {
        return parts[0]?.unmentionedApp(query, visible).catch(() => undefined);
      },
      async explain(query, name) {
        for (const part of parts) {
          const explanation = await part.explain(query, name, visible).catch(() => undefined);
          if (explanation) return explanation;
        }
        return undefined;
      },
      // Hidden tools count in no part. The views share the parts, so a part that is down is left out for all requests.
      restrictedTo: over,
      update(added, removed) {
        const now = changedDocuments(documents, added, removed);
        const updated = parts.map((part) => part.updated(now, added, removed));
        return hybridIndex(updated, now, context);
      },
    };
  }
  return over();
}

/** The answers of the parts that answer; the faults of the others are reported. Throws if no part answers. */
async function answersOf<Answer>(
  parts: readonly HybridPart[],
  context: ScorerContext,
  ask: (part: HybridPart) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const outcomes = await Promise.allSettled(parts.map(ask));
  const faults = outcomes.flatMap((outcome, at) => {
    const scorer = parts[at]?.settings.scorer.name ?? '';
    return outcome.status === 'rejected' ? [{ scorer, error: outcome.reason as unknown }] : [];
  });
  if (faults.length === parts.length) {
    const errors = faults.map(({ error }) => error);
    const reasons = faults.map(({ scorer, error }) => `${scorer}: ${messageOf(error)}`);
    throw new AggregateError(errors, `No part could answer. ${reasons.join('; ')}`);
  }
  for (const fault of faults) context.report(fault);
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

/** A tool at this rank counts as unrelated to the query. */
const UNRELATED_RANK = 50;

/** The score of unrelated tools, from scores in descending order: the cosine of unrelated texts is above zero. */
export function unrelatedScore(scores: readonly number[]): number {
  return scores[UNRELATED_RANK - 1] ?? scores.at(-1) ?? 0;
}

/** The matches of one part of a hybrid. */
export interface WeightedRanking {
  readonly weight: number;
  /** The score of an unrelated tool: 0 for words, more for cosines. */
  readonly zero: number;
  /** Best first. */
  readonly matches: readonly ToolMatch[];
}

/**
 * The weighted sum of the rankings' scores, by name. Each score counts as a share of the way from an unrelated tool's
 * score to the best one. A tool that is first in every ranking scores 1.
 */
export function fusedScores(rankings: readonly WeightedRanking[]): Map<string, number> {
  const most = rankings.reduce((sum, { weight }) => sum + weight, 0);
  const sums = new Map<string, number>();
  for (const ranking of rankings) {
    const shares = sharesOf(ranking);
    for (const [position, { name }] of ranking.matches.entries()) {
      sums.set(name, (sums.get(name) ?? 0) + (ranking.weight * (shares[position] ?? 0)) / most);
    }
  }
  return sums;
}

/**
 * The matches in a scorer's answer; entries of another form are dropped.
 *
 * @param names - the names that may be found; all if it is left out.
 * @throws TypeError if the answer is no list.
 */
function matchesIn(answer: unknown, names?: ReadonlySet<string>): readonly ToolMatch[] {
  if (!Array.isArray(answer)) throw new TypeError('its search() did not return an array of matches');
  const isMatch = (entry: unknown): entry is ToolMatch => {
    const name = (entry as Partial<ToolMatch> | null | undefined)?.name;
    return typeof name === 'string' && (names?.has(name) ?? true);
  };
  return answer.filter(isMatch);
}

/** The lowest share of a match, so that the last one still scores above a tool that does not match. */
const LEAST = 0.01;

/** Each match's score as a share of the way from `zero` to the best one, at least `LEAST`. */
export function sharesOf({
  matches,
  zero,
}: {
  readonly matches: readonly ToolMatch[];
  readonly zero: number;
}): readonly number[] {
  const best = matches.find(({ score }) => Number.isFinite(score))?.score ?? 0;
  return matches.map(({ score }) => {
    if (score >= best) return 1;
    const share = (score - zero) / (best - zero);
    return share > 0 ? LEAST + (1 - LEAST) * share : LEAST;
  });
}

/** The fewest tools whose cosines show what is unrelated. */
const FEWEST = 10;
/** The narrowest range of cosines that tells tools apart: a model may give all texts the same vector. */
const NARROWEST = 0.001;
/** From this confidence on, the words have matched an exact name, and similarity is ignored. */
const NAMED = 0.99;

/**
 * The similarity of a ranking's tools, 0 for an unrelated and 1 for the closest one; undefined if there are too few
 * tools.
 *
 * @param closest - the highest cosines, in descending order, of tools that match or not.
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

/**
 * How close the closest tool is, as a share of the way from an unrelated tool to the query itself: each model has its
 * own scale of cosines. Undefined if there are too few tools.
 */
function closenessIn(closest: readonly number[] | undefined): number | undefined {
  if (!closest || closest.length < FEWEST) return undefined;
  const unrelated = unrelatedScore(closest);
  return unrelated >= 1 ? 0 : ((closest[0] ?? 0) - unrelated) / (1 - unrelated);
}

/** How the parts of a hybrid judge one tool. */
interface HybridJudgement {
  /** The confidence by words. */
  readonly words: number;
  /** The tool's cosine, as a share of the way from an unrelated tool's to the closest one's, if it is known. */
  readonly similarity: number | undefined;
}

/** A judgement with the confidence by words in log odds. */
type HybridEvidence = { readonly words: number; readonly similarity: number };

interface Rated {
  /** Undefined without a similarity, or if the words have matched an exact name. */
  readonly each: readonly (HybridEvidence | undefined)[];
  /** Undefined without a closeness, or if the words have matched an exact name. */
  readonly together?: { readonly closeness: number };
  /** In descending order, because the order of the fused ranking is the better judgement. */
  readonly confidences: readonly number[];
}

/**
 * A logistic regression over the first five results of a hybrid in which all-MiniLM-L6-v2 weighs 0.4, on the labelled
 * sets and, with a tenth of the weight, on queries that nothing fits: `npm run bench:retrieval -- --fit`.
 */
const APART = { weights: { words: 0.68, similarity: 1.66 }, intercept: -1.64 };
/**
 * Fitted as `APART`, over the first five results together. Queries that nothing fits weigh as much as the labelled
 * ones.
 */
const TOGETHER = { weights: { apart: 0.91, closeness: 5.81 }, intercept: -0.98 };

/** The likelihood that each tool is what was asked for, by its confidence by words and, if known, its similarity. */
export function rated(judgements: readonly HybridJudgement[], closest: readonly number[] | undefined): Rated {
  const each = judgements.map(({ words, similarity }): HybridEvidence | undefined =>
    similarity === undefined || words >= NAMED ? undefined : { words: likelihoods.logOddsOf(words), similarity },
  );
  const apart = judgements
    .map(({ words }, at) => (each[at] ? likelihoods.likelihoodBy(each[at], APART) : words))
    .sort((one, other) => other - one);
  const closeness = closenessIn(closest);
  if (closeness === undefined || (apart[0] ?? 0) >= NAMED) return { each, confidences: apart };
  return { each, together: { closeness }, confidences: likelihoods.judgedTogether(apart, { closeness }, TOGETHER) };
}
