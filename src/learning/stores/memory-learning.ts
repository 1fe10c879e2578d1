import { invalidOption } from '../../errors.ts';
import type { LearnedUse, LearningStore } from '../../kit.ts';
import { type NamesOf, refuseUnknownOptions } from '../../util/check.ts';
import { Lru } from '../../util/lru.ts';
import { appended } from '../uses.ts';

/**
 * The options of `memoryLearningStore`.
 *
 * @example
 * ```ts
 * import { type MemoryLearningStoreOptions, memoryLearningStore } from 'mastra-tool-search/learning';
 *
 * const options: MemoryLearningStoreOptions = { maxUses: 50_000 };
 * memoryLearningStore(options);
 * ```
 */
export interface MemoryLearningStoreOptions {
  /**
   * Most uses that are kept, of all scopes together; the least recently used scope goes first.
   *
   * @default 200_000 (some 50 MB)
   */
  readonly maxUses?: number;
}

const optionNames: NamesOf<MemoryLearningStoreOptions> = { maxUses: true };
/** Most scopes that are kept, however little they learned. */
const MAX_SCOPES = 10_000;

interface Scope {
  readonly key: string;
  readonly uses: readonly LearnedUse[];
  /** Milliseconds since 1970 after which the scope is forgotten. */
  readonly until: number;
}

/**
 * Keeps what is learned in this process: gone at a restart, unknown to other replicas. The default.
 *
 * @throws ToolSearchError `invalid-option`.
 *
 * @example
 * ```ts
 * import { memoryLearningStore } from 'mastra-tool-search/learning';
 *
 * // Shared by two processors.
 * const store = memoryLearningStore();
 * new ToolSearchProcessor({ tools, learning: { store } });
 * ```
 */
export function memoryLearningStore(options: MemoryLearningStoreOptions = {}): LearningStore {
  refuseUnknownOptions('memoryLearningStore', options, optionNames);
  const { maxUses = 200_000 } = options;
  if (typeof maxUses !== 'number' || !(maxUses >= 1)) throw invalidOption('maxUses', maxUses, 'a number of at least 1');
  const scopes = new Lru<Scope>(MAX_SCOPES, maxUses, ({ uses }) => uses.length);

  const living = (scope: string): Scope | undefined => {
    const kept = scopes.get(scope);
    if (!kept || Date.now() <= kept.until) return kept;
    scopes.drop(scope, kept);
    return undefined;
  };

  return {
    read(scope) {
      const kept = living(scope);
      return kept && { key: kept.key, uses: [...kept.uses] };
    },
    append(scope, learned, options) {
      const next = appended(living(scope), learned, options);
      if (next) scopes.set(scope, { ...next, until: Date.now() + options.ttl });
      return next !== undefined;
    },
    clear(scope) {
      const kept = scopes.get(scope);
      if (kept) scopes.drop(scope, kept);
    },
  };
}
