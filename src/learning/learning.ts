import { bestFirst, type RankedMatch, type Reporter, type Reranker, type ResolvedOptions, type Step } from '../kit.ts';
import { Lru } from '../util/lru.ts';
import { inSlices } from '../util/time-slices.ts';
import { spellingOf } from '../util/words.ts';
import type { Boost, KeyedQuery } from './past-queries.ts';
import { Recall } from './recall.ts';
import { memoryLearningStore } from './stores/memory-learning.ts';
import { hashedVoter, keyedQuery, learnedWords } from './uses.ts';

/** A request, with the scope that it learns in. */
export interface LearningRequest {
  readonly state: Step['state'];
  readonly scope: string;
  /** The conversation; undefined if unknown, and the request then counts as a conversation of its own. */
  readonly conversation: string | undefined;
  /** Who has a vote: each user if users share the scope, each thread in a scope of one user. */
  readonly voter: string;
}

/** Learns which tools were called after which queries, and ranks by it. No method but `clear` throws. */
export class Learning {
  readonly #options: NonNullable<ResolvedOptions['learning']>;
  readonly #reporter: Reporter;
  readonly #recall: Recall;
  readonly #impressions = new Impressions();

  /** @param timeout - milliseconds that the store may take for one operation. */
  constructor(options: NonNullable<ResolvedOptions['learning']>, timeout: number, reporter: Reporter) {
    const store = options.store === 'in-memory' ? memoryLearningStore() : options.store;
    this.#options = options;
    this.#reporter = reporter;
    this.#recall = new Recall(store, options.halfLife, timeout, reporter);
  }

  /** Ranks by what a scope has learned. Waits a quarter of a second for the store at most. */
  reranker(scope: string): Reranker {
    return {
      name: 'learning',
      keepsScale: true,
      addsMatches: true,
      rank: async (matches, { text, keywords }, catalog) => {
        // A query that names a tool means that tool. If it spells the name differently, the best match has that name.
        if (keywords.some((word) => catalog.get(word)) || isNamed(matches[0], spellingOf(keywords))) return undefined;
        const experience = await this.#recall.of(scope);
        if (!experience) return undefined;
        const isVisible = (tool: string): boolean => catalog.get(tool)?.name === tool;
        const isShared = this.#options.scope !== 'resource';
        const past = this.#recall.pastQueries(experience, isVisible, { tools: catalog.size, isShared });
        const boosts = await inSlices(past.boosts(await this.#keyed(text, experience.key)));
        return boosted(matches, boosts, this.#options.weight);
      },
    };
  }

  /** Notes what a query has shown to the model: a later call of one of these tools counts as a use after the query. */
  noteShown(request: LearningRequest, query: string, shown: readonly RankedMatch[]): void {
    if (learnedWords(query).length > 0) this.#impressions.note(request, query, shown);
  }

  /** Notes that a tool was called with success, in the step `calledIn` of the run. */
  noteCall(request: LearningRequest, toolName: string, origin: Step['origin'], calledIn: number): void {
    const search = this.#impressions.before(request, toolName, calledIn);
    if (!search) return;
    const usedAt = Date.now();
    void this.#recall.add(request.scope, async (key) => ({
      ...(await this.#keyed(search.query, key)),
      voter: hashedVoter(request.voter, key),
      tool: toolName,
      usedAt,
      wasFirst: search.first === toolName,
    }));
    this.#reporter.report({ type: 'learn', toolName }, origin);
  }

  async clear(scope: string): Promise<void> {
    this.#impressions.clear();
    await this.#recall.clear(scope);
  }

  /** A query in the form that its scope keeps. */
  async #keyed(query: string, key: string): Promise<KeyedQuery> {
    const report = ({ error }: { readonly error: unknown }): void =>
      this.#reporter.report({ type: 'scorer-failed', scorer: 'learning', error, survived: true });
    return keyedQuery(query, key, this.#options.meaning, { report });
  }
}

function isNamed(best: RankedMatch | undefined, spelling: string): boolean {
  return spelling !== '' && best !== undefined && spellingOf([best.name]) === spelling;
}

/**
 * Adds boosts to the scores of matches, and adds the tools that past use alone has found; best first, ties by name.
 * Undefined if there is no boost. A boost is a multiple of the best score, so it means the same on every scorer's
 * scale. If the best score is infinite or not above 0, nothing is boosted.
 *
 * @param boosts - the boosts of tools that the request may see.
 * @param weight - the part of each boost that is added.
 */
export function boosted(
  matches: readonly RankedMatch[],
  boosts: ReadonlyMap<string, Boost>,
  weight: number,
): readonly RankedMatch[] | undefined {
  const best = matches[0]?.score ?? 1;
  if (boosts.size === 0 || !(best > 0 && Number.isFinite(best))) return undefined;
  const left = new Map(boosts);
  const ranking = matches.map((match): RankedMatch => {
    const boost = left.get(match.name);
    left.delete(match.name);
    if (!boost || match.score < 0) return match;
    const byUse = best * weight * boost.factor;
    return { ...match, score: match.score + byUse, byUse, likelihood: boost.likelihood };
  });
  const added = [...left].map(([name, { factor, likelihood }]): RankedMatch => {
    const byUse = best * weight * factor;
    return { name, score: byUse, byUse, likelihood };
  });
  return bestFirst([...ranking, ...added]);
}

/** Most searches of a conversation that are remembered. */
const MAX_IMPRESSIONS = 20;
/** Most conversations whose searches are remembered. */
const MAX_CONVERSATIONS = 1_000;

/** A search: its query, and the tools that it has shown. */
interface Impression {
  readonly query: string;
  readonly names: ReadonlySet<string>;
  /** The best shown tool without learning. */
  readonly first: string | undefined;
  /** The tools whose call after this search was counted. */
  readonly counted: Set<string>;
  /** The request that searched, and its step. */
  readonly state: LearningRequest['state'];
  readonly step: number;
}

/**
 * The tools that searches have shown, by conversation. Only searches that this process has answered count: a
 * conversation that a client sends proves nothing.
 */
class Impressions {
  #ofRequests = new WeakMap<object, Impression[]>();
  #ofConversations = new Lru<Impression[]>(MAX_CONVERSATIONS);

