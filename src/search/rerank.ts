import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { ToolDocument } from '../catalog/document.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { ToolMatch } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { inTime } from '../util/timeout.ts';

/**
 * Ranks the matches of a search anew, before the best of them are shown: a cross-encoder, a business rule.
 *
 * It gets the best 100 matches that the request may see, best first, without those that score less than 5 % of the best
 * (see `keepsTail` of a scorer), and returns them in its own order, with scores of its
 * own; what it leaves out is not shown. Names that are not among the matches are ignored. The confidences of the first
 * ranking stay with the places. Where it throws, rejects or takes more than two seconds, the first ranking stands, and the
 * event `scorer-failed` says so with `survived`.
 *
 * @example
 * ```ts
 * // Tools of the user's own team come first.
 * const ownTeam: Rerank = (matches, _query, { requestContext, document }) => {
 *   const team = requestContext?.get('team');
 *   const isOwn = ({ name }: ToolMatch) => document(name)?.server === team;
 *   return [...matches.filter(isOwn), ...matches.filter((match) => !isOwn(match))];
 * };
 * new ToolSearchProcessor({ tools, search: { rerank: ownTeam } });
 * ```
 */
export type Rerank = (
  matches: readonly ToolMatch[],
  query: ToolQuery,
  context: RerankContext,
) => MaybePromise<readonly ToolMatch[]>;

/**
 * What a {@link Rerank} may look at.
 *
 * @example
 * ```ts
 * const describe = (name: string, { document }: RerankContext) => document(name)?.description ?? '';
 * ```
 */
export interface RerankContext {
  readonly requestContext?: RequestContext;
  readonly abortSignal?: AbortSignal;
  /** What scorers see of a tool that matches; undefined for any other name. */
  readonly document: (name: string) => ToolDocument | undefined;
}

/** Matches that are ranked anew. */
export const MAX_RERANKED = 100;
/** Milliseconds for it. */
const TIMEOUT = 2_000;

/**
 * The matches in their new order; undefined where there are none, or where the hook failed, which is told to `failed`.
 *
 * @param before - best first.
 * @param catalog - the part of it that the request may see.
 */
export async function reranked(
  rerank: Rerank,
  before: readonly ToolMatch[],
  query: ToolQuery,
  catalog: Catalog,
  permissions: Permissions,
  failed: (error: unknown) => void,
): Promise<readonly ToolMatch[] | undefined> {
  if (before.length === 0) return undefined;
  const matches = before.map(({ name, score }) => ({ name, score }));
  const names = new Set(before.map(({ name }) => name));
  const { requestContext, abortSignal } = permissions.asker;
  const context: RerankContext = {
    ...(requestContext && { requestContext }),
    ...(abortSignal && { abortSignal }),
    document: (name) => {
      const entry = names.has(name) ? catalog.get(name) : undefined;
      return entry && catalog.readDocument(entry);
    },
  };
  try {
    const after: unknown = await inTime((async () => rerank(matches, query, context))(), TIMEOUT);
    if (!Array.isArray(after)) throw new TypeError('search.rerank did not return a list of matches');
    const left = new Set(names);
    const known = (match: Partial<ToolMatch> | null): boolean =>
      typeof match?.name === 'string' && typeof match.score === 'number' && left.delete(match.name);
    return after.filter(known) as ToolMatch[];
  } catch (error) {
    failed(error);
    return undefined;
  }
}
