import { messageOf } from '../errors.ts';

/** A fault that a search survives: it is answered without what is at fault. */
export interface ScorerFault {
  /** The name of the scorer, or of the part of it, that is at fault. */
  readonly scorer: string;
  readonly error: unknown;
}

/** What the processor lends to an index that it has built. */
export interface ScorerContext {
  /** Makes an event and a log line of a fault. What ends a search is thrown instead. */
  report(fault: ScorerFault): void;
}

/** For an index that is built by nobody's processor. */
export const consoleContext: ScorerContext = {
  report: ({ scorer, error }) => console.warn(`[tool-search] The scorer "${scorer}": ${messageOf(error)}`),
};
