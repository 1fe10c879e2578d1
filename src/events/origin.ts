/**
 * Where an event comes from. Ids that nobody told are left out: a step by hand has no run, and what concerns all requests,
 * such as `option-doubt`, has none at all.
 *
 * @example
 * ```ts
 * const belongTogether = (one: EventOrigin, other: EventOrigin) => one.runId === other.runId;
 * ```
 */
export interface EventOrigin {
  /** Mastra's id of the run. */
  readonly runId?: string;
  /** The step of the request, from 1. */
  readonly step?: number;
  readonly agentId?: string;
  readonly threadId?: string;
  readonly resourceId?: string;
}
