import type { MaybePromise } from '../util/maybe-promise.ts';
import { isRecord } from '../util/record.ts';
import type { DefinitionPin } from './definition.ts';

/**
 * Keeps the definitions of tools as they were first seen, or accepted, by scope: for `pins`.
 *
 * A scope is never empty. What a store throws is an event; with `onChange: 'withhold'`, tools whose pins are not known are withheld.
 *
 * @example
 * ```ts
 * const scopes = new Map<string, Map<string, DefinitionPin>>();
 * const pinsOf = (scope: string) => scopes.get(scope) ?? new Map<string, DefinitionPin>();
 * const store: PinStore = {
 *   read: (scope) => new Map(pinsOf(scope)),
 *   add: (scope, pins) => void scopes.set(scope, new Map([...pins, ...pinsOf(scope)])),
 *   replace: (scope, pins) => void scopes.set(scope, new Map([...pinsOf(scope), ...pins])),
 * };
 * new ToolSearchProcessor({ tools, pins: { store, onChange: 'withhold' } });
 * ```
 */
export interface PinStore {
  /** All pins of a scope, by the names of tools. The result is a copy. */
  read(scope: string): MaybePromise<ReadonlyMap<string, DefinitionPin>>;
  /** Pins tools that have no pin yet; a pin that is there stays. Atomic: of two that add a name, one is kept for both. */
  add(scope: string, pins: ReadonlyMap<string, DefinitionPin>): MaybePromise<void>;
  /** Pins tools in place of the pins that are there. */
  replace(scope: string, pins: ReadonlyMap<string, DefinitionPin>): MaybePromise<void>;
  /** Whether the pins are all tools that there may be: a tool without one is new, whatever server it is of. */
  readonly isLocked?: boolean;
  /** Gives the store the Mastra instance that the processor was registered with. May be called several times. */
  useMastra?(mastra: unknown): void;
}

/** Pins in this process. */
export function memoryPinStore(): PinStore {
  const scopes = new Map<string, ReadonlyMap<string, DefinitionPin>>();
  const pinsOf = (scope: string): ReadonlyMap<string, DefinitionPin> => scopes.get(scope) ?? new Map();
  return {
    read: (scope) => new Map(pinsOf(scope)),
    add: (scope, pins) => void scopes.set(scope, new Map([...pins, ...pinsOf(scope)])),
    replace: (scope, pins) => void scopes.set(scope, new Map([...pinsOf(scope), ...pins])),
  };
}

/** Characters of texts that are read of a pin. */
const MAX_TEXT = 2_000;
/** Parts that are read of a pin. */
const MAX_PARTS = 1_000;

/** A pin as a store has written it, made plain; undefined for what is none. */
export function asPin(value: unknown): DefinitionPin | undefined {
  if (!isRecord(value)) return undefined;
  const { digest, server, description = '', parts, accepted } = value;
  if (typeof digest !== 'string' || typeof description !== 'string') return undefined;
  const known = Object.entries(isRecord(parts) ? parts : {}).filter(
    (part): part is [string, string] => typeof part[1] === 'string',
  );
  return {
    digest: digest.slice(0, MAX_TEXT),
    ...(typeof server === 'string' ? { server: server.slice(0, MAX_TEXT) } : {}),
    description: description.slice(0, MAX_TEXT),
    parts: Object.fromEntries(known.slice(0, MAX_PARTS)),
    ...(accepted === true ? { accepted } : {}),
  };
}
