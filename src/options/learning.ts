import { checkOption } from '../errors.ts';
import type { LearningStore } from '../loaded/stores/learning-store.ts';
import type { ScopeFunction, ScopeRequest } from '../processor/request.ts';
import { isRecord } from '../util/record.ts';

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
  /**
   * Milliseconds after which a use counts half. After seven times that it is forgotten.
   *
   * @default 2_592_000_000 (30 days)
   */
  halfLife?: number;
  /**
   * Who learns together: `'resource'`, each user or tenant (Mastra's resource) alone; `'global'`, all together; or a
   * function that returns the key of who do, at once. A request without one neither learns nor is helped.
   *
   * @default 'resource'
   */
  scope?: 'resource' | 'global' | ((request: ScopeRequest) => string | undefined);
  /**
   * Most that use can add to a score, as a share of the best score of the search, above 0 up to 1.
   *
   * @default 0.4
   */
  weight?: number;
}

export interface ResolvedLearning {
  /** Undefined for one of this process. */
  readonly store: LearningStore | undefined;
  readonly halfLife: number;
  readonly kind: 'resource' | 'global' | 'function';
  readonly scope: ScopeFunction;
  readonly weight: number;
}

const scopes: Record<'resource' | 'global', ScopeFunction> = {
  // No key of the one is a key of the other.
  resource: ({ resourceId }) => resourceId && JSON.stringify([resourceId]),
  global: () => '[]',
};

/** @throws ToolSearchError `invalid-option` */
export function resolveLearning(option: boolean | LearningOptions | undefined): ResolvedLearning | undefined {
  if (option === undefined || option === false) return undefined;
  checkOption(option === true || isRecord(option), 'learning', option, 'true, false or an object');
  const { store = 'in-memory', halfLife = 30 * 86_400_000, scope = 'resource', weight = 0.4 } = asOptions(option);
  const isStore = store === 'in-memory' || ['read', 'append', 'clear'].every((name) => isMethod(store, name));
  checkOption(isStore, 'learning.store', store, `'in-memory' or a LearningStore, e.g. redisLearningStore({ client })`);
  checkOption(typeof halfLife === 'number' && halfLife > 0, 'learning.halfLife', halfLife, 'milliseconds above 0');
  checkOption(typeof weight === 'number' && weight > 0 && weight <= 1, 'learning.weight', weight, 'above 0, up to 1');
  const isFunction = typeof scope === 'function';
  const isScope = isFunction || scope === 'resource' || scope === 'global';
  checkOption(isScope, 'learning.scope', scope, `'resource', 'global' or a function`);
  return {
    ...{ halfLife, weight, store: store === 'in-memory' ? undefined : store },
    ...(isFunction ? { kind: 'function', scope } : { kind: scope, scope: scopes[scope] }),
  };
}

function asOptions(option: true | LearningOptions): LearningOptions {
  return option === true ? {} : option;
}

function isMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function';
}
