/**
 * A place where the filter is asked:
 * - `search` before a tool is shown to the model: in results, suggestions and the injected catalog, by a pattern or a
 *   name in another spelling. An exact name shows nothing.
 * - `load` before a tool is loaded, and again before a call runs that may have waited for an approval or an answer.
 * - `active` before a loaded or always-loaded tool is sent, and again before it runs.
 *
 * @example
 * ```ts
 * // Everybody may find the tools that only some may load.
 * const phases: readonly ToolSearchFilterPhase[] = ['load', 'active'];
 * ```
 */
export type ToolSearchFilterPhase = 'search' | 'load' | 'active';
