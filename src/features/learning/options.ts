import type { ScopeRequest } from '../../loaded/identity.ts';
import type { LearningStore } from '../../loaded/stores/learning-store.ts';
import {
  type Complete,
  flag,
  hasMethods,
  must,
  type Option,
  type OptionTable,
  withDefaults,
} from '../../util/check.ts';
import { isRecord } from '../../util/record.ts';

/**
 * The settings of the option `learning`.
 *
 * @example
 * ```ts
 * // What one team uses helps the others of the same tenant.
 * const learning: LearningOptions = {
 *   scope: ({ requestContext }) => requestContext?.get('tenant') as string | undefined,
 *   halfLife: 14 * 86_400_000,
 * };
 * new ToolSearchProcessor({ tools, learning });
 * ```
 */
export interface LearningOptions {
  /**
   * Where uses are stored: in the memory of this process, or in a store such as `redisLearningStore`,
   * `fileLearningStore` or `memoryLearningStore`.
   *
   * @default 'in-memory'
   */
  store?: 'in-memory' | LearningStore;
  /**
   * Milliseconds after which a use counts half. A use is forgotten after seven half-lives. @default 2_592_000_000 (30
   * days)
   */
  halfLife?: number;
  /**
   * Which requests share what is learned: `'resource'`, those of one user or tenant (Mastra's resource); `'global'`,
   * all; or those for which a synchronous function returns the same key. A request without a key neither learns nor
   * uses what was learned.
   *
   * @default 'resource'
   */
  scope?: 'resource' | 'global' | ((request: ScopeRequest) => string | undefined);
  /** Factor, above 0 up to 1, for what past use adds to scores. @default 1 */
  weight?: number;
  /**
   * Whether a use stores the meaning of its query, so that "ship it" helps "deploy the app". The meaning is a vector of
   * the built-in table, in an order that follows from the key of the scope: with that key, most words of a short query
   * can be read from its vector. `false` stores only hashes of words, as does `search.embedder: false`.
   *
   * @default true
   */
  meaning?: boolean;
}

export type ResolvedLearning = Complete<LearningOptions, keyof LearningOptions>;

const learningOptions: OptionTable<LearningOptions, keyof LearningOptions> = {
  store: {
    default: 'in-memory',
    check: must(
      `'in-memory' or a LearningStore, e.g. redisLearningStore({ client })`,
      (value) => value === 'in-memory' || hasMethods(value, 'read', 'append', 'clear'),
    ),
  },
  halfLife: {
    default: 30 * 86_400_000,
    check: must('milliseconds above 0', (value) => typeof value === 'number' && value > 0),
  },
  scope: {
    default: 'resource',
    check: must(
      `'resource', 'global' or a function`,
      (value) => value === 'resource' || value === 'global' || typeof value === 'function',
    ),
  },
  weight: {
    default: 1,
    check: must('above 0, up to 1', (value) => typeof value === 'number' && value > 0 && value <= 1),
  },
  meaning: { default: true, check: flag },
};

export const learningOption: Option<boolean | LearningOptions> = {
  check: must('true, false or an object', (value) => typeof value === 'boolean' || isRecord(value)),
  of: learningOptions,
};

/** @param embedder - `search.embedder`. If it is false, uses store no meaning. */
export function resolveLearning(
  learning: boolean | LearningOptions | undefined,
  embedder: unknown,
): ResolvedLearning | undefined {
  if (!learning) return undefined;
  const resolved = withDefaults(learningOptions, learning === true ? {} : learning);
  return { ...resolved, meaning: resolved.meaning && embedder !== false };
}
