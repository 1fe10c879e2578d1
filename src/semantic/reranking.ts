import {
  bestFirst,
  checkOption,
  consoleContext,
  type IncrementalIndex,
  inTime,
  type NamesOf,
  refuseUnknownOptions,
  type ScorerContext,
  type ToolDocument,
  type ToolMatch,
  type ToolQuery,
  type ToolScorer,
} from '../kit.ts';
import { askedText, CircuitBreaker } from './circuit-breaker.ts';
import { documentText } from './embedder.ts';
import { changedDocuments, Lexicon } from './lexicon.ts';

/**
 * A tool that is ranked anew.
 *
 * @example
 * ```ts
 * const text = ({ name, text }: RerankCandidate) => `${name}: ${text}`;
 * ```
 */
export interface RerankCandidate {
  readonly name: string;
  /** The words of its name, its title, keywords, description and parameter names, bounded: what is embedded, too. */
  readonly text: string;
}

/**
 * Scores each candidate by its relevance to the query, higher is better, on any scale, in the order of the candidates.
 * `signal` is aborted when the time is up.
 *
 * @example
 * ```ts
 * import { type RerankingModel, rerank } from 'ai';
 *
 * const rerankedBy =
 *   (model: RerankingModel): RerankFunction =>
 *   async (query, candidates, { signal }) => {
 *     const documents = candidates.map(({ text }) => text);
 *     const { ranking } = await rerank({ model, query, documents, abortSignal: signal });
 *     const scores = new Map(ranking.map(({ originalIndex, score }) => [originalIndex, score]));
 *     return candidates.map((_, position) => scores.get(position) ?? 0);
 *   };
 * ```
 */
export type RerankFunction = (
  query: string,
  candidates: readonly RerankCandidate[],
  options: { readonly signal: AbortSignal },
) => readonly number[] | Promise<readonly number[]>;

/**
 * The options of `rerankingScorer`.
 *
 * @example
 * ```ts
 * const options: RerankingScorerOptions = { rerank: (query, candidates) => candidates.map(() => 0), candidates: 20 };
 * rerankingScorer(bm25Scorer(), options);
 * ```
 */
export interface RerankingScorerOptions {
  /** The judge of the candidates. Retries are its business. */
  readonly rerank: RerankFunction;
  /**
   * The first matches that are ranked anew, 2 or more.
   *
   * @default 30
   */
  readonly candidates?: number;
  /**
   * Milliseconds after which the first ranking stands. `Infinity` waits.
   *
   * @default 2_000
   */
  readonly timeout?: number;
  /**
   * What `rerank` counts against the first ranking, above 0, up to 1: with 1 it alone decides.
   *
   * @default 0.5
   */
  readonly weight?: number;
}

const optionNames: NamesOf<RerankingScorerOptions> = { rerank: true, candidates: true, timeout: true, weight: true };

/**
 * Has the first matches of a scorer ranked anew, by a model that reads the query and each tool together, such as those
 * of Cohere, Voyage or Jina.
 *
 * Candidates score 0.5 to 1, what comes behind them less; a query that is a tool's name, in any spelling, ranks that
 * tool first, with 1 on top. The reranker is shown only tools that the request may see. When it fails or takes too long,
 * the first ranking stands, and there is an event; then it rests for a second, doubling up to a minute while it keeps
 * failing: for that query, and for all once three different ones have failed in a row.
 *
 * @throws ToolSearchError `invalid-option` for what is no scorer, or an option out of its range.
 *
 * @example
 * ```ts
 * import { rerankingScorer } from 'mastra-tool-search/semantic';
 *
 * const rerank: RerankFunction = async (query, candidates, { signal }) => {
 *   const body = JSON.stringify({ query, documents: candidates.map(({ text }) => text) });
 *   const response = await fetch('http://localhost:8080/rerank', { method: 'POST', body, signal });
 *   return (await response.json()) as number[];
 * };
 * new ToolSearchProcessor({ tools, search: { scorer: rerankingScorer(bm25Scorer(), { rerank }) } });
 * ```
 */
