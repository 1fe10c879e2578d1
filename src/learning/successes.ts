import { asRecord, type ConversationMessage, callsOfRun, type RequestState, type ToolCall } from '../kit.ts';

/** The calls of runs that succeeded, each once. */
export class Successes {
  readonly #seen = new WeakMap<RequestState, Set<string>>();

  /**
   * The names of the tools that were called with success since the step before.
   *
   * @param isMastras - whether a message is Mastra's own, and not the caller's.
   */
  since(
    state: RequestState,
    calls: readonly ToolCall[],
    isMastras: (message: ConversationMessage) => boolean,
  ): readonly string[] {
    const seen = this.#seen.get(state) ?? new Set<string>();
    this.#seen.set(state, seen);
    return callsOfRun(calls).flatMap((call) => {
      const { id, toolName } = call;
      if (id === undefined || toolName === undefined || seen.has(id) || !hasSucceeded(call)) return [];
      seen.add(id);
      return isMastras(call.message) ? [toolName] : [];
    });
  }
}

/** Mastra stores a call with wrong arguments, and one that an MCP server calls an error, with a result as well. */
function hasSucceeded({ state, result }: ToolCall): boolean {
  const { isError, error } = asRecord(result) ?? {};
  return state === 'result' && isError !== true && error !== true;
}
