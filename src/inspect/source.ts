import { RequestContext } from '@mastra/core/request-context';
import { invalidOption, ToolSearchError } from '../errors.ts';
import type { Catalog, RequestSearch } from '../kit.ts';
import { given } from '../util/record.ts';
import { inTime } from '../util/timeout.ts';
import { readCases } from '../workbench/evaluate/cases.ts';
import { measure } from '../workbench/evaluate/evaluate.ts';
import type { ScorerEvaluation } from '../workbench/evaluate/measure.ts';
import type { LintFinding } from '../workbench/lint/check.ts';
import type { Funnel } from '../workbench/usage.ts';
import type { InspectData, InspectPermitted, InspectQuestions, InspectSearch, JsonObject } from './data.ts';
import { fileOf } from './file.ts';
import { type Shown, toInspectData } from './inspect-data.ts';
import { inspectTools } from './inspect-tools.ts';

/** Milliseconds that a page waits for a search. */
const SEARCH_TIME = 10_000;
/** Number of matches that a page gets. */
const DEPTH = 50;
/** Number of results to which a verdict refers, even if the model is shown fewer. */
const RATED = 5;

/** What an inspector inspects. */
export interface Inspected {
  readonly search: RequestSearch;
  /** Whether each request has a catalog of its own. */
  readonly isPerRequest: boolean;
  /** The scorers that the server runs, by their names in the page. */
  readonly scorers: ReadonlyMap<string, RequestSearch>;
  readonly topK: number;
  /** The findings of `lint` in a catalog. */
  lint(catalog: Catalog): Promise<readonly LintFinding[]>;
  stats?(): Promise<Funnel>;
}

/** Answers what a page asks. */
export class InspectSource {
  #inspected: Inspected;
  /** Cache: findings by catalog. */
  readonly #findings = new WeakMap<Catalog, Promise<readonly LintFinding[]>>();
  /** Cache: evaluations by catalog and scorer. */
  readonly #evaluations = new WeakMap<Catalog, Map<string, Promise<ScorerEvaluation>>>();
  #shown: Shown;
  /** How often the catalog was replaced; undefined if it never is. */
  #revision: number | undefined;

  constructor(inspected: Inspected, shown: Shown, revision?: number) {
    this.#inspected = inspected;
    this.#shown = shown;
    this.#revision = revision;
  }

  /** Replaces the catalog; open pages then load it. */
  replace(inspected: Inspected, shown: Shown): void {
    this.#inspected = inspected;
    this.#shown = shown;
    this.#revision = (this.#revision ?? 0) + 1;
  }

  /**
   * The data of the page.
   *
   * @throws ToolSearchError `invalid-option` for a case that wants a tool which the catalog does not have.
   */
  async data(requestContext?: RequestContext): Promise<InspectData> {
    const { search, isPerRequest, scorers, stats } = this.#inspected;
    const names = Array.from(scorers.keys(), (name) => ({ name, isLocal: false }));
    const { catalog, fault } = await search.catalogOf(requestContext);
    const data = toInspectData(catalog, { ...this.#shownOf(fault), scorers: names });
    const server = {
      canSearch: scorers.size > 0,
      canFilter: isPerRequest || search.isFiltered,
      hasStats: stats !== undefined,
      ...(fault === undefined ? {} : { fault }),
      ...(this.#revision === undefined ? {} : { revision: this.#revision }),
    };
    return { ...data, server };
  }

  /** The page of a request as one file: it contains the server's answers, but not its scorers and filter. */
  async file(requestContext?: RequestContext): Promise<string> {
    const { search, stats } = this.#inspected;
    const { catalog, fault } = await search.catalogOf(requestContext);
    const [findings, funnel] = await Promise.all([this.findings(requestContext), stats?.()]);
    return fileOf(catalog, { ...this.#shownOf(fault), findings, ...given({ funnel }) });
  }

  /** Without tools, every case would want a tool that is missing, so cases are left out. */
  #shownOf(fault: string | undefined): Shown {
    const { topK } = this.#inspected;
    return { ...this.#shown, topK, ...(fault === undefined ? {} : { cases: undefined }) };
  }

  /**
   * Searches until a timeout, or until the request aborts. The scorer may go on, but nobody waits for it.
   *
   * @throws ToolSearchError `invalid-option` for an unknown scorer, `search-failed`.
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
    const { topK } = this.#inspected;
    const { results, rest, isWeak } = await this.#scorerCalled(scorer).search(query, {
      ...(requestContext ? { requestContext: contextOf(requestContext) } : { isOpen: true }),
      ...(abortSignal && { abortSignal }),
      ...{ limit: Math.max(topK, RATED), depth: DEPTH, explain: true },
    });
    return {
      // The page already has the descriptions.
      matches: [...results, ...rest].map(({ description: _, alsoAs: __, ...match }) => match),
      ...(isWeak === undefined ? {} : { isWeak }),
    };
  }

  /**
   * The tools that the filter permits a user. An aborted request is permitted none.
   *
   * @throws ToolSearchError `search-failed` if a phase is empty because of an error.
   */
  async permitted(
    { requestContext }: InspectQuestions['permitted']['asked'],
    abortSignal?: AbortSignal,
  ): Promise<InspectPermitted> {
    const { search, isPerRequest } = this.#inspected;
    const { names, catalog } = await search.permitted(contextOf(requestContext), abortSignal);
    return isPerRequest ? { ...names, tools: inspectTools(catalog) } : names;
  }

  /** The findings of `lint` in the catalog of a request, computed once. */
  async findings(requestContext?: RequestContext): Promise<readonly LintFinding[]> {
    const { search, lint } = this.#inspected;
    const { catalog } = await search.catalogOf(requestContext);
    const findings = this.#findings.get(catalog) ?? lint(catalog);
    this.#findings.set(catalog, findings);
    return findings;
  }

  /**
   * The evaluation of a request's cases with a scorer, computed once.
   *
   * @throws ToolSearchError `invalid-option` for an unknown scorer; also the scorer's own errors.
   */
  async evaluation(
    { scorer }: InspectQuestions['evaluation']['asked'],
    requestContext?: RequestContext,
  ): Promise<ScorerEvaluation> {
    const { search, topK } = this.#inspected;
    const chosen = this.#scorerCalled(scorer);
    const { catalog } = await search.catalogOf(requestContext);
    const known = this.#evaluations.get(catalog) ?? new Map<string, Promise<ScorerEvaluation>>();
    this.#evaluations.set(catalog, known);
    const run = async (): Promise<ScorerEvaluation> => {
      const ranking = await chosen.ranking(catalog);
      const cases = readCases(this.#shown.cases ?? [], catalog);
      return { ...(await measure(cases, ranking.index, ranking.scorer, topK)), scorer };
    };
    const evaluation = known.get(scorer) ?? run();
    known.set(scorer, evaluation);
    // A failed evaluation is not cached, because the next one may succeed.
    evaluation.catch(() => known.delete(scorer));
    return evaluation;
  }

  #scorerCalled(name: string): RequestSearch {
    const { scorers } = this.#inspected;
    const search = scorers.get(name);
    if (!search) throw invalidOption('scorer', name, `one of ${[...scorers.keys()].join(', ') || 'none'}`);
    return search;
  }

  /** The funnel of the live processor until now. */
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
}

function unanswered(ask: string): Error {
  return invalidOption('ask', ask, 'a question that this inspector answers');
}

function contextOf(values: JsonObject): RequestContext {
  return new RequestContext(Object.entries(values));
}
