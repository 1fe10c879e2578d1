/**
 * What a user interface may show of a tool search, as `streamEvents` sends it on the stream of a run: a transient chunk,
 * which no memory keeps. It names only tools that the request may use.
 *
 * @example
 * ```ts
 * const show = ({ data }: ToolSearchChunk) => {
 *   if (data.type === 'search') console.log(`Found ${data.tools.length} tools`);
 * };
 * ```
 */
export interface ToolSearchChunk {
  readonly type: 'data-tool-search';
  /** Always the same: where a client keeps chunks in spite of `transient`, each takes the place of the one before. */
  readonly id: 'tool-search';
  readonly data: ToolSearchChunkData;
  readonly transient: true;
}

/**
 * The data of a {@link ToolSearchChunk}.
 *
 * - `step`: a model call begins. `tools`: those that the model is sent, meta-tools and the agent's own too.
 * - `preselect`: tools that the run begins with, as the user's words ask for them.
 * - `search`: the model searched, and found `tools`.
 * - `load`: tools were loaded for the next step.
 * - `run`: a tool was called that was not sent, and runs.
 * - `miss`: a tool was called that was not loaded. It is loaded, and the model is asked to call it again.
 *
 * @example
 * ```ts
 * const isFound = ({ type, tools }: ToolSearchChunkData) => type === 'search' && tools.length > 0;
 * ```
 */
export interface ToolSearchChunkData {
  readonly type: 'step' | 'preselect' | 'search' | 'load' | 'run' | 'miss';
  /** Names of tools; of a search the best first. */
  readonly tools: readonly string[];
  /** What the model searched for. Only with `search`. */
  readonly queries?: readonly string[];
  /** When it happened, in milliseconds since 1970. */
  readonly time: number;
  /** The step of the request, from 1. */
  readonly step?: number;
  /** The agent: that of a sub-agent, where one searched. */
  readonly agentId?: string;
  readonly runId?: string;
}
