/**
 * Bounds of an add: how long names are kept, in milliseconds, and how many.
 *
 * @example
 * ```ts
 * const forAnHour: AddOptions = { ttl: 3_600_000, max: 64 };
 * memoryStore().add('["user","thread"]', ['send_email'], forAnHour);
 * ```
 */
export interface AddOptions {
  /** Milliseconds without a read or an add after which the scope is forgotten. 0 keeps it. */
  readonly ttl: number;
  /** Maximum number of names that stay; the oldest go first. */
  readonly max?: number;
}

/**
 * Remembers which tools each scope (a thread of a resource) has loaded.
 *
 * A scope is never an empty text: a request without a thread keeps its loads in the request and never reaches a store.
 * An error of the store is reported as an event; the run goes on with what it knows of the thread, and what it loads
 * itself.
 *
 * @example
 * ```ts
 * const scopes = new Map<string, string[]>();
 * // Forgets nothing but what it is told to: a real one keeps to ttl and max.
 * const storage: LoadedToolStore = {
 *   get: (scope) => [...(scopes.get(scope) ?? [])],
 *   add: (scope, names) => void scopes.set(scope, [...new Set([...(scopes.get(scope) ?? []), ...names])]),
 *   clear: (scope) => void scopes.delete(scope),
 * };
 * new ToolSearchProcessor({ tools, storage });
 * ```
 */
export interface LoadedToolStore {
  /**
   * Whether `get` wants `fromConversation`. If so, the conversation is read for requests without a thread as well.
   *
   * With `'only'`, the conversation is the only record. `fromConversation` then also has what the request itself has
   * loaded, whose results the conversation may not show yet, and `remove` is called for `unload()` alone.
   */
  readonly readsConversation?: boolean | 'only';
  /**
   * Names loaded for the scope, oldest load first; empty when it is unknown or expired. Reading an existing scope
   * restarts its clock; reading an unknown one creates nothing. The result is a copy.
   *
   * @param fromConversation - names that results still in the conversation loaded, oldest first. Absent where no
   * messages are at hand. Only a store with `readsConversation` is given it.
   */
  get(scope: string, fromConversation?: readonly string[]): readonly string[] | Promise<readonly string[]>;
  /** Adds names at the end, in order; one that is already there keeps its place. Atomic: concurrent adds lose nothing. */
  add(scope: string, names: readonly string[], options: AddOptions): void | Promise<void>;
  /** Forgets the scope. Forgetting an unknown scope is a no-op. */
  clear(scope: string): void | Promise<void>;
  /**
   * Takes names out of the scope, for unloading. Unknown names are ignored; a scope that is left without names counts
   * as unknown. Atomic. Does not restart the clock, because it is no use of the other names.
   */
  remove?(scope: string, names: readonly string[]): void | Promise<void>;
  /** Forgets all scopes: `clearAllState()`. */
  clearAll?(): void | Promise<void>;
  /** The scopes that are kept, for `clearState(threadId)`, which forgets the thread under all resources. */
  scopes?(): readonly string[];
  /** Removes expired scopes now and says how many: `cleanupNow()`. */
  cleanup?(): number;
  /** Counts the scopes, and tells when the least recently used one was read: for `getStateStats()`. */
  stats?(): { scopeCount: number; oldestAccessTime: number | null };
  /** Gives the store the Mastra instance that the processor was registered with. May be called several times. */
  useMastra?(mastra: unknown): void;
}
