import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../catalog/catalog.ts';
import type { Permissions } from '../filter/permissions.ts';
import type { ToolDocument } from '../scorers/document.ts';
import type { ToolMatch } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { inTime } from '../util/timeout.ts';

/**
 * Reranks the matches of a search before the best of them are shown, for example with a cross-encoder or a business rule.
 *
 * The function gets the best 100 visible matches, best first, without those that score less than 5 % of the best (see
 * `keepsTail` of a scorer). It returns them in its own order, with its own scores; matches that it leaves out are not shown.
 * Names that are not among the matches are ignored. Confidences stay with the ranks: the first result gets the highest.
 * Where the function throws, rejects or takes more than two seconds, the first ranking is kept, and the event
 * `scorer-failed` reports the failure with `survived`.
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
  /** The document of a matching tool, as scorers see it; undefined for any other name. */
  readonly document: (name: string) => ToolDocument | undefined;
}

/** A match, with the part of its score that past use added. */
export interface RankedMatch extends ToolMatch {
  readonly byUse?: number;
  /** The likelihood, learned from past use, that the tool is what was asked for, from 0 to 1. */
  readonly likelihood?: number;
}

/** A stage between the ranking of the scorer and the answer: what is learned from use, or the hook `search.rerank`. */
export interface Reranker {
  /** The reranker's name in events. */
  readonly name: string;
  /**
   * Whether the reranker only adds to the scorer's scores. If so, the tail is cut after it, and a tool keeps its confidence or
   * gets that of a tool it passed. If not, the tail is cut before it, and confidences stay with the ranks.
   */
  readonly keepsScale?: boolean;
  /** Whether the reranker can add tools, so that it also runs where nothing matches. */
  readonly addsMatches?: boolean;
  /**
   * The matches in their new order; undefined where they stay as they are.
   *
   * @param matches - best first.
   * @param catalog - the part of it that the request may see.
   */
  rank(
    matches: readonly RankedMatch[],
    query: ToolQuery,
    catalog: Catalog,
    asker: Permissions['asker'],
  ): MaybePromise<readonly RankedMatch[] | undefined>;
}

/** Matches that are read for reranking, unless the search wants more. */
export const MAX_RANKED_ANEW = 1_000;
const MAX_RERANKED = 100;
/** Milliseconds for the hook. */
const TIMEOUT = 2_000;

/**
 * The hook of the option `search.rerank` as a stage.
 *
 * @param cut - takes the tail from matches.
 */
export function hookReranker(
  rerank: Rerank,
  cut: (matches: readonly RankedMatch[]) => readonly RankedMatch[],
): Reranker {
  return {
    name: 'rerank',
    async rank(before, query, catalog, { requestContext, abortSignal }) {
      const matches = cut(before.slice(0, MAX_RERANKED)).map(({ name, score }) => ({ name, score }));
      const names = new Set(matches.map(({ name }) => name));
      const context: RerankContext = {
        ...(requestContext && { requestContext }),
        ...(abortSignal && { abortSignal }),
        document: (name) => {
          const entry = names.has(name) ? catalog.get(name) : undefined;
          return entry && catalog.readDocument(entry);
        },
      };
      const after: unknown = await inTime((async () => rerank(matches, query, context))(), TIMEOUT);
      if (!Array.isArray(after)) throw new TypeError('search.rerank did not return a list of matches');
      const left = new Set(names);
      return (after as (Partial<ToolMatch> | null)[]).flatMap((match) => {
        const { name, score } = match ?? {};
        return typeof name === 'string' && typeof score === 'number' && left.delete(name) ? [{ name, score }] : [];
      });
    },
  };
}

export interface Reranked {
  readonly matches: readonly RankedMatch[];
  readonly keepsScale: boolean;
}

/**
 * Applies the rerankers in turn. Returns undefined where none of them changes the matches. A reranker that fails is reported
 * to `failed` and skipped.
 */
export async function rerankedBy(
  rerankers: readonly Reranker[],
  before: readonly RankedMatch[],
  query: ToolQuery,
  catalog: Catalog,
  asker: Permissions['asker'],
  failed: (reranker: string, error: unknown) => void,
): Promise<Reranked | undefined> {
  let reranked: Reranked | undefined;
  for (const reranker of rerankers) {
    const matches = reranked?.matches ?? before;
    if (matches.length === 0 && !reranker.addsMatches) continue;
    try {
      const anew = await reranker.rank(matches, query, catalog, asker);
      if (anew) reranked = { matches: anew, keepsScale: reranker.keepsScale ?? false };
    } catch (error) {
      failed(reranker.name, error);
    }
  }
  return reranked;
}
