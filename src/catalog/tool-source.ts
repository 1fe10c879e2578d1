import type { RequestContext } from '@mastra/core/request-context';
import type { FeatureExplanation } from '../scorers/scorer.ts';
import type { ToolQuery } from '../scorers/words/query.ts';
import type { Contradiction } from '../util/check.ts';
import type { ToolStub } from './lazy-tools.ts';
import type { AnyTool } from './tool.ts';

/**
 * Tools that live outside the process: in a database, or behind a search service. A run asks the source for candidates, and
 * for the tools that the run loads or calls; no other tools of the source are ever in memory.
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
  /** The source's name in events. @default 'source' */
  readonly name?: string;
  /**
   * Returns at most `limit` candidates, best first. Where the filter leaves too few, `search` is called again with a larger
   * limit: the earlier answer must be the beginning of the later one. An answer shorter than `limit` means that there are no
   * more. The source leaves out tools that do not match every word of `query.required`.
   */
  search(
    query: ToolQuery,
    request: SourceSearchRequest,
  ): readonly SourceCandidate[] | Promise<readonly SourceCandidate[]>;
  /**
   * Returns tools, or lazy tools, by their exact names, without those that do not exist or that the request may not see. It
   * is called for tools that the model loads or calls, and for tools that the thread has loaded before.
   */
  get(names: readonly string[], request: SourceRequest): SourceTools | Promise<SourceTools>;
  /**
   * Returns the tools whose names have a prefix, or those of a group, in any stable order, for `select:github_*`. Without
   * `list`, the pattern's words are searched for, and results that fit the pattern count. Scores are ignored.
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
  /** Aborts when the answer is no longer needed: the run has ended, or `timeouts.tools` has passed. */
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
  /** How many candidates are wanted. Further candidates are ignored. */
  readonly limit: number;
  /** Whether `words` are wanted: for `processor.search()` with `explain`. */
  readonly explain?: boolean;
}

/**
 * A tool that a {@link ToolSource} found. Its definition comes from {@link ToolSource.get}.
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
  /** The names of the tool's parameters, as in {@link ToolStub}. Search results show them. */
  readonly parameters?: readonly string[];
  /** How likely the tool is what the query asked for, from 0 to 1. The value may depend on the other candidates. */
  readonly confidence?: number;
  /** The words of the query with what they found, for `explain`. */
  readonly words?: readonly CandidateWord[];
  /** The summands of the score, for `explain`. */
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
  /** The word of the tool that matched. Empty, or left out, where the query word found nothing. */
  readonly found?: string;
  /** How the word was found. @default 'word' where `found` equals `word`, 'nothing' where `found` is empty, else 'form' */
  readonly by?: 'word' | 'form' | 'compound' | 'guess' | 'synonym' | 'server' | 'nothing';
  readonly fields?: Readonly<Record<string, number>>;
  readonly score?: number;
}

/** Whether the option `tools` is a source. In a record, tools named "search" and "get" are objects, not functions. */
export function isToolSource(tools: unknown): tools is ToolSource {
  if (typeof tools !== 'object' || tools === null) return false;
  const { search, get } = tools as Partial<ToolSource>;
  return typeof search === 'function' && typeof get === 'function';
}

/** An option that a `ToolSource` rules out, and why. */
export function overSource(path: string, reason: string): Contradiction<{ tools?: unknown }> {
  return {
    paths: [path],
    off: [false, 0, 'client'],
    expected: `left out with a ToolSource, which ${reason}`,
    rulesOut: ({ tools }) => isToolSource(tools),
  };
}
