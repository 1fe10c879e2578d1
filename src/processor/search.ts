import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Groups } from '../catalog/groups.ts';
import { checkOption } from '../errors.ts';
import type { EventOrigin } from '../events/origin.ts';
import { Faults, type Reporter } from '../events/reporter.ts';
import type { Policy } from '../filter/permissions.ts';
import { resolveNames } from '../meta-tools/loading.ts';
import { type NamesOf, refuseUnknownOptions } from '../options/check.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { MatchExplanation } from '../scorers/scorer.ts';
import { parseQuery } from '../scorers/words/query.ts';
import { find } from '../search/find.ts';
import type { SearchResult } from '../search/search-result.ts';
import type { Searcher } from '../search/searcher.ts';
import type { RequestCatalogs } from './catalogs.ts';
import type { LearningRequests } from './learning.ts';

/**
 * The request in whose name `search()` searches.
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
  /** A `select:` ignores it. @default search.topK */
  readonly limit?: number;
  /** Says why each tool was found, where the scorer can, and what past use added. Costs about as much as the search. @default false */
  readonly explain?: boolean;
}

const requestOptions: NamesOf<SearchRequest> = { requestContext: true, tools: true, limit: true, explain: true };

/** @throws ToolSearchError `invalid-option` */
export function checkSearch(text: unknown, request: SearchRequest): void {
  checkOption(typeof text === 'string', 'query', text, 'a text');
  refuseUnknownOptions('search()', request, requestOptions);
  const { limit = 1 } = request;
  checkOption(typeof limit === 'number' && !Number.isNaN(limit), 'limit', limit, 'a number');
}

/** The parts of a processor that a search outside of a run needs. */
interface SearchParts {
  readonly catalogs: RequestCatalogs;
  readonly policy: Policy;
  readonly searcher: Searcher;
  readonly groups: Groups;
  readonly learning: LearningRequests | undefined;
}

/**
 * Searches for a user of the class, as the model of that request would.
 *
 * @throws ToolSearchError `search-failed`
 */
export async function searchAs(
  text: string,
  request: SearchRequest,
  parts: SearchParts,
  options: ResolvedOptions,
  reporter: Reporter,
): Promise<readonly SearchResult[]> {
  const faults = new Faults();
  const base = await parts.catalogs.base(request.requestContext, faults.origin);
  const { catalog } = parts.catalogs.split(request, base, request.tools ?? {});
  const results = await search(text, request, catalog, faults.origin, parts, options, reporter);
  const error = faults.errorFor(results === undefined || results.length === 0);
  if (error) throw error;
  return results ?? [];
}

/** The results; undefined where the search failed, which is reported. */
async function search(
  text: string,
  request: SearchRequest,
  catalog: Catalog,
  origin: EventOrigin,
  { policy, searcher, groups, learning }: SearchParts,
  options: ResolvedOptions,
  reporter: Reporter,
): Promise<readonly SearchResult[] | undefined> {
  const { limit = options.topK, explain = false } = request;
  const permissions = policy.permissions({ requestContext: request.requestContext, origin });
  const query = parseQuery(text);
  if (query.select) {
    const named = await resolveNames(query.select, { catalog, permissions }, ['search'], groups);
    return [...new Set(named.flat())].map((entry) => resultOf(entry, 1));
  }
  if (query.keywords.length === 0 || limit < 1) return [];

  const reranker = await learning?.rerankerFor(request);
  const found = await find(
    query,
    limit,
    { catalog, permissions, autoLoad: options.autoLoad, reranker, explain, origin },
    { options, searcher, reporter },
  );
  if (!found) return undefined;
  const explanationOf = async (name: string): Promise<MatchExplanation | undefined> => {
    try {
      return await found.index.explain?.(query, name);
    } catch (error) {
      reporter.report({ type: 'scorer-failed', scorer: options.scorer.name, error, survived: true }, origin);
      return undefined;
    }
  };
  return Promise.all(
    found.shown.map(async (entry): Promise<SearchResult> => {
      const explanation = explain ? await explanationOf(entry.name) : undefined;
      const { score, confidence, alsoAs, byUse } = entry;
      return {
        ...resultOf(entry, score),
        ...(confidence === undefined ? {} : { confidence }),
        ...(alsoAs ? { alsoAs } : {}),
        ...(explanation ? { explanation } : {}),
        ...(explain && byUse !== undefined ? { byUse } : {}),
      };
    }),
  );
}

function resultOf({ name, description }: CatalogEntry, score: number): SearchResult {
  return { name, description, score };
}