  note(request: LearningRequest, query: string, shown: readonly RankedMatch[]): void {
    const { state } = request;
    const names = new Set(shown.map(({ name }) => name));
    const impressions = this.#of(request);
    impressions.push({ query, names, first: firstByWords(shown), counted: new Set(), state, step: state.steps });
    if (impressions.length > MAX_IMPRESSIONS) impressions.shift();
  }

  /**
   * The last search that showed a tool before the step that called it. Undefined if there is none, or if a call after
   * that search was counted already.
   */
  before(request: LearningRequest, tool: string, calledIn: number): Pick<Impression, 'query' | 'first'> | undefined {
    const found = this.#of(request).findLast(
      ({ names, state, step }) => names.has(tool) && (state !== request.state || step < calledIn),
    );
    if (!found || found.counted.has(tool)) return undefined;
    found.counted.add(tool);
    return found;
  }

  clear(): void {
    this.#ofRequests = new WeakMap();
    this.#ofConversations = new Lru(MAX_CONVERSATIONS);
  }

  #of({ state, conversation }: LearningRequest): Impression[] {
    const earlier = conversation === undefined ? undefined : this.#ofConversations.get(conversation);
    const impressions = this.#ofRequests.get(state) ?? earlier ?? [];
    this.#ofRequests.set(state, impressions);
    if (conversation !== undefined) this.#ofConversations.set(conversation, impressions);
    return impressions;
  }
}

/** Scores that differ by this share are equal: subtracting a boost again leaves a rounding error. */
const ROUNDING = 1e-9;

/** The best match without boosts, ties by name. */
function firstByWords(shown: readonly RankedMatch[]): string | undefined {
  const ownOf = ({ score, byUse = 0 }: RankedMatch): number => score - byUse;
  const best = Math.max(...shown.map(ownOf));
  const first = shown.filter((match) => ownOf(match) >= best - ROUNDING * Math.abs(best)).map(({ name }) => name);
  return first.sort()[0];
}
