/**
 * A phase of the filter, by the time at which the filter is asked:
 * - `search`: before a tool is shown to the model, in results, in suggestions, in the injected catalog, or as the
 *   meaning of a pattern or of a name in another spelling. An exact name reveals nothing.
 * - `load`: before a tool is loaded, and again before a call runs that may have waited for an approval or an answer.
 * - `active`: before a loaded or always-loaded tool is sent, and again before it runs.
 *
 * @example
 * ```ts
 * // Everybody may find the tools that only some may load.
 * const phases: readonly ToolSearchFilterPhase[] = ['load', 'active'];
 * ```
 */
export type ToolSearchFilterPhase = 'search' | 'load' | 'active';
