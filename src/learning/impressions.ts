import { Lru, type RequestState } from '../kit.ts';

/** Searches of a conversation that are remembered. */
const MAX_SHOWINGS = 20;
/** Conversations whose searches are remembered. */
const MAX_CONVERSATIONS = 1_000;

/** A search: its words, and what it has shown. */
interface Showing {
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
  #ofRequests = new WeakMap<RequestState, Showing[]>();
  #ofConversations = new Lru<Showing[]>(MAX_CONVERSATIONS);

  /** @param conversation - undefined where nobody knows it: then the request alone is one. */
  note(
    state: RequestState,
    conversation: string | undefined,
    words: readonly string[],
    names: readonly string[],
    first?: string,
  ): void {
    const impressions = this.#of(state, conversation);
    impressions.push({ words, names: new Set(names), first, counted: new Set(), state, step: state.steps });
    if (impressions.length > MAX_SHOWINGS) impressions.shift();
  }

  /**
   * The last search that had shown a tool before the step that called it; undefined where there is none, or where a call
   * after that search was counted already.
   */
  before(
    state: RequestState,
    conversation: string | undefined,
    tool: string,
  ): { readonly words: readonly string[]; readonly wasFirst: boolean } | undefined {
    const calledIn = state.steps - 1;
    const showing = this.#of(state, conversation).findLast(
      ({ names, state: of, step }) => names.has(tool) && (of !== state || step < calledIn),
    );
    if (!showing || showing.counted.has(tool)) return undefined;
    showing.counted.add(tool);
    return { words: showing.words, wasFirst: showing.first === tool };
  }

  /** Forgets all searches. */
  clear(): void {
    this.#ofRequests = new WeakMap();
    this.#ofConversations = new Lru(MAX_CONVERSATIONS);
  }

  #of(state: RequestState, conversation: string | undefined): Showing[] {
    const earlier = conversation === undefined ? undefined : this.#ofConversations.get(conversation);
    const impressions = this.#ofRequests.get(state) ?? earlier ?? [];
    this.#ofRequests.set(state, impressions);
    if (conversation !== undefined) this.#ofConversations.set(conversation, impressions);
    return impressions;
  }
}
