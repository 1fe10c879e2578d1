import type { ScopeRequest } from '../../loaded/identity.ts';
import { memoryPinStore, type PinStore } from '../../trust/pin-store.ts';
import {
  aFunction,
  type Complete,
  hasMethods,
  must,
  type Option,
  type OptionTable,
  oneOf,
  withDefaults,
} from '../../util/check.ts';
import { isRecord } from '../../util/record.ts';

/**
 * How the processor handles a definition that nobody has accepted: `'tell'` reports an event, `'withhold'` also hides
 * the tool.
 *
 * @example
 * ```ts
 * const handling: DefinitionHandling = process.env.NODE_ENV === 'production' ? 'withhold' : 'tell';
 * new ToolSearchProcessor({ tools, onSuspicious: handling });
 * ```
 */
export type DefinitionHandling = 'tell' | 'withhold';

/**
 * The settings of `pins`.
 *
 * @example
 * ```ts
 * import { filePinStore } from 'mastra-tool-search/pins';
 *
 * const pins: PinsOptions = { store: filePinStore({ file: 'tools.lock.json' }), onChange: 'withhold' };
 * new ToolSearchProcessor({ tools, pins });
 * ```
 */
export interface PinsOptions {
  /**
   * Where pins are stored: in the memory of this process, or in a store such as `filePinStore`, `redisPinStore` or
   * `threadStatePinStore`.
   *
   * @default 'in-memory'
   */
  store?: 'in-memory' | PinStore;
  /** How a tool is handled whose definition differs from its pin. @default 'withhold' */
  onChange?: DefinitionHandling;
  /**
   * How a new tool is handled: one without a pin, from an MCP server that has pins. With a locked store, every tool
   * without a pin is new. Over a `ToolSource`, which never lists all its tools, tools are new only with a locked store.
   *
   * @default onChange
   */
  onNew?: DefinitionHandling;
  /**
   * Which requests share pins: all, or those for which a function returns the same key, e.g. of a tenant. Needed where
   * two tenants have different tools of one name. A request without a key has no pins: with `'withhold'` it has no
   * tools.
   *
   * @default 'global'
   */
  scope?: 'global' | ((request: ScopeRequest) => string | undefined);
}

const handling = oneOf('tell', 'withhold');

const pinsOptions: OptionTable<PinsOptions, 'store' | 'onChange' | 'scope'> = {
  store: {
    default: 'in-memory',
    check: must(
      `'in-memory' or a PinStore, e.g. filePinStore({ file: 'tools.lock.json' })`,
      (value) => value === 'in-memory' || hasMethods(value, 'read', 'add', 'replace'),
    ),
  },
  onChange: { default: 'withhold', check: handling },
  onNew: { check: handling },
  scope: {
    default: 'global',
    check: must(`'global' or a function`, (value) => value === 'global' || aFunction.holds(value)),
  },
};

export const pinsOption: Option<PinsOptions> = {
  check: must(`an object, e.g. { store, onChange: 'withhold' }`, isRecord),
  of: pinsOptions,
};

export const onSuspiciousOption: Option<DefinitionHandling> = { check: handling };

/** The validated options `pins` and `onSuspicious`. */
export interface ResolvedTrust {
  /** Keeps accepted definitions also if the option `pins` is not set. */
  readonly store: PinStore;
  readonly isPinned: boolean;
  readonly withholds: Readonly<Record<'changed' | 'new' | 'suspicious', boolean>>;
  readonly looksForSuspicious: boolean;
  readonly scope: Complete<PinsOptions, 'scope'>['scope'];
}

export function resolveTrust(
  pins: PinsOptions | undefined,
  onSuspicious: DefinitionHandling | undefined,
): ResolvedTrust | undefined {
  if (!pins && !onSuspicious) return undefined;
  const { store, onChange, onNew = onChange, scope } = withDefaults(pinsOptions, pins);
  const isPinned = pins !== undefined;
  return {
    store: store === 'in-memory' ? memoryPinStore() : store,
    isPinned,
    withholds: {
      changed: isPinned && onChange === 'withhold',
      new: isPinned && onNew === 'withhold',
      suspicious: onSuspicious === 'withhold',
    },
    looksForSuspicious: onSuspicious !== undefined,
    scope,
  };
}
