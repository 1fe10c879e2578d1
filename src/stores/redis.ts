import { invalidOption, ToolSearchError } from '../errors.ts';
import type { AddOptions, LoadedToolStore } from '../kit.ts';
import { must, type OptionTable, readOptions } from '../util/check.ts';
import { isRecord } from '../util/record.ts';
import { scopeKey } from './scope-keys.ts';

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

type RunScript = (script: string, scope: string, args?: readonly string[]) => Promise<unknown>;

/**
 * Checks the options of a store, and returns the function that runs its scripts.
 *
 * @param store - the name of the store's factory, for messages.
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

/** A client may be a function: a proxy, for example. */
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

/*
 * One sorted set for each scope. A name is a member in JSON, so that it begins with a quote; its score is its place.
 * The member `ttl` stands before them all: its score is the negative ttl, and 0 means keep. What is no JSON text is
 * skipped.
 *
 * The scripts are sent in full (EVAL): Redis finds them compiled by their hash, half a kilobyte is less than the second
 * round trip after a NOSCRIPT, and a restart, a fail-over or SCRIPT FLUSH changes nothing.
 */
const GET = `
local ttl = redis.call('ZSCORE', KEYS[1], 'ttl')
if ttl and ttl + 0 < 0 then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', -ttl)) end
return redis.call('ZRANGE', KEYS[1], -10000, -1)`;

const ADD = `
local ttl, max = ARGV[1], tonumber(ARGV[2])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
local place = math.max(0, tonumber(last[2] or 0))
redis.call('ZADD', KEYS[1], '-' .. ttl, 'ttl')
for argument = 3, #ARGV do
  place = place + 1
  redis.call('ZADD', KEYS[1], 'NX', place, ARGV[argument])
end
if max then
  local excess = redis.call('ZCARD', KEYS[1]) - 1 - max
  if excess > 0 then redis.call('ZREMRANGEBYRANK', KEYS[1], 1, excess) end
end
if ttl == '0' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ttl) end`;

const REMOVE = `
for argument = 1, #ARGV do redis.call('ZREM', KEYS[1], ARGV[argument]) end
if redis.call('ZCARD', KEYS[1]) == 1 then redis.call('DEL', KEYS[1]) end`;

const CLEAR = `redis.call('DEL', KEYS[1])`;

/**
 * Keeps loaded tools in Redis or Valkey, shared by all replicas. Every call is one script over one key: atomic, one
 * round trip, at home in a cluster. Redis itself forgets what has expired.
 *
 * @throws ToolSearchError `invalid-option`, for something that is no client.
 *
 * @example
 * ```ts
 * import { redisStore } from 'mastra-tool-search/redis';
 * import { createClient } from 'redis';
 *
 * const client = createClient({ url: 'redis://localhost:6379' });
 * void client.connect();
 * new ToolSearchProcessor({ tools, storage: redisStore({ client }) });
 * ```
 */
export function redisStore(options: RedisStoreOptions): LoadedToolStore {
  const run = redisScripts('redisStore', options, 'mastra-tool-search');

  return {
    async get(scope) {
      const members = await run(GET, scope);
      if (!Array.isArray(members)) throw new TypeError('The Redis client did not return a list');
      return members.flatMap(decode);
    },
    async add(scope, names, addOptions) {
      if (names.length > 0) await run(ADD, scope, [...limits(addOptions), ...names.map(encode)]);
    },
    async clear(scope) {
      await run(CLEAR, scope);
    },
    async remove(scope, names) {
      if (names.length > 0) await run(REMOVE, scope, names.map(encode));
    },
  };
}

function encode(name: string): string {
  return JSON.stringify(name);
}

/** The name in a member; empty for the member `ttl`, and for any other that is no name. A client may return buffers. */
function decode(member: unknown): readonly string[] {
  try {
    const name: unknown = JSON.parse(String(member));
    return typeof name === 'string' ? [name] : [];
  } catch {
    return [];
  }
}

/** The ttl in whole milliseconds, in digits that Redis and its Lua can read; then the cap, an empty text for none. */
function limits({ ttl, max = Number.POSITIVE_INFINITY }: AddOptions): readonly string[] {
  const milliseconds = Math.min(Math.ceil(ttl), Number.MAX_SAFE_INTEGER);
  return [String(milliseconds), Number.isFinite(max) ? String(Math.floor(max)) : ''];
}
