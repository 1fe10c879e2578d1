import { numberFrom, type OptionTable, readOptions } from '../../util/check.ts';
import type { AddOptions, LoadedToolStore } from './store.ts';

/**
 * The options of `memoryStore`.
 *
 * @example
 * ```ts
 * const options: MemoryStoreOptions = { maxScopes: 1_000 };
 * memoryStore(options);
 * ```
 */
export interface MemoryStoreOptions {
  /**
   * Maximum number of scopes that are kept; the least recently used goes first.
   *
   * @default 10_000
   */
  readonly maxScopes?: number;
}

const storeOptions: OptionTable<MemoryStoreOptions, 'maxScopes'> = {
  maxScopes: { default: 10_000, check: numberFrom(1) },
};

/**
 * The store of `memoryStore`, which answers synchronously, and tells what it keeps.
 *
 * @example
 * ```ts
 * const storage: MemoryStore = memoryStore();
 * console.log(storage.stats().scopeCount);
 * ```
 */
export interface MemoryStore extends LoadedToolStore {
  get(scope: string): readonly string[];
  add(scope: string, names: readonly string[], options: AddOptions): void;
  clear(scope: string): void;
  remove(scope: string, names: readonly string[]): void;
  clearAll(): void;
  /** The scopes that are kept and not expired, least recently used first. */
  scopes(): readonly string[];
  /** Removes expired scopes now and returns how many. Without a call, they are removed as the store is used. */
  cleanup(): number;
  stats(): { scopeCount: number; oldestAccessTime: number | null };
}

interface State {
  names: Set<string>;
  ttl: number;
  lastAccess: number;
}

/**
 * Keeps loaded tools in this process: gone at a restart, unknown to other replicas. The default.
 *
 * It sets no timer. Expired scopes go when they are read, and from the least recently used end when
 * a new one comes.
 *
 * @example
 * ```ts
 * const storage = memoryStore({ maxScopes: 1_000 });
 * new ToolSearchProcessor({ tools, storage });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxScopes } = readOptions('memoryStore', options, storeOptions);
  /** Least recently used first: every access moves its scope to the end. */
  const states = new Map<string, State>();

  const isExpired = (state: State): boolean => state.ttl > 0 && Date.now() - state.lastAccess > state.ttl;

  /** The living state of a scope, its clock restarted. */
  const touch = (scope: string): State | undefined => {
    const state = states.get(scope);
    if (!state) return undefined;
    states.delete(scope);
    if (isExpired(state)) return undefined;
    state.lastAccess = Date.now();
    states.set(scope, state);
    return state;
  };

  const makeRoom = (): void => {
    for (const [scope, state] of states) {
      if (states.size <= maxScopes && !isExpired(state)) break;
      states.delete(scope);
    }
  };

  const cleanup = (): number => {
    const before = states.size;
    for (const [scope, state] of states) if (isExpired(state)) states.delete(scope);
    return before - states.size;
  };

  return {
    get(scope) {
      return [...(touch(scope)?.names ?? [])];
    },
    add(scope, names, { ttl, max }) {
      if (names.length === 0) return;
      const kept = touch(scope);
      const state = kept ?? { names: new Set<string>(), ttl, lastAccess: Date.now() };
      state.ttl = ttl;
      for (const name of names) state.names.add(name);
      for (const name of state.names) {
        if (state.names.size <= (max ?? Number.POSITIVE_INFINITY)) break;
        state.names.delete(name);
      }
      states.set(scope, state);
      // Only for a new scope: looking through a long list for old ones costs more than the add.
      if (!kept) makeRoom();
    },
    clear(scope) {
      states.delete(scope);
    },
    remove(scope, names) {
      const state = states.get(scope);
      for (const name of names) state?.names.delete(name);
      if (state?.names.size === 0) states.delete(scope);
    },
    clearAll() {
      states.clear();
    },
    scopes() {
      return [...states].filter(([, state]) => !isExpired(state)).map(([scope]) => scope);
    },
    cleanup,
    stats() {
      let oldest: number | null = null;
      for (const { lastAccess } of states.values()) if (oldest === null || lastAccess < oldest) oldest = lastAccess;
      return { scopeCount: states.size, oldestAccessTime: oldest };
    },
  };
}

/**
 * The store of `storage: 'context'`, which reads the loaded tools from the conversation: a tool is loaded while the
 * result of a meta-tool that loaded it is among the messages. The loads survive a restart if the messages do, and a
 * tool unloads when its result is trimmed away.
 *
 * Nothing that a request loads or unloads is kept here, so that concurrent runs of one thread, or an aborted run, leave
 * nothing to each other. A name that the application unloads stays unloaded until it is loaded again, and no longer
 * than this process lives or the TTL lasts.
 */
export function contextStore(): LoadedToolStore & { readonly readsConversation: 'only' } {
  const removed = memoryStore();
  let ttl = 0;

  return {
    readsConversation: 'only',
    get(scope, fromConversation = []) {
      const hidden = new Set(removed.get(scope));
      return [...new Set(fromConversation)].filter((name) => !hidden.has(name));
    },
    add(scope, names, addOptions) {
      ttl = addOptions.ttl;
      removed.remove(scope, names);
    },
    // Only the conversation can forget what it shows, and what was unloaded must not come back.
    clear() {},
    remove(scope, names) {
      removed.add(scope, names, { ttl });
    },
  };
}
