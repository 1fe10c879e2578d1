import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import { Groups, serverOf, type ToolGroup } from '../catalog/groups.ts';
import { checkOption } from '../errors.ts';
import type { EventOrigin } from '../events/origin.ts';
import type { ToolSearchFilterPhase } from '../events/phase.ts';
import { Faults, Reporter } from '../events/reporter.ts';
import type { ToolSearchFilter } from '../filter/filter.ts';
import { Policy } from '../filter/permissions.ts';
import { resolveNames } from '../meta-tools/loading.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { consoleContext, type MatchExplanation, type ToolIndex, type ToolScorer } from '../scorers/scorer.ts';
import { parseQuery, type ToolQuery } from '../scorers/words/query.ts';
import { type Found, type FoundEntry, find } from '../search/find.ts';
import { IndexSearcher } from '../search/indexes.ts';
import type { Reranker } from '../search/rerank.ts';
import type { SearchResult } from '../search/search-result.ts';
import type { Searcher } from '../search/searcher.ts';
import type { HookArgs } from '../step/request.ts';
import { type NamesOf, refuseUnknownOptions } from '../util/check.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/**
 * The request for which `search()` searches.
 *
 * @example
 * ```ts
 * const request: SearchRequest = { requestContext, limit: 10, explain: true };
 * const results = await processor.search('send an email', request);
 * ```
 */
export interface SearchRequest {
  readonly requestContext?: RequestContext;
  /** The tools of the request, by their keys; for `includeResolvedTools`. */
  readonly tools?: Readonly<Record<string, unknown>>;
  /** Limit of the results. A query with `select:` ignores it. @default search.topK */
  readonly limit?: number;
  /**
   * Adds to each result why the tool was found, if the scorer can explain it, and what past use added. Costs about as
   * much as the search. @default false
   */
  readonly explain?: boolean;
}

const requestOptions: NamesOf<SearchRequest> = { requestContext: true, tools: true, limit: true, explain: true };

/** A search of the inspector. */
interface PageRequest extends SearchRequest {
  /** The total number of results, of which those after `limit` are returned as `rest`. */
  readonly depth?: number;
  /** Permits every tool and ignores what was learned: for the developer alone. */
  readonly isOpen?: boolean;
  readonly abortSignal?: AbortSignal;
}

export interface RequestResults {
  /** At most `limit`, best first, with explanations if they were requested. */
  readonly results: readonly SearchResult[];
  readonly rest: readonly SearchResult[];
  /** Whether the model would be told that probably nothing fits. Absent if the scorer gives no confidence. */
  readonly isWeak?: boolean;
}

interface SearchParts {
  catalogOf(request: SearchRequest, origin: EventOrigin): MaybePromise<Catalog>;
  readonly policy: Policy;
  readonly searcher: Searcher;
  readonly groups: Groups;
  readonly reporter: Reporter;
  readonly options: Pick<ResolvedOptions, 'scorer' | 'rerank' | 'topK' | 'minScore' | 'minConfidence' | 'autoLoad'>;
  readonly learning?: { rerankerFor(args: HookArgs): Promise<Reranker | undefined> } | undefined;
}

/** Limit of one call of the filter, in milliseconds, as in the processor. */
const FILTER_TIMEOUT = 10_000;

/** Searches as the model of a request would, outside of a run: for `processor.search()` and the inspector. */
export class RequestSearch {
  readonly #parts: SearchParts;

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  /** Searches fixed tools, as a processor with this scorer would. */
  static over(
    catalog: Catalog,
    scorer: ToolScorer,
    {
      filter,
      groups = serverOf,
    }: { readonly filter?: ToolSearchFilter | undefined; readonly groups?: ToolGroup | undefined },
  ): RequestSearch {
    const reporter = new Reporter();
    const policy = new Policy(filter, reporter, FILTER_TIMEOUT);
    const searcher = new IndexSearcher(scorer, consoleContext, catalog);
    const options = { scorer, rerank: undefined, topK: 5, minScore: 0, minConfidence: 0, autoLoad: false };
    const parts = { policy, searcher, groups: new Groups(groups), options, reporter };
    return new RequestSearch({ ...parts, catalogOf: () => catalog });
  }

  get isFiltered(): boolean {
    return !this.#parts.policy.isOpen;
  }

  /**
   * Returns the catalog of a request, and the fault if there are no tools. Without a context, the catalog is that of an
   * anonymous request.
   */
  async catalogOf(
    requestContext: RequestContext | undefined,
  ): Promise<{ catalog: Catalog; fault?: string | undefined }> {
    const faults = new Faults();
    const catalog = await this.#parts.catalogOf({ ...(requestContext && { requestContext }) }, faults.origin);
    return { catalog, fault: faults.errorFor(false)?.message };
  }

