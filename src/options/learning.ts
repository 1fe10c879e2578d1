import type { LearningStore } from '../loaded/stores/learning-store.ts';
import type { ScopeRequest } from '../processor/request.ts';
import { type Complete, flag, hasMethods, must, type OptionTable } from './check.ts';

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
   * The place where it is kept: of this process, or `redisLearningStore`, `fileLearningStore`, `memoryLearningStore`.
   *
   * @default 'in-memory'
   */
  store?: 'in-memory' | LearningStore;
  /** Milliseconds after which a use counts half. After seven times that it is forgotten. @default 2_592_000_000 (30 days) */
  halfLife?: number;
  /**
   * Who learns together: `'resource'`, each user or tenant (Mastra's resource) alone; `'global'`, all together; or a
   * function that returns the key of who do, at once. A request without one neither learns nor is helped.
   *
   * @default 'resource'
   */
  scope?: 'resource' | 'global' | ((request: ScopeRequest) => string | undefined);
  /** The part of what use says that is added to scores, above 0 up to 1: 0.5 halves it. @default 1 */
  weight?: number;
  /**
   * Whether uses keep the meaning of their query, as a vector of the built-in table whose order follows from the scope's
   * key: so "ship it" helps "deploy the app". Who has the key can tell most words of a short query by its vector. `false`
   * keeps hashes of words alone, as does `search.embedder: false`.
   *
   * @default true
   */
  meaning?: boolean;
}

export type ResolvedLearning = Complete<LearningOptions, keyof LearningOptions>;

export const learningOptions: OptionTable<LearningOptions, keyof LearningOptions> = {
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
