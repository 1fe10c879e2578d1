import {
  type Boost,
  type BoostedMatch,
  type Catalog,
  type EventOrigin,
  identifyRequest,
  inSlices,
  invalidOption,
  isClients,
  type Learner,
  type LearningFace,
  namesIn,
  type Reporter,
  type RequestState,
  Requests,
  type ResolvedLearning,
  type ScopeArgs,
  type ScopeRequest,
  type Step,
  sourceReader,
  spellingOf,
  type ToolQuery,
} from '../kit.ts';
import { boosted } from './boost.ts';
import { Impressions } from './impressions.ts';
import { queryWords } from './query-words.ts';
import { Recall } from './recall.ts';
import { memoryLearningStore } from './stores/memory-learning.ts';
import { Successes } from './successes.ts';
import { hashedRater, hashedWords } from './use.ts';

/** A search after which a tool was used: its words, and whether the scorer alone had put the tool first. */
interface Searched {
  readonly words: readonly string[];
  readonly wasFirst: boolean;
}

/** The conversation of users that nobody knows: all of them together have one vote. */
const ANONYMOUS = '';

/** Which tools were called after which queries, and what that says of the next query. */
export class Learning implements LearningFace {
  readonly #options: ResolvedLearning;
  readonly #reporter: Reporter;
  readonly #requests: Requests;
  readonly #recall: Recall;
  readonly #impressions = new Impressions();
  readonly #successes = new Successes();

  /** @param timeout - milliseconds that a store may take. */
  constructor(options: ResolvedLearning, timeout: number, reporter: Reporter) {
    const { store = memoryLearningStore(), halfLife, scope } = options;
    this.#options = options;
    this.#reporter = reporter;
    this.#requests = new Requests(scope, reporter);
    this.#recall = new Recall(store, halfLife, timeout, reporter);
  }

  /** Learns from the calls that succeeded since the step before, and gives the step its learner. Never throws. */
  addTo(step: Step): void {
    const { state, calls, catalog, args } = step;
    const scope = this.#requests.scopeOf(args);
    if (scope === undefined) return;
    const { conversation, voter } = this.#conversationOf(args, scope);
    for (const called of this.#successes.since(state, calls, sourceReader(args.messageList))) {
      const entry = catalog.get(called);
      // A client may give its own tool the name of any other.
      if (!entry || isClients(entry)) continue;
      const search = this.#impressions.before(state, conversation, entry.name);
      if (search) this.#learn(scope, search, voter, entry.name, step.origin);
    }
    step.learner = this.#learnerIn(scope, { state, conversation });
  }

  /** What a search outside of a step is told. Nothing that it shows is noted. */
  learnerOf(args: ScopeArgs): Learner | undefined {
    const scope = this.#requests.scopeOf(args);
    return scope === undefined ? undefined : this.#learnerIn(scope);
  }

  /**
   * Forgets a scope. Rejects where there is none, as nothing would be forgotten.
   *
   * @param of - who it is of, or, as a text, the scope as the function returns it; for the scope `'resource'` its id.
   */
  async clear(of: string | ScopeRequest): Promise<void> {
    const { scope: scopeOf, kind } = this.#options;
    const request = typeof of === 'string' && kind !== 'function' ? { resourceId: of } : of;
    const scope = typeof request === 'string' ? request : scopeOf({ ...identified(request), ...request });
    if (typeof scope !== 'string' || scope === '' || !hasTextIds(request)) {
      throw invalidOption('of', of, 'somebody who has a scope: nothing was forgotten');
    }
    this.#impressions.clear();
    await this.#recall.clear(scope);
  }

  #learnerIn(scope: string, of?: { readonly state: RequestState; readonly conversation: string | undefined }): Learner {
    return {
      boostFor: (query, catalog) => this.#boostFor(scope, query, catalog),
      noteShown: (query, shown) => {
        const words = queryWords(query);
        const names = shown.map(({ name }) => name);
        if (of && words.length > 0)
          this.#impressions.note(of.state, of.conversation, words, names, firstByWords(shown));
      },
    };
  }

  /** Who writes a tool's name means it: then nothing is boosted. In another spelling, {@link boosted} sees it in the best match. */
  async #boostFor(scope: string, query: ToolQuery, catalog: Catalog): Promise<Boost | undefined> {
    if (namesIn(query, catalog).size > 0) return undefined;
    const { text, keywords } = query;
    const experience = await this.#recall.of(scope);
    if (!experience) return undefined;
    const associations = experience.of((tool) => catalog.get(tool)?.name === tool);
    const votes = await inSlices(associations.votes(hashedWords(queryWords(text), experience.key)));
    return votes.size === 0
      ? undefined
      : (matches) => boosted(matches, votes, this.#options.weight, spellingOf(keywords));
  }

  #learn(scope: string, { words, wasFirst }: Searched, voter: string, tool: string, origin: EventOrigin): void {
    const usedAt = Date.now();
    void this.#recall.add(scope, (key) => ({
      words: hashedWords(words, key),
      voter: hashedRater(voter, key),
      tool,
      usedAt,
      wasFirst,
    }));
    this.#reporter.report({ type: 'learn', toolName: tool }, origin);
  }

  /**
   * The conversation of a step, and who votes in it: where users share a scope, each of them counts once, and in a scope
   * of one user each of his threads.
   */
  #conversationOf(args: ScopeArgs, scope: string): { conversation: string | undefined; voter: string } {
    const { threadId, resourceId } = identifyRequest(args);
    const own = this.#options.kind === 'resource' ? threadId : resourceId;
    return {
      conversation: threadId === undefined ? undefined : JSON.stringify([scope, resourceId ?? null, threadId]),
      voter: own ?? ANONYMOUS,
    };
  }
}

/** The share of a score within which two are the same: a boost that is taken off again leaves its rounding. */
const ROUNDING = 1e-9;

/** The best match without what use adds, ties by name. */
function firstByWords(shown: readonly BoostedMatch[]): string | undefined {
  const ownOf = ({ score, byUse = 0 }: BoostedMatch): number => score - byUse;
  const best = Math.max(...shown.map(ownOf));
  const first = shown.filter((match) => ownOf(match) >= best - ROUNDING * Math.abs(best)).map(({ name }) => name);
  return first.sort()[0];
}

/** Whether ids that are given are texts: another would be nobody's. */
function hasTextIds(request: string | ScopeRequest): boolean {
  const { resourceId = '', threadId = '' }: ScopeRequest = typeof request === 'string' ? {} : (request ?? {});
  return typeof resourceId === 'string' && typeof threadId === 'string';
}

function identified({ requestContext }: ScopeRequest): ScopeRequest {
  return requestContext ? identifyRequest({ requestContext }) : {};
}
