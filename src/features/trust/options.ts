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
 * What happens with a definition that nobody has accepted: it is an event (`'tell'`), or the tool is hidden as well.
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
   * The place where pins are kept: of this process, or `filePinStore`, `redisPinStore`, `threadStatePinStore`.
   *
   * @default 'in-memory'
   */
  store?: 'in-memory' | PinStore;
  /** What happens with a tool whose definition is another one than was pinned. @default 'withhold' */
  onChange?: DefinitionHandling;
  /**
   * What happens with a tool that has no pin, of an MCP server that has pins; with a locked store, with any tool. Over a
   * `ToolSource`, which never shows all its tools, only a locked store knows new ones.
   *
   * @default onChange
   */
  onNew?: DefinitionHandling;
  /**
   * Whose pins count together: those of all requests, or a function that returns the key of a tenant. For catalogs in which
   * two tenants have different tools of one name. A request without a key has no pins: with `'withhold'` it has no tools.
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

/** The options about the trust in definitions; undefined where all are off. */
export interface ResolvedTrust {
  /** Where there are no pins, it keeps what was accepted. */
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
