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
  /** The score on the scorer's scale; the model sees four significant digits. 1 for a `select:`. */
  readonly score: number;
  /** How likely the tool is what was asked for, from 0 to 1, if the scorer can tell. The model sees two decimals. */
  readonly confidence?: number;
  /** The group that the tool belongs to, where the catalog has several. For the model only. */
  readonly group?: string;
  /**
   * The parameters: `(city, units?: 'c' | 'f')`. Required ones come first; the type `string` is not written. The best
   * results have a signature, as long as the answer stays short. For the model only.
   */
  readonly signature?: string;
  /**
   * The names of copies of the tool on other servers; this result stands for all of them. At most 20 names, only of tools
   * that the request may see. Absent without copies.
   */
  readonly alsoAs?: readonly string[];
  /**
   * Whether the tool says of itself that it changes nothing, or that it may destroy something: the `annotations` of an MCP
   * tool that are true. Hints, not to be trusted more than the server. For the model only.
   */
  readonly readOnlyHint?: true;
  readonly destructiveHint?: true;
  /** Whether the model can call the tool now, without loading it. For the model only. */
  readonly available?: true;
  /** The queries that found the tool, where there were several. For the model only: code asks one. */
  readonly queries?: readonly string[];
  /** Whether only the user's message found the tool, and no query (`search.useMessage`). For the model only. */
  readonly fromMessage?: true;
  /**
   * The part of the score that past use added (`learning`), with `explain: true`; absent where it added nothing. For code
   * only.
   */
  readonly byUse?: number;
  /** Why the tool was found, with `explain: true`, where the scorer can tell. For code only. */
  readonly explanation?: MatchExplanation;
}
