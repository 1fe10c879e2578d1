import type { EventOrigin } from './origin.ts';

/** Where the events of a step, or of a call of a meta-tool, are shown besides: in a span of Mastra, on a stream. */
export interface Place {
  readonly show: (event: PlacedEvent) => void;
  /** The place of a call in the step, which has a span and a stream of its own. */
  readonly ofCall: (context: unknown) => Place | undefined;
}

/** An event, or how an index came to be. */
export interface PlacedEvent {
  readonly type: string;
  readonly time: number;
  /** How long it took, until then. */
  readonly ms?: number;
  readonly error?: unknown;
}

/** An origin with its place. An event has the ids of an origin alone. */
export interface PlacedOrigin extends EventOrigin {
  readonly place?: Place | undefined;
}

export function placeIn(origin: PlacedOrigin | undefined): Place | undefined {
  return origin?.place;
}