export function rerankingScorer(scorer: ToolScorer, options: RerankingScorerOptions): ToolScorer {
  checkInnerScorer('scorer', scorer, 'one that does not rerank itself');
  const settings = checkedOptions(options);
  // All catalogs of a scorer share it.
  const breaker = new CircuitBreaker();
  const reranking: ToolScorer = {
    name: 'reranking',
    ...(scorer.givesConfidence === undefined ? {} : { givesConfidence: scorer.givesConfidence }),
    keepsTail: true,
    async index(documents, context = consoleContext) {
      return rerankingIndex(await scorer.index(documents, context), documents, { settings, breaker, context });
    },
  };
  rerankingScorers.add(reranking);
  return reranking;
}

/** Scorers that show tools to a reranker. */
const rerankingScorers: WeakSet<ToolScorer> = new WeakSet();

/**
 * Refuses what cannot be a part of another scorer. One that reranks would be shown tools that a request may not see: the
 * first ranking, before the filter is asked, is of all of them.
 *
 * @throws ToolSearchError `invalid-option`
 */
export function checkInnerScorer(option: string, scorer: ToolScorer, expected: string): void {
  const isScorer = typeof scorer?.index === 'function' && typeof scorer.name === 'string';
  checkOption(isScorer, option, scorer, 'a ToolScorer, e.g. bm25Scorer()');
  checkOption(!rerankingScorers.has(scorer), option, 'rerankingScorer()', expected);
}

/** @throws ToolSearchError `invalid-option` for an option of the wrong type or range. */
function checkedOptions(options: RerankingScorerOptions): Required<RerankingScorerOptions> {
  refuseUnknownOptions('rerankingScorer', options, optionNames);
  const { rerank, candidates = 30, timeout = 2_000, weight = 0.5 } = options;
  checkOption(typeof rerank === 'function', 'rerank', rerank, 'a function from a query and tools to scores');
  const isCount = Number.isInteger(candidates) && candidates >= 2;
  checkOption(isCount, 'candidates', candidates, 'a whole number of at least 2');
  checkTimeout(timeout);
  const isWeight = typeof weight === 'number' && weight > 0 && weight <= 1;
  checkOption(isWeight, 'weight', weight, 'a number above 0, up to 1');
  return { rerank, candidates, timeout, weight };
}

/** @throws ToolSearchError `invalid-option` */
export function checkTimeout(timeout: number): void {
  const isTime = typeof timeout === 'number' && timeout > 0;
  checkOption(isTime, 'timeout', timeout, 'milliseconds, above 0; Infinity waits');
}

/** What judges candidates, and not while it keeps failing. */
interface Judge {
  readonly settings: Required<RerankingScorerOptions>;
  readonly breaker: CircuitBreaker;
  readonly context: ScorerContext;
}

