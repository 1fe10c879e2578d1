/**
 * How far searches came, and what became of tools: figures of many runs, as plain data.
 *
 * @example
 * ```ts
 * const conversion = ({ stages }: Funnel) => stages.map(({ name, count }) => `${name}: ${count}`);
 * ```
 */
export interface Funnel {
  /** Events that were counted; those of unknown types are not. */
  readonly events: number;
  /** When the first and the last of them happened, in milliseconds since 1970; absent where none tells. */
  readonly from?: number;
  readonly to?: number;
  /** Searches, by how far they came: each stage is a part of the one before it. */
  readonly stages: readonly FunnelStage[];
  readonly searches: FunnelSearches;
  readonly loads: FunnelLoads;
  readonly calls: FunnelCalls;
  readonly misses: FunnelMisses;
  readonly turnsSaved: TurnsSaved;
  readonly tokens: FunnelTokens;
  /** Tools that events name, the most called first. */
  readonly tools: readonly ToolUse[];
  /** Queries without a confident match, the most frequent first; at most a hundred. */
  readonly unmatched: readonly { readonly query: string; readonly count: number }[];
}

/**
 * - `searches`: all searches.
 * - `found`: they returned a tool.
 * - `loaded`: a tool that they returned was loaded, or called without a load.
 * - `called`: a tool that they returned was called.
 *
 * @example
 * ```ts
 * const share = ([all, , , called]: readonly FunnelStage[]) => (called?.count ?? 0) / (all?.count || 1);
 * ```
 */
export interface FunnelStage {
  readonly name: 'searches' | 'found' | 'loaded' | 'called';
  readonly count: number;
}

/**
 * What searches came to.
 *
 * @example
 * ```ts
 * const shareAskedAgain = ({ total, askedAgain }: FunnelSearches) => askedAgain / total;
 * ```
 */
export interface FunnelSearches {
  readonly total: number;
  /** Without a confident match: the verdict is not `fits`, or, in older events without one, nothing was returned. */
  readonly unmatched: number;
  /** After another search of the run, with neither a load nor a call between the two. */
  readonly askedAgain: number;
}

/**
 * What became of loads. A tool is loaded once in a conversation, however often it is asked for.
 *
 * @example
 * ```ts
 * const waste = ({ total, neverCalled }: FunnelLoads) => neverCalled / total;
 * ```
 */
export interface FunnelLoads {
  readonly total: number;
  /** Loaded, and not called in the same conversation so far. */
  readonly neverCalled: number;
  /** Names in loads that no tool has, or that the request may not load. */
  readonly notFound: number;
  readonly denied: number;
  readonly evicted: number;
}

/**
 * Calls of tools of the catalog.
 *
 * @example
 * ```ts
 * const failureRate = ({ total, failed }: FunnelCalls) => failed / total;
 * ```
 */
export interface FunnelCalls {
  readonly total: number;
  /** They threw, or refused their input. */
  readonly failed: number;
  /** They were refused, as the filter denied the tool by then. */
  readonly denied: number;
}

/**
 * Calls of tools that were not sent, and what became of them.
 *
 * @example
 * ```ts
 * const healed = ({ ran, loaded }: FunnelMisses) => ran + loaded;
 * ```
 */
export interface FunnelMisses {
  readonly total: number;
  /** They ran at once. */
  readonly ran: number;
  /** The tool was loaded for the next step. */
  readonly loaded: number;
  /** Nothing came of them. */
  readonly lost: number;
}

/**
 * Model calls that were not needed, each against a search, a load and a call in steps of their own.
 *
 * - `preselect`: the first call, in a conversation, of a tool that the run began with: two, the search and the load; one
 *   in call mode, which has no load. None where the conversation had found or loaded it before.
 * - `runOnMiss`: a call that ran though the tool was not sent: two; one where a search had returned it before.
 * - `direct`: the first call, in a conversation, of a tool that a search returned and nothing loaded (`mode: 'call'`), or
 *   that the search itself loaded (`search.autoLoad`, `select:`, native mode): one, the load.
 *
 * @example
 * ```ts
 * const seconds = ({ total }: TurnsSaved, secondsATurn: number) => total * secondsATurn;
 * ```
 */
export interface TurnsSaved {
  readonly total: number;
  readonly preselect: number;
  readonly runOnMiss: number;
  readonly direct: number;
}

/**
 * Estimated tokens of definitions, over all steps.
 *
 * @example
 * ```ts
 * const shareSent = ({ sent, all }: FunnelTokens) => sent / all;
 * ```
 */
export interface FunnelTokens {
  readonly steps: number;
  readonly sent: number;
  /** What sending the whole catalog would have cost. */
  readonly all: number;
  readonly saved: number;
}

/**
 * What happened with one tool.
 *
 * @example
 * ```ts
 * const isNeverFound = ({ called, found }: ToolUse) => called > 0 && found === 0;
 * ```
 */
export interface ToolUse {
  readonly name: string;
  /** Searches that returned it. */
  readonly found: number;
  /** Conversations that loaded it. */
  readonly loaded: number;
  readonly called: number;
  /** Conversations that loaded it and have not called it so far. */
  readonly neverCalled: number;
}
