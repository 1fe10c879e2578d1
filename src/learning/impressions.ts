import { type LearningRequest, Lru, type RankedMatch, type RequestState } from '../kit.ts';

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
  readonly state: RequestState;
  readonly step: number;
}

/**
 * What searches have shown, by conversation. Only what this process has answered itself counts: a conversation that a
 * client sends tells nothing.
 */
export class Impressions {
  #ofRequests = new WeakMap<RequestState, Impression[]>();
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
