import type { Catalog } from '../catalog/catalog.ts';
import { RunMemory } from '../filter/questions.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

/** Everything remembered about one request across its steps: its loads, the filter's answers, hints for the model. */
export interface RequestState {
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
  run: RunMemory;
  /** What can be searched besides the agent's own tools, where that is resolved for each run. */
  base?: MaybePromise<Catalog>;
  /** Whether the catalog is sent whole, decided in the first step. */
  isSentWhole?: boolean;
}

export function createRequestState(scope: string | undefined): RequestState {
  return {
    scope,
    own: new Set(),
    unsaved: new Set(),
    removed: new Set(),
    seenCalls: new Set(),
    sent: new Set(),
    hints: [],
    run: new RunMemory(),
    steps: 0,
  };
}