  /** Returns the scorer and its index of a catalog. The catalog must be held in memory. */
  async ranking(catalog: Catalog): Promise<{ readonly scorer: ToolScorer; readonly index: ToolIndex }> {
    const { searcher, options } = this.#parts;
    return { scorer: options.scorer, index: (await searcher.ready(catalog)) as ToolIndex };
  }

  /**
   * Returns the tools that the filter permits a request in each phase, and the catalog of the request.
   *
   * @throws ToolSearchError `search-failed` if a phase is empty and something failed.
   */
  async permitted(
    requestContext: RequestContext,
    abortSignal?: AbortSignal,
  ): Promise<{
    readonly names: Readonly<Record<ToolSearchFilterPhase, readonly string[]>>;
    readonly catalog: Catalog;
  }> {
    const faults = new Faults();
    const { origin } = faults;
    const catalog = await this.#parts.catalogOf({ requestContext }, origin);
    const permissions = this.#parts.policy.permissions({ requestContext, origin, abortSignal });
    const namesOf = async (phase: ToolSearchFilterPhase): Promise<readonly string[]> =>
      (await permissions.allowed(catalog.entries, phase)).map(({ name }) => name);
    const names = { search: await namesOf('search'), load: await namesOf('load'), active: await namesOf('active') };
    const error = faults.errorFor(Object.values(names).some(({ length }) => length === 0));
    if (error) throw error;
    return { names, catalog };
  }

  /** @throws ToolSearchError `search-failed` */
  async search(text: string, request: PageRequest): Promise<RequestResults> {
    const faults = new Faults();
    const found = await this.#search(text, request, faults.origin);
    const error = faults.errorFor(found === undefined || found.results.length === 0);
    if (error) throw error;
    return found ?? NOTHING;
  }

  /** Undefined if the search failed. The failure is reported. */
  async #search(text: string, request: PageRequest, origin: EventOrigin): Promise<RequestResults | undefined> {
    const { policy, groups, learning, options } = this.#parts;
    const { requestContext, abortSignal, isOpen = false, explain = false, limit = options.topK, depth } = request;
    const catalog = await this.#parts.catalogOf(request, origin);
    const permitting = isOpen ? new Policy(undefined, this.#parts.reporter) : policy;
    const permissions = permitting.permissions({ requestContext, origin, abortSignal });
    const query = parseQuery(text);
    if (query.select) {
      const named = await resolveNames(query.select, { catalog, permissions }, ['search'], groups);
      const results = [...new Set(named.flat())].map(({ name, description }) => ({ name, description, score: 1 }));
      return { results, rest: [] };
    }
    if (query.keywords.length === 0 || limit < 1) return NOTHING;

    const reranker = isOpen ? undefined : await learning?.rerankerFor(request);
    const scope = { catalog, permissions, autoLoad: options.autoLoad, reranker, explain, origin };
    const found = await find(query, limit, scope, this.#parts);
    // Searched a second time, because the confidence of a tool depends on the other tools shown.
    const deep = depth === undefined ? found : found && (await find(query, depth, scope, this.#parts));
    if (!found || !deep) return undefined;
    const shown = new Set(found.shown.map(({ name }) => name));
    const rest = deep.shown.filter(({ name }) => !shown.has(name));
    return {
      results: await Promise.all(
        found.shown.map(async (entry) => {
          const explanation = explain ? await this.#explain(entry, query, found, origin) : undefined;
          return { ...resultOf(entry, explain), ...(explanation ? { explanation } : {}) };
        }),
      ),
      rest: rest.map((entry) => resultOf(entry, explain)),
      ...(found.index.confidence ? { isWeak: found.isWeak } : {}),
    };
  }

  /** Explains why a tool was found. If the scorer fails at that, the result stays, without an explanation. */
  async #explain(
    { name }: FoundEntry,
    query: ToolQuery,
    { index }: Found,
    origin: EventOrigin,
  ): Promise<MatchExplanation | undefined> {
    try {
      return await index.explain?.(query, name);
    } catch (error) {
      this.#parts.reporter.report(
        { type: 'scorer-failed', scorer: this.#parts.options.scorer.name, error, survived: true },
        origin,
      );
      return undefined;
    }
  }
}

const NOTHING: RequestResults = { results: [], rest: [] };

function resultOf(entry: FoundEntry, explain: boolean): SearchResult {
  const { name, description, score, confidence, alsoAs, byUse } = entry;
  return {
    ...{ name, description, score },
    ...(confidence === undefined ? {} : { confidence }),
    ...(alsoAs ? { alsoAs } : {}),
    ...(explain && byUse !== undefined ? { byUse } : {}),
  };
}

/** @throws ToolSearchError `invalid-option` */
export function checkSearch(text: unknown, request: SearchRequest): void {
  checkOption(typeof text === 'string', 'query', text, 'a text');
  refuseUnknownOptions('search()', request, requestOptions);
  const { limit = 1 } = request;
  checkOption(typeof limit === 'number' && !Number.isNaN(limit), 'limit', limit, 'a number');
}
