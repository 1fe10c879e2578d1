import { RequestContext } from '@mastra/core/request-context';
import {
  type Catalog,
  type EventOrigin,
  Faults,
  type Funnel,
  inTime,
  invalidOption,
  type MaybePromise,
  type Policy,
  type Reranker,
  type SearchServices,
  ToolSearchError,
  type ToolSearchFilterPhase,
} from '../kit.ts';
import type { InspectData, InspectPermitted, InspectQuestions, InspectSearch, JsonObject } from './data.ts';
import { type Shown, toInspectData } from './inspect-data.ts';
import { inspectTools } from './inspect-tools.ts';
import { searchForPage } from './search.ts';

/** Milliseconds that a page waits for a search. */
const SEARCH_TIME = 10_000;

/** What an inspector looks into. */
export interface Inspected {
  /** The catalog of a request; without a context that of nobody in particular. */
  catalogOf(requestContext: RequestContext | undefined, origin?: EventOrigin): MaybePromise<Catalog>;
  /** Whether each request has a catalog of its own. */
  readonly isPerRequest: boolean;
  readonly policy: Policy;
  /** A policy that permits everything, for the developer's own eyes. */
  readonly open: Policy;
  /** The scorers that the server runs, by their names in the page. */
  readonly scorers: ReadonlyMap<string, SearchServices>;
  readonly topK: number;
  readonly autoLoad: boolean;
  rerankerFor?(requestContext: RequestContext): Promise<Reranker | undefined>;
  stats?(): Promise<Funnel>;
}

/** Answers what a page asks. */
export class InspectSource {
  readonly #inspected: Inspected;
  readonly #shown: Shown;

  constructor(inspected: Inspected, shown: Shown) {
    this.#inspected = inspected;
    this.#shown = shown;
  }

  /**
   * The data of the page.
   *
   * @throws ToolSearchError `invalid-option` for a case that wants a tool which is not there.
   */
  async data(requestContext?: RequestContext): Promise<InspectData> {
    const { policy, isPerRequest, scorers, stats, topK } = this.#inspected;
    const names = Array.from(scorers.keys(), (name) => ({ name, isLocal: false }));
    const faults = new Faults();
    const catalog = await this.#inspected.catalogOf(requestContext, faults.origin);
    const fault = faults.errorFor(false)?.message;
    // Without the tools, no case has those that it wants.
    const shown = fault === undefined ? this.#shown : { ...this.#shown, cases: undefined };
    const data = toInspectData(catalog, { ...shown, scorers: names, topK });
    const server = {
      canSearch: scorers.size > 0,
      canFilter: isPerRequest || !policy.isOpen,
      hasStats: stats !== undefined,
      ...(fault === undefined ? {} : { fault }),
    };
    return { ...data, server };
  }

  /**
   * Searches, until its time is over or its request is aborted. The scorer may go on, but nobody waits for it.
   *
   * @throws ToolSearchError `invalid-option` for a scorer that there is not, `search-failed`.
   */
  async search(asked: InspectQuestions['search']['asked'], abortSignal?: AbortSignal): Promise<InspectSearch> {
    const failed = (why: string): Error => new ToolSearchError('search-failed', `The scorer "${asked.scorer}" ${why}.`);
    let abort = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(failed('was asked by a request that is aborted'));
    });
    abortSignal?.addEventListener('abort', abort, { once: true });
    if (abortSignal?.aborted) abort();
    const late = (): Error => failed(`did not answer within ${SEARCH_TIME / 1_000} s`);
    try {
      return await inTime(Promise.race([aborted, this.#search(asked, abortSignal)]), SEARCH_TIME, late);
    } finally {
      abortSignal?.removeEventListener('abort', abort);
    }
  }

  async #search(
    { query, scorer, requestContext }: InspectQuestions['search']['asked'],
    abortSignal: AbortSignal | undefined,
  ): Promise<InspectSearch> {
    const { scorers, topK, autoLoad, policy, open, rerankerFor } = this.#inspected;
    const services = scorers.get(scorer);
    if (!services) throw invalidOption('scorer', scorer, `one of ${[...scorers.keys()].join(', ') || 'none'}`);
    const user = requestContext && contextOf(requestContext);
    const faults = new Faults();
    const { origin } = faults;
    const catalog = await this.#inspected.catalogOf(user, origin);
    const asker = { origin, ...(abortSignal ? { abortSignal } : {}) };
    const permissions = user ? policy.permissions({ requestContext: user, ...asker }) : open.permissions(asker);
    const reranker = user && (await rerankerFor?.(user));
    const found = await searchForPage(query, topK, { catalog, permissions, autoLoad, reranker, origin }, services);
    const error = faults.errorFor(found === undefined || found.matches.length === 0);
    if (error) throw error;
    return found ?? { matches: [] };
  }

  /**
   * What the filter lets a user through. An aborted request is let through nothing.
   *
   * @throws ToolSearchError `search-failed`, where a phase is empty and something failed.
   */
  async permitted(
    { requestContext }: InspectQuestions['permitted']['asked'],
    abortSignal?: AbortSignal,
  ): Promise<InspectPermitted> {
    const { policy, isPerRequest } = this.#inspected;
    const user = contextOf(requestContext);
    const faults = new Faults();
    const { origin } = faults;
    const catalog = await this.#inspected.catalogOf(user, origin);
    const permissions = policy.permissions({ requestContext: user, origin, ...(abortSignal ? { abortSignal } : {}) });
    const namesOf = async (phase: ToolSearchFilterPhase): Promise<readonly string[]> =>
      (await permissions.allowed(catalog.entries, phase)).map(({ name }) => name);
    const names = { search: await namesOf('search'), load: await namesOf('load'), active: await namesOf('active') };
    const error = faults.errorFor(Object.values(names).some(({ length }) => length === 0));
    if (error) throw error;
    return isPerRequest ? { ...names, tools: inspectTools(catalog) } : names;
  }

  /** What searches came to until now. */
  async stats(): Promise<Funnel> {
    const { stats } = this.#inspected;
    if (!stats) throw invalidOption('ask', 'stats', 'a question that this inspector answers');
    return stats();
  }
}

function contextOf(values: JsonObject): RequestContext {
  return new RequestContext(Object.entries(values));
}
