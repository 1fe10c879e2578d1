import { invalidOption, ToolSearchError } from '../../errors.ts';
import { must, type OptionTable, readOptions } from '../../options/check.ts';
import { isRecord } from '../../util/record.ts';
import { scopeKey } from './scope-key.ts';

/**
 * The part of a client that the stores in Redis need: `eval`, as node-redis (`eval(script, { keys, arguments })`, known by
 * its `evalSha`) or as ioredis and iovalkey (`eval(script, numberOfKeys, ...keysAndArguments)`) have it.
 *
 * @example
 * ```ts
 * import { createClient } from 'redis';
 *
 * const client: RedisClientLike = createClient({ url: 'redis://localhost:6379' });
 * redisStore({ client });
 * ```
 */
export interface RedisClientLike {
  eval(script: string, ...rest: never[]): PromiseLike<unknown>;
}

/**
 * The options of `redisStore` and `redisLearningStore`.
 *
 * @example
 * ```ts
 * const optionsOf = (client: RedisClientLike): RedisStoreOptions => ({ client, prefix: 'my-app:tools' });
 * ```
 */
export interface RedisStoreOptions {
  /**
   * A client, cluster or pool of node-redis, ioredis or iovalkey, or anything with the `eval` of ioredis. The store
   * neither connects nor closes it.
   *
   * Without a server most clients let commands wait for its return, and `connect()` of node-redis as well: do not await
   * it when the app starts. Set `disableOfflineQueue` for node-redis, and `socket.socketTimeout` for a server that
   * hangs; for ioredis `enableOfflineQueue: false` and `commandTimeout`.
   */
  readonly client: RedisClientLike;
  /**
   * The beginning of all keys. Stores with different prefixes share nothing.
   *
   * @default 'mastra-tool-search', and 'mastra-tool-search:learning' for what is learned
   */
  readonly prefix?: string;
}

const storeOptions: OptionTable<RedisStoreOptions> = {
  client: { isRequired: true, check: must('a Redis client with a method eval', isClient) },
  prefix: { check: must('a text', (value) => typeof value === 'string') },
};

/** Runs a script over the key of a scope. */
type RunScript = (script: string, scope: string, args?: readonly string[]) => Promise<unknown>;

/**
 * Checks the options of a store in Redis, and returns what runs its scripts.
 *
 * @param store - the name of its factory.
 * @throws ToolSearchError `invalid-option`
 */
export function redisScripts(store: string, options: RedisStoreOptions, defaultPrefix: string): RunScript {
  if (!isRecord(options)) throw invalidOption('options', options, 'an object, e.g. { client }');
  if (options.client === undefined && isClient(options)) {
    throw new ToolSearchError('invalid-option', `${store}() was given the client itself: pass { client }.`);
  }
  const { client, prefix = defaultPrefix } = readOptions(store, options, storeOptions);
  // A scope's key has no colon, so that the last one ends the prefix.
  return async (script, scope, args = []) => evaluate(client, script, `${prefix}:${scopeKey(scope)}`, args);
}

/** Whether it is a client. One may be a function: a proxy, for example. */
function isClient(value: unknown): value is RedisClientLike {
  return typeof (value as Partial<RedisClientLike> | null | undefined)?.eval === 'function';
}

type Evaluate<Rest extends unknown[]> = { eval(script: string, ...rest: Rest): PromiseLike<unknown> };

function evaluate(client: RedisClientLike, script: string, key: string, args: readonly string[]): PromiseLike<unknown> {
  if (typeof (client as { evalSha?: unknown }).evalSha === 'function') {
    const nodeRedis = client as Evaluate<[{ keys: string[]; arguments: string[] }]>;
    return nodeRedis.eval(script, { keys: [key], arguments: [...args] });
  }
  return (client as Evaluate<[numberOfKeys: number, ...keysAndArguments: string[]]>).eval(script, 1, key, ...args);
}