/** @param whole - the index of all documents, whose ranking comes first. */
function rerankingIndex(whole: IncrementalIndex, documents: readonly ToolDocument[], judge: Judge): IncrementalIndex {
  const { candidates: count, weight } = judge.settings;
  const texts = new Map(documents.map((document) => [document.name, document]));
  const lexicon = new Lexicon(documents);

  /** The share of each candidate, from 0 to 1: by the judge and the first ranking, or by the latter alone. */
  async function sharesAnew(query: ToolQuery, candidates: readonly ToolMatch[]): Promise<readonly number[]> {
    const first = sharesOf({ matches: candidates, zero: Math.min(0, candidates.at(-1)?.score ?? 0) });
    if (candidates.length < 2) return first;
    const judged = candidates.map(({ name }): RerankCandidate => {
      const document = texts.get(name);
      return { name, text: document ? documentText(document) : name };
    });
    const scores = await scoresOf(query, judged, judge);
    if (!scores) return first;
    const lowest = Math.min(...scores);
    const span = Math.max(...scores) - lowest;
    return first.map((share, place) => {
      const anew = span > 0 ? ((scores[place] ?? 0) - lowest) / span : 1;
      return weight * anew + (1 - weight) * share;
    });
  }

  /** @param names - those that may be found; all without it. */
  function over(index: IncrementalIndex, names?: ReadonlySet<string>): IncrementalIndex {
    const firstRankings = new WeakMap<ToolQuery, readonly ToolMatch[]>();

    /** The first ranking, which is shown to no judge. */
    async function draft(query: ToolQuery): Promise<readonly ToolMatch[]> {
      const known = firstRankings.get(query);
      if (known) return known;
      const ranking = matchesIn(await index.search(query), names);
      firstRankings.set(query, ranking);
      return ranking;
    }

    /**
     * The confidences of the first ranking, the highest for the best: how likely the places are to fit does not shrink when
     * a better judge fills them.
     */
    async function confidence(query: ToolQuery, shown: readonly string[]): Promise<readonly number[]> {
      const wanted = new Set(shown);
      const asRankedFirst = (await draft(query)).flatMap(({ name }) => (wanted.has(name) ? [name] : []));
      const confidences = await index.confidence?.(query, asRankedFirst);
      if (!Array.isArray(confidences) || confidences.length !== shown.length) return [];
      return confidences.toSorted((one, other) => other - one);
    }

    return {
      draft,
      async search(query) {
        const matches = await draft(query);
        const shares = await sharesAnew(query, matches.slice(0, count));
        const others = matches.length - shares.length;
        const named = lexicon.named(query.keywords);
        const scored = matches.map(({ name }, place) => {
          const share = shares[place];
          const score = share === undefined ? (1 - (place - shares.length + 1) / (others + 1)) / 2 : (1 + share) / 2;
          return { name, score: named.has(name) ? 1 + score : score };
        });
        return bestFirst(scored);
      },
      ...(index.confidence ? { confidence } : {}),
      restrictedTo: async (visible) => over((await index.restrictedTo?.(visible)) ?? index, visible),
      async update(added, removed) {
        const updated = await index.update?.(added, removed);
        return updated && rerankingIndex(updated, changedDocuments(documents, added, removed), judge);
      },
      explain: async (query, name) => index.explain?.(query, name),
    };
  }
  return over(whole);
}

/** A score for each candidate; undefined while `rerank` is paused, and after a failure, which is reported. */
async function scoresOf(
  query: ToolQuery,
  candidates: readonly RerankCandidate[],
  { settings: { rerank, timeout }, breaker, context }: Judge,
): Promise<readonly number[] | undefined> {
  const asked = askedText(query);
  if (breaker.isOpen(asked)) return undefined;
  const controller = new AbortController();
  try {
    const work = (async () => rerank(asked, candidates, { signal: controller.signal }))();
    const scores = await inTime(work, timeout, () => new Error(`"rerank" takes longer than ${timeout} ms`));
    const checked = checkedScores(scores, candidates.length);
    breaker.worked();
    return checked;
  } catch (error) {
    controller.abort(error);
    breaker.failed(asked);
    context.report({ scorer: 'rerank', error });
    return undefined;
  }
}

/** @throws Error for what is no list of as many numbers as there are candidates. */
function checkedScores(scores: unknown, count: number): readonly number[] {
  if (!Array.isArray(scores) || scores.length !== count) {
    const got = Array.isArray(scores) ? `${scores.length} scores` : 'no list of scores';
    throw new Error(`"rerank" must return one score for each candidate: ${got} for ${count} candidates.`);
  }
  const wrong = scores.findIndex((score) => !Number.isFinite(score));
  if (wrong >= 0) throw new Error(`"rerank" must return finite numbers; one is ${String(scores[wrong])}.`);
  if (!Number.isFinite(Math.max(...scores) - Math.min(...scores))) {
    throw new Error('"rerank" must return numbers of one scale; the distance of two is beyond any number.');
  }
  return scores;
}

/**
 * The entries of a scorer's answer that are matches, of the names that may be found; of all names without them.
 *
 * @throws TypeError for no list.
 */
export function matchesIn(answer: unknown, names?: ReadonlySet<string>): readonly ToolMatch[] {
  if (!Array.isArray(answer)) throw new TypeError('its search() did not return an array of matches');
  const isMatch = (entry: unknown): entry is ToolMatch => {
    const name = (entry as Partial<ToolMatch> | null | undefined)?.name;
    return typeof name === 'string' && (names?.has(name) ?? true);
  };
  return answer.filter(isMatch);
}

/** The share that the last match of a ranking has all the same: it matches. */
const LEAST = 0.01;

/** The share of each match of a ranking, from 0 to 1. */
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
