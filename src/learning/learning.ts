import { bestFirst, type RankedMatch, type Reporter, type Reranker, type ResolvedOptions, type Step } from '../kit.ts';
import { Lru } from '../util/lru.ts';
import { inSlices } from '../util/time-slices.ts';
import { spellingOf } from '../util/words.ts';
import type { Boost, KeyedQuery } from './past-queries.ts';
import { Recall } from './recall.ts';
import { memoryLearningStore } from './stores/memory-learning.ts';
import { hashedVoter, keyedQuery, learnedWords } from './uses.ts';

/** A request that learns, and whom it learns with. */
export interface LearningRequest {
  readonly state: Step['state'];
  readonly scope: string;
  /** Undefined if unknown. Then the request counts as a conversation. */
  readonly conversation: string | undefined;
  /** Who votes: where users share a scope, each of them; in a scope of one user, each of his threads. */
  readonly voter: string;
}

/** Which tools were called after which queries, and what that says of the next query. Nothing of it throws but `clear`. */
export class Learning {
  readonly #options: NonNullable<ResolvedOptions['learning']>;
  readonly #reporter: Reporter;
  readonly #recall: Recall;
  readonly #impressions = new Impressions();

  /** @param timeout - milliseconds that a store may take. */
  constructor(options: NonNullable<ResolvedOptions['learning']>, timeout: number, reporter: Reporter) {
    const store = options.store === 'in-memory' ? memoryLearningStore() : options.store;
    this.#options = options;
    this.#reporter = reporter;
    this.#recall = new Recall(store, options.halfLife, timeout, reporter);
  }

  /** Ranks by what a scope has learned. Waits for a store no longer than a quarter of a second. */
  reranker(scope: string): Reranker {
    return {
      name: 'learning',
      keepsScale: true,
      addsMatches: true,
      rank: async (matches, { text, keywords }, catalog) => {
        // A query with a tool's name means that tool. For another spelling of the name, the best match shows it.
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

  /** Notes what a query has shown to the model: a call of one of these tools is a use after it. */
  noteShown(request: LearningRequest, query: string, shown: readonly RankedMatch[]): void {
    if (learnedWords(query).length > 0) this.#impressions.note(request, query, shown);
  }

  /** Notes that a tool was called with success, in a step of the run. */
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

  /** A query as its scope keeps it. */
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
 * The matches with what use adds to their scores, and the tools that use alone has found, best first, ties by name; undefined
 * where use says nothing. A boost is a multiple of the best score: so it means the same on the scale of every scorer. On a
 * scale without an end or with negative scores nothing is boosted.
 *
 * @param boosts - of tools that the request may see.
 * @param weight - the part of each that is added.
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

/** Searches of a conversation that are remembered. */
const MAX_IMPRESSIONS = 20;
/** Conversations whose searches are remembered. */
const MAX_CONVERSATIONS = 1_000;

/** A search: its query, and what it has shown. */
interface Impression {
  readonly query: string;
  readonly names: ReadonlySet<string>;
  /** The best shown tool by the scorer alone. */
  readonly first: string | undefined;
  /** The tools of which a call was counted. */
  readonly counted: Set<string>;
  /** The request and the step of it in which it was made. */
  readonly state: LearningRequest['state'];
  readonly step: number;
}

/**
 * What searches have shown, by conversation. Only what this process has answered itself counts: a conversation that a
 * client sends tells nothing.
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
   * The last search that had shown a tool before the step that called it; undefined where there is none, or where a call
   * after that search was counted already.
   */
  before(request: LearningRequest, tool: string, calledIn: number): Pick<Impression, 'query' | 'first'> | undefined {
    const found = this.#of(request).findLast(
      ({ names, state, step }) => names.has(tool) && (state !== request.state || step < calledIn),
    );
    if (!found || found.counted.has(tool)) return undefined;
    found.counted.add(tool);
    return found;
  }

  /** Forgets all searches. */
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

/** The share of a score within which two are the same: a boost that is taken off again leaves its rounding. */
const ROUNDING = 1e-9;

/** The best match without what use adds, ties by name. */
function firstByWords(shown: readonly RankedMatch[]): string | undefined {
  const ownOf = ({ score, byUse = 0 }: RankedMatch): number => score - byUse;
  const best = Math.max(...shown.map(ownOf));
  const first = shown.filter((match) => ownOf(match) >= best - ROUNDING * Math.abs(best)).map(({ name }) => name);
  return first.sort()[0];
}
