import type { Catalog } from '../../catalog/catalog.ts';
import type { EventOrigin } from '../../events/origin.ts';
import { RunMemory } from '../../filter/questions.ts';
import type { MaybePromise } from '../../util/maybe-promise.ts';

/** Everything remembered about one request across its steps: its loads, the filter's answers, hints for the model. */
export interface RequestState {
  /** The scope of its loads; undefined for a request without a thread, which keeps them here alone. */
  readonly scope: string | undefined;
  /** Everything this request loaded itself, in order. */
  readonly own: Set<string>;
  /** The part of `own` that the store could not take. */
  readonly unsaved: Set<string>;
  /** Calls that failed and were looked at. */
  readonly seenCalls: Set<string>;
  /** Count of its steps. */
  steps: number;
  /** Told of each call of a tool of this processor in the latest step, and of its end. */
  noteCall?: () => void;
  /** Names that were unloaded, where the store, or the conversation, still has them. */
  readonly removed: Set<string>;
  /** Names that the last step sent. */
  sent: ReadonlySet<string>;
  /** Tools that are sent for this run alone, as nobody has called them. */
  readonly preselected: Set<string>;
  /** Sentences that the model is told besides, until the request ends. */
  readonly hints: string[];
  /** Sentences that stand with the result of a call, by its id, until the request ends. */
  readonly news: Map<string, string>;
  /** Makes a model that is told the news; undefined where there are none. */
  tell?: <Model>(model: Model) => Model;
  /** Memory of the run under way: the filter's answers, and what has to stay the same over its steps. */
  run: RunMemory;
  /** The catalog of its run, without the agent's own tools. Only where `tools` is a function. */
  base?: MaybePromise<Catalog>;
  /** Where the events of its latest step come from; empty as long as nobody listens. */
  origin: EventOrigin;
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
    preselected: new Set(),
    hints: [],
    news: new Map(),
    run: new RunMemory(),
    steps: 0,
    origin: {},
  };
}
