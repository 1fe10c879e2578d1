import type { Catalog } from '../catalog/catalog.ts';
import { Answers } from '../filter/questions.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/** What one request, over all its steps, has loaded. */
export interface LoadState {
  /** Where its loads are kept; undefined for a request without a thread, which keeps them here alone. */
  readonly scope: string | undefined;
  /** Everything this request loaded itself, in order. */
  readonly own: Set<string>;
  /** The part of `own` that the store could not take. */
  readonly unsaved: Set<string>;
  /** Calls that failed and were looked at. */
  readonly seenCalls: Set<string>;
  /** How many steps it has had. */
  steps: number;
  /** Names that were unloaded, where the store, or the conversation, still has them. */
  readonly removed: Set<string>;
  /** Names that the last step sent. */
  sent: ReadonlySet<string>;
  /** What the model is told besides, until the request ends. */
  readonly hints: string[];
  /** What the filter has answered. */
  answers: Answers;
  /** What can be searched besides the agent's own tools, where that is resolved for each run. */
  base?: MaybePromise<Catalog>;
  /** Whether the catalog is sent whole, decided in the first step. */
  isSentWhole?: boolean;
}

export function createLoadState(scope: string | undefined): LoadState {
  return {
    scope,
    own: new Set(),
    unsaved: new Set(),
    removed: new Set(),
    seenCalls: new Set(),
    sent: new Set(),
    hints: [],
    answers: new Answers(),
    steps: 0,
  };
}
