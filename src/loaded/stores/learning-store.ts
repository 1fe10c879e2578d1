/**
 * A use of a tool after a query, as a store keeps it.
 *
 * @example
 * ```ts
 * const isRecent = ({ usedAt }: LearnedUse) => Date.now() - usedAt < 86_400_000;
 * ```
 */
export interface LearnedUse {
  /** Hashes of the words of the query, and the name of the tool: at most 500 characters, printable ASCII. */
  readonly use: string;
  /** Milliseconds since 1970, 1 or more. */
  readonly usedAt: number;
}

/**
 * What a scope has learned.
 *
 * @example
 * ```ts
 * const count = (learned: LearnedScope | undefined) => learned?.uses.length ?? 0;
 * ```
 */
export interface LearnedScope {
  /** The key that the words of this scope are hashed with. */
  readonly key: string;
  /** Each use once, in any order. Of more than 20,000, the last 20,000 are read: put the latest last. */
  readonly uses: readonly LearnedUse[];
}

/**
 * Bounds of an append.
 *
 * @example
 * ```ts
 * const aYear: AppendOptions = { ttl: 365 * 86_400_000, max: 2_000 };
 * ```
 */
export interface AppendOptions {
  /** Milliseconds without an append after which the scope may be forgotten. */
  readonly ttl: number;
  /** Maximum number of uses that stay; the oldest go first. */
  readonly max: number;
  /** Uses to drop first, to make room. A store may ignore this list: the oldest uses go then. */
  readonly drop?: readonly string[];
}

/**
 * Remembers which tools were used after which queries, by scope: for `learning`.
 *
 * A scope is never an empty text. An error of the store is an event, and the search goes on without what was learned.
 *
 * @example
 * ```ts
 * const scopes = new Map<string, LearnedScope>();
 * // Forgets nothing but what it is told to: a real one keeps to max.
 * const store: LearningStore = {
 *   read: (scope) => scopes.get(scope),
 *   append(scope, { key, uses }) {
 *     const kept = scopes.get(scope) ?? { key, uses: [] };
 *     if (kept.key !== key) return false;
 *     const added = new Set(uses.map(({ use }) => use));
 *     scopes.set(scope, { key, uses: [...kept.uses.filter(({ use }) => !added.has(use)), ...uses] });
 *     return true;
 *   },
 *   clear: (scope) => void scopes.delete(scope),
 * };
 * new ToolSearchProcessor({ tools, learning: { store } });
 * ```
 */
export interface LearningStore {
  /** What the scope has learned; undefined where it is unknown. The result is a copy. */
  read(scope: string): LearnedScope | undefined | Promise<LearnedScope | undefined>;
  /**
   * Adds uses. A use that is there already gets the new time. An unknown scope takes on the key. A scope with another
   * key stays as it is, so that nothing comes back that was cleared meanwhile. Atomic: concurrent appends lose nothing.
   *
   * @returns whether the uses were added: the scope has this key.
   */
  append(scope: string, learned: LearnedScope, options: AppendOptions): boolean | Promise<boolean>;
  /** Forgets the scope and its key. Forgetting an unknown scope is a no-op. */
  clear(scope: string): void | Promise<void>;
}

/** The scope keys of `'resource'` and `'global'`. No key of the one is a key of the other. */
export const learningScopes: Record<
  'resource' | 'global',
  (request: { readonly resourceId?: string | undefined }) => string | undefined
> = {
  resource: ({ resourceId }) => resourceId && JSON.stringify([resourceId]),
  global: () => '[]',
};
