import type { MatchExplanation } from '../scorers/scorer.ts';

/**
 * A tool that a search found: for the model in a result of `search_tools`, for code from `processor.search()`.
 *
 * @example
 * ```ts
 * const [best] = await processor.search('send an email');
 * if (best) console.log(best.name, best.score, best.confidence);
 * ```
 */
export interface SearchResult {
  readonly name: string;
  /** At most 150 characters for the model, in full for code. */
  readonly description: string;
  /** On the scale of the scorer, for the model in four significant digits. 1 for a `select:`. */
  readonly score: number;
  /** How likely the tool is what was asked for, from 0 to 1, where the scorer can tell. In hundredths for the model. */
  readonly confidence?: number;
  /** The group that the tool belongs to, where the catalog has several. For the model only. */
  readonly group?: string;
  /**
   * How it is called: `(city, units?: 'c' | 'f')`, with what is required first, and no type for a text. Of the best, as
   * far as the answer stays short. For the model only.
   */
  readonly signature?: string;
  /**
   * The names of tools that are the same on other servers: the best of them stands for all. At most 20, and those alone
   * that the request may see. Absent where there are none.
   */
  readonly alsoAs?: readonly string[];
  /**
   * Whether the tool says of itself that it changes nothing, or that it may destroy something: the `annotations` of an MCP
   * tool that are true. Hints, not to be trusted more than the server. For the model only.
   */
  readonly readOnlyHint?: true;
  readonly destructiveHint?: true;
  /** Whether it can be called now, without a load. For the model only. */
  readonly available?: true;
  /** The queries that found the tool, where there were several. For the model only: code asks one. */
  readonly queries?: readonly string[];
  /** Whether the user's message alone found it, and no query (`search.useMessage`). For the model only. */
  readonly fromMessage?: true;
  /**
   * The part of the score that past use added (`learning`), with `explain: true`; absent where it added nothing. For code
   * only.
   */
  readonly byUse?: number;
  /** Why the tool was found, with `explain: true`, where the scorer can tell. For code only. */
  readonly explanation?: MatchExplanation;
}
