import type { RequestContext } from '@mastra/core/request-context';
import type { FeatureExplanation } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import type { Contradiction } from '../util/check.ts';
import type { ToolStub } from './lazy-tools.ts';
import type { AnyTool } from './tool.ts';

/**
 * Tools that live outside the process: in a database, behind a search service. A run asks it for candidates, and for the
 * tools that it loads or calls; nothing else of it is ever in memory.
 *
 * Each call is for one request. No answer has a tool that the request may not see by its `requestContext`: scores may depend
 * on all tools that the source ranks, so the source keeps tenants apart, not the filter. A fault of the source ends no run. A
 * name has 1 to 64 letters, digits, `_` and `-`; a tool with any other name is left out.
 *
 * @example
 * ```ts
 * // The service ranks; `tools` are what can run.
 * const source: ToolSource = {
 *   name: 'search-service',
 *   search: async ({ text }, { limit, abortSignal }) => {
 *     const found = await fetch(`https://search.example.com/?q=${encodeURIComponent(text)}&limit=${limit}`, {
 *       signal: abortSignal ?? null,
 *     });
 *     return (await found.json()) as SourceCandidate[];
 *   },
 *   get: (names) => Object.fromEntries(names.flatMap((name) => (tools[name] ? [[name, tools[name]]] : []))),
 * };
 * new ToolSearchProcessor({ tools: source });
 * ```
 */
export interface ToolSource {
  /** Stands in events. @default 'source' */
  readonly name?: string;
  /**
   * The best candidates for a query, best first, at most `limit`. It is asked again with more where the filter leaves too
   * few: a shorter answer has to be the beginning of the longer one. An answer that is shorter than `limit` is all there
   * is. A tool that one of `query.required` does not match at all is left out.
   */
  search(
    query: ToolQuery,
    request: SourceSearchRequest,
  ): readonly SourceCandidate[] | Promise<readonly SourceCandidate[]>;
  /**
   * Tools, or lazy tools, by their exact names, without those that do not exist or that the request may not see. Called when
   * a tool is loaded or called, and for the tools that a thread has loaded before.
   */
  get(names: readonly string[], request: SourceRequest): SourceTools | Promise<SourceTools>;
  /**
   * The tools whose names begin so, or those of a group, in any order that stays: what `select:github_*` means. Without it,
   * the words of the pattern are searched for, and what fits the pattern counts. Scores are not read.
   */
  list?(
    of: SourceListing,
    request: SourceSearchRequest,
  ): readonly SourceCandidate[] | Promise<readonly SourceCandidate[]>;
}

/**
 * The tools that a {@link ToolSource} is asked to list: those whose names begin with `prefix`, or those of a group, whose
 * name is compared without regard to case.
 *
 * @example
 * ```ts
 * const say = (of: SourceListing) => ('prefix' in of ? `${of.prefix}*` : of.group);
 * ```
 */
export type SourceListing = { readonly prefix: string } | { readonly group: string };

/**
 * Tools by name, as {@link ToolSource} returns them.
 *
 * @example
 * ```ts
 * const byName: SourceTools = tools;
 * ```
 */
export type SourceTools = Readonly<Record<string, AnyTool | ToolStub>>;

/**
 * The request for which a {@link ToolSource} is asked.
 *
 * @example
 * ```ts
 * const tenantOf = ({ requestContext }: SourceRequest) => requestContext?.get('tenant');
 * ```
 */
export interface SourceRequest {
  readonly requestContext?: RequestContext;
  /** Aborted where nobody waits for the answer any more: the run ended, or `timeouts.tools` is over. */
  readonly abortSignal?: AbortSignal;
}

/**
 * The request for which a {@link ToolSource} is searched.
 *
 * @example
 * ```ts
 * const request: SourceSearchRequest = { limit: 20 };
 * ```
 */
export interface SourceSearchRequest extends SourceRequest {
  /** How many candidates are wanted. Further ones are not read. */
  readonly limit: number;
  /** Whether `words` are wanted: for `processor.search()` with `explain`. */
  readonly explain?: boolean;
}

/**
 * A tool that a {@link ToolSource} found. Without its definition, which {@link ToolSource.get} brings.
 *
 * @example
 * ```ts
 * const candidate: SourceCandidate = {
 *   name: 'send_email',
 *   description: 'Send an email.',
 *   score: 9.2,
 *   group: 'mail',
 *   parameters: ['to', 'subject', 'body'],
 * };
 * ```
 */
export interface SourceCandidate {
  /** The name that the model calls. */
  readonly name: string;
  readonly description: string;
  /** Higher is better; the scale is the source's. */
  readonly score: number;
  /** The MCP server that the tool comes from, or the group that it belongs to. */
  readonly group?: string;
  /** The names of its parameters, as for a {@link ToolStub}: results tell them. */
  readonly parameters?: readonly string[];
  /** How likely it is what the query asked for, from 0 to 1. It may depend on the other candidates. */
  readonly confidence?: number;
  /** The words of the query with what they found, for `explain`. */
  readonly words?: readonly CandidateWord[];
  /** What the score is the sum of, for `explain`. */
  readonly features?: readonly FeatureExplanation[];
}

/**
 * A word of a query with what it found in a tool: as much of a {@link WordExplanation} as a source can tell.
 *
 * @example
 * ```ts
 * const word: CandidateWord = { word: 'mails', found: 'mail', score: 4.1 };
 * ```
 */
export interface CandidateWord {
  readonly word: string;
  /** Empty, or left out, where it found nothing. */
  readonly found?: string;
  /** The way it was found. @default 'word' where `found` is `word`, else 'form' */
  readonly by?: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server' | 'nothing';
  readonly fields?: Readonly<Record<string, number>>;
  readonly score?: number;
}

/** Whether the option `tools` is a source. In a record, tools that are called "search" and "get" are no functions. */
export function isToolSource(tools: unknown): tools is ToolSource {
  if (typeof tools !== 'object' || tools === null) return false;
  const { search, get } = tools as Partial<ToolSource>;
  return typeof search === 'function' && typeof get === 'function';
}

/** An option that a `ToolSource` rules out, and why. */
export function overSource(path: string, reason: string): Contradiction<{ tools?: unknown }> {
  return {
    ...{ paths: [path], off: [false, 0, 'client'] },
    expected: `left out with a ToolSource, which ${reason}`,
    rulesOut: ({ tools }) => isToolSource(tools),
  };
}
