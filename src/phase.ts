/**
 * Where the filter is asked: `search` before a tool is shown to the model (results, suggestions, the injected
 * catalog, patterns, a name in another spelling; for all but its exact name), `load` before it is loaded, and again before a call runs that may have waited for an approval or an answer,
 * `active` before a loaded or always-loaded tool is sent, and again before it runs.
 */
export type ToolSearchFilterPhase = 'search' | 'load' | 'active';
