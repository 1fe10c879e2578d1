import { RequestContext } from '@mastra/core/request-context';
import { type Catalog, inTime, invalidOption, type RequestSearch, ToolSearchError } from '../kit.ts';
import type { LintFinding } from '../workbench/lint/check.ts';
import type { Funnel } from '../workbench/usage.ts';
import type { InspectData, InspectPermitted, InspectQuestions, InspectSearch, JsonObject } from './data.ts';
import { type Shown, toInspectData } from './inspect-data.ts';
import { inspectTools } from './inspect-tools.ts';

/** Milliseconds that a page waits for a search. */
const SEARCH_TIME = 10_000;
/** Matches that a page is given. */
const DEPTH = 50;
/** Results that a verdict is about, even if the model is shown fewer. */
const RATED = 5;

/** What an inspector looks into. */
export interface Inspected {
  readonly search: RequestSearch;
  /** Whether each request has a catalog of its own. */
  readonly isPerRequest: boolean;
  /** The scorers that the server runs, by their names in the page. */
  readonly scorers: ReadonlyMap<string, RequestSearch>;
  readonly topK: number;
  /** What `lint` finds of a catalog. */
  lint(catalog: Catalog): Promise<readonly LintFinding[]>;
  stats?(): Promise<Funnel>;
  /** The file that the tools are of. */
  readonly file?: CatalogFile | undefined;
}

/**
 * A JSON file that tools are of.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 *
 * const file: CatalogFile = { name: 'tools.json', text: readFileSync('tools.json', 'utf8') };
 * ```
 */
export interface CatalogFile {
  readonly name: string;
  readonly text: string;
}

/** Answers what a page asks. */
export class InspectSource {
  #inspected: Inspected;
  /** Cache: findings by catalog. */
  readonly #findings = new WeakMap<Catalog, Promise<readonly LintFinding[]>>();
  #shown: Shown;
  /** How often the catalog was replaced; undefined where it never is. */
  #revision: number | undefined;

  constructor(inspected: Inspected, shown: Shown, revision?: number) {
    this.#inspected = inspected;
    this.#shown = shown;
    this.#revision = revision;
  }

  /** Shows another catalog from now on: pages that are open load it. */
  replace(inspected: Inspected, shown: Shown): void {
    this.#inspected = inspected;
    this.#shown = shown;
    this.#revision = (this.#revision ?? 0) + 1;
  }

  /**
   * The data of the page.
   *
   * @throws ToolSearchError `invalid-option` for a case that wants a tool which is not there.
   */
  async data(requestContext?: RequestContext): Promise<InspectData> {
    const { search, isPerRequest, scorers, stats, topK, file } = this.#inspected;
    const names = Array.from(scorers.keys(), (name) => ({ name, isLocal: false }));
    const { catalog, fault } = await search.catalogOf(requestContext);
    // Without the tools, no case has those that it wants.
    const shown = fault === undefined ? this.#shown : { ...this.#shown, cases: undefined };
    const data = toInspectData(catalog, { ...shown, scorers: names, topK });
    const server = {
      canSearch: scorers.size > 0,
      canFilter: isPerRequest || search.isFiltered,
      hasStats: stats !== undefined,
      ...(fault === undefined ? {} : { fault }),
      ...(this.#revision === undefined ? {} : { revision: this.#revision }),
      ...(file ? { file: file.name } : {}),
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
    const { scorers, topK } = this.#inspected;
    const search = scorers.get(scorer);
    if (!search) throw invalidOption('scorer', scorer, `one of ${[...scorers.keys()].join(', ') || 'none'}`);
    const { results, rest, isWeak } = await search.search(query, {
      ...(requestContext ? { requestContext: contextOf(requestContext) } : { isOpen: true }),
      ...(abortSignal && { abortSignal }),
      ...{ limit: Math.max(topK, RATED), depth: DEPTH, explain: true },
    });
    return {
      // The page has the descriptions.
      matches: [...results, ...rest].map(({ description: _, alsoAs: __, ...match }) => match),
      ...(isWeak === undefined ? {} : { isWeak }),
    };
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
    const { search, isPerRequest } = this.#inspected;
    const { names, catalog } = await search.permitted(contextOf(requestContext), abortSignal);
    return isPerRequest ? { ...names, tools: inspectTools(catalog) } : names;
  }

  /** What `lint` finds of the catalog of a request, worked out once. */
  async findings(requestContext?: RequestContext): Promise<readonly LintFinding[]> {
    const { search, lint } = this.#inspected;
    const { catalog } = await search.catalogOf(requestContext);
    const findings = this.#findings.get(catalog) ?? lint(catalog);
    this.#findings.set(catalog, findings);
    return findings;
  }

  /** What searches came to until now. */
  async stats(): Promise<Funnel> {
    const { stats } = this.#inspected;
    if (!stats) throw unanswered('stats');
    return stats();
  }

  /** How often the catalog was replaced. */
  async revision(): Promise<number> {
    if (this.#revision === undefined) throw unanswered('revision');
    return this.#revision;
  }

  /** The text of the file that the tools are of. */
  async text(): Promise<string> {
    const { file } = this.#inspected;
    if (!file) throw unanswered('source');
    return file.text;
  }
}

function unanswered(ask: string): Error {
  return invalidOption('ask', ask, 'a question that this inspector answers');
}

function contextOf(values: JsonObject): RequestContext {
  return new RequestContext(Object.entries(values));
}
