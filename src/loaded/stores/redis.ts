import { type RedisStoreOptions, redisScripts } from './redis-client.ts';
import type { AddOptions, LoadedToolStore } from './store.ts';

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

/**
 * The name in a member; none for what is no name: the member `ttl`, and whatever else has come to stand there. A client
 * may return buffers.
 */
function decode(member: unknown): readonly string[] {
  try {
    const name: unknown = JSON.parse(String(member));
    return typeof name === 'string' ? [name] : [];
  } catch {
    return [];
  }
}

/** Whole milliseconds, in digits that Redis and its Lua can read; no text for no cap. */
function limits({ ttl, max = Number.POSITIVE_INFINITY }: AddOptions): readonly string[] {
  const milliseconds = Math.min(Math.ceil(ttl), Number.MAX_SAFE_INTEGER);
  return [String(milliseconds), Number.isFinite(max) ? String(Math.floor(max)) : ''];
}
