/**
 * Where an event comes from. Unknown ids are left out: a step outside of a run has no `runId`, and an event about all
 * requests, such as `option-doubt`, has no ids.
 *
 * @example
 * ```ts
 * const belongTogether = (one: EventOrigin, other: EventOrigin) => one.runId === other.runId;
 * ```
 */
export interface EventOrigin {
  /** Mastra's id of the run. */
  readonly runId?: string;
  /** The number of the step in its request, from 1. */
  readonly step?: number;
  readonly agentId?: string;
  readonly threadId?: string;
  readonly resourceId?: string;
}
