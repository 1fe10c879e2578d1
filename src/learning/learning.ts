import {
  bestFirst,
  inSlices,
  Lru,
  type RankedMatch,
  type Reporter,
  type Reranker,
  type ResolvedOptions,
  type Step,
  spellingOf,
} from '../kit.ts';
import { Recall } from './recall.ts';
import { memoryLearningStore } from './stores/memory-learning.ts';
import { hashedVoter, hashedWords, learnedWords } from './uses.ts';

/** A request that learns, and whom it learns with. */
export interface LearningRequest {
  readonly state: Step['state'];
  readonly scope: string;
  /** Undefined where nobody knows it: then the request alone is one. */
  readonly conversation: string | undefined;
  /** Who votes: where users share a scope, each of them; in a scope of one user, each of his threads. */
  readonly voter: string;
}

/** Which tools were called after which queries, and what that says of the next query. Nothing of it throws but `clear`. */
export class Learning {
  readonly #weight: number;
  readonly #reporter: Reporter;
  readonly #recall: Recall;
  readonly #impressions = new Impressions();

  /** @param timeout - milliseconds that a store may take. */
  constructor(options: NonNullable<ResolvedOptions['learning']>, timeout: number, reporter: Reporter) {
    const { halfLife, weight } = options;
    const store = options.store === 'in-memory' ? memoryLearningStore() : options.store;
    this.#weight = weight;
    this.#reporter = reporter;
    this.#recall = new Recall(store, halfLife, timeout, reporter);
  }

  /** Ranks by what a scope has learned. Waits for a store no longer than a quarter of a second. */
  reranker(scope: string): Reranker {
    return {
      name: 'learning',
      keepsScale: true,
      rank: async (matches, { text, keywords }, catalog) => {
        // Who writes a tool's name means it. In another spelling, the best match shows it.
        if (keywords.some((word) => catalog.get(word)) || isNamed(matches[0], spellingOf(keywords))) return undefined;
        const experience = await this.#recall.of(scope);
        if (!experience) return undefined;
        const associations = this.#recall.associationsOf(experience, (tool) => catalog.get(tool)?.name === tool);
        const votes = await inSlices(associations.votes(hashedWords(learnedWords(text), experience.key)));
        return boosted(matches, votes, this.#weight);
      },
    };
  }

  /** Notes what a query has shown to the model: a call of one of these tools is a use after it. */
  noteShown(request: LearningRequest, query: string, shown: readonly RankedMatch[]): void {
    const words = learnedWords(query);
    if (words.length > 0) this.#impressions.note(request, words, shown);
  }

  /** Notes that a tool was called with success. */
  noteCall(request: LearningRequest, toolName: string, origin: Step['origin']): void {
    const search = this.#impressions.before(request, toolName);
    if (!search) return;
    const usedAt = Date.now();
    void this.#recall.add(request.scope, (key) => ({
      words: hashedWords(search.words, key),
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
}

function isNamed(best: RankedMatch | undefined, spelling: string): boolean {
  return spelling !== '' && best !== undefined && spellingOf([best.name]) === spelling;
}

/** The share of the best score that a vote adds, as a multiple of the vote. */
const SLOPE = 1.5;

/**
 * The matches, best first, with the boosted ones in their new places, ties by name; undefined where none is boosted. A
 * boost is a share of the best score, at most `most`: so it means the same on the scale of every scorer. On a scale
 * without an end or with negative scores nothing is boosted.
 *
 * @param votes - for tools, from 0 to 1.
 */
export function boosted(
  matches: readonly RankedMatch[],
  votes: ReadonlyMap<string, number>,
  most: number,
): readonly RankedMatch[] | undefined {
  const best = matches[0]?.score ?? 0;
  if (!(best > 0 && Number.isFinite(best))) return undefined;
  const ranking = matches.map((match): RankedMatch => {
    const byUse = match.score < 0 ? 0 : best * Math.min(most, SLOPE * (votes.get(match.name) ?? 0));
    return byUse > 0 ? { ...match, score: match.score + byUse, byUse } : match;
  });
  return ranking.some((match, at) => match !== matches[at]) ? bestFirst(ranking) : undefined;
}

/** Searches of a conversation that are remembered. */
const MAX_IMPRESSIONS = 20;
/** Conversations whose searches are remembered. */
const MAX_CONVERSATIONS = 1_000;

/** A search: its words, and what it has shown. */
interface Impression {
  readonly words: readonly string[];
  readonly names: ReadonlySet<string>;
  /** The best of them by the scorer alone. */
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

  note(request: LearningRequest, words: readonly string[], shown: readonly RankedMatch[]): void {
    const { state } = request;
    const names = new Set(shown.map(({ name }) => name));
    const impressions = this.#of(request);
    impressions.push({ words, names, first: firstByWords(shown), counted: new Set(), state, step: state.steps });
    if (impressions.length > MAX_IMPRESSIONS) impressions.shift();
  }

  /**
   * The last search that had shown a tool before the step that called it; undefined where there is none, or where a call
   * after that search was counted already.
   */
  before(request: LearningRequest, tool: string): Pick<Impression, 'words' | 'first'> | undefined {
    const calledIn = request.state.steps - 1;
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
