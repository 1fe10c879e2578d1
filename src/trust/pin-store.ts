import type { MaybePromise } from '../util/maybe-promise.ts';
import type { DefinitionPin } from './definition.ts';

/**
 * Stores pins by scope: the definitions of tools as they were first seen or last accepted. For the option `pins`.
 *
 * A scope is never an empty text. An error that a method throws is reported as an event; with `onChange: 'withhold'`,
 * tools whose pins are then unknown are withheld.
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
  /** Returns a copy of all pins of a scope, by tool name. */
  read(scope: string): MaybePromise<ReadonlyMap<string, DefinitionPin>>;
  /**
   * Adds pins for tools that have none, and keeps existing pins. Must be atomic: if two replicas add the same name, the
   * first pin stays.
   */
  add(scope: string, pins: ReadonlyMap<string, DefinitionPin>): MaybePromise<void>;
  /** Sets these pins, in place of existing pins of the same names. Other pins stay. */
  replace(scope: string, pins: ReadonlyMap<string, DefinitionPin>): MaybePromise<void>;
  /** Whether every tool must have a pin. A tool without one then counts as new, regardless of its server. */
  readonly isLocked?: boolean;
  /** Gives the store the Mastra instance that the processor was registered with. May be called several times. */
  useMastra?(mastra: unknown): void;
}

/** Keeps pins in the memory of this process. */
export function memoryPinStore(): PinStore {
  const scopes = new Map<string, ReadonlyMap<string, DefinitionPin>>();
  const pinsOf = (scope: string): ReadonlyMap<string, DefinitionPin> => scopes.get(scope) ?? new Map();
  return {
    read: (scope) => new Map(pinsOf(scope)),
    add: (scope, pins) => void scopes.set(scope, new Map([...pins, ...pinsOf(scope)])),
    replace: (scope, pins) => void scopes.set(scope, new Map([...pinsOf(scope), ...pins])),
  };
}
