import type { LearnedUse, LearningStore } from '../../kit.ts';
import { type RedisStoreOptions, redisScripts } from '../../stores/redis.ts';
import { MAX_READ } from '../uses.ts';

/*
 * One sorted set for each scope. A use is a member that begins with "u"; its score is its time. The member that begins
 * with "k" has the key of the scope. Its score of 0 keeps it first, so that a script can read it beside the latest
 * uses.
 */
const READ = `
local found = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
for _, part in ipairs(redis.call('ZRANGE', KEYS[1], -${MAX_READ}, -1, 'WITHSCORES')) do found[#found + 1] = part end
return found`;

const APPEND = `
local first = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
if first and first ~= ARGV[1] then return 0 end
redis.call('ZADD', KEYS[1], 0, ARGV[1])
local dropped = tonumber(ARGV[4])
for argument = 5, 4 + dropped do redis.call('ZREM', KEYS[1], ARGV[argument]) end
for argument = 5 + dropped, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[argument], ARGV[argument + 1]) end
local excess = redis.call('ZCARD', KEYS[1]) - 1 - tonumber(ARGV[2])
if excess > 0 then redis.call('ZREMRANGEBYRANK', KEYS[1], 1, excess) end
if ARGV[3] == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 1`;

const CLEAR = `redis.call('DEL', KEYS[1])`;

/**
 * Keeps what is learned in Redis or Valkey, shared by all replicas. Every call is one script over one key, as with
 * `redisStore`.
 *
 * @throws ToolSearchError `invalid-option`, for something that is no client.
 *
 * @example
 * ```ts
 * import { redisLearningStore } from 'mastra-tool-search/redis';
 * import { createClient } from 'redis';
 *
 * const client = createClient({ url: 'redis://localhost:6379' });
 * void client.connect();
 * new ToolSearchProcessor({ tools, learning: { store: redisLearningStore({ client }) } });
 * ```
 */
export function redisLearningStore(options: RedisStoreOptions): LearningStore {
  const run = redisScripts('redisLearningStore', options, 'mastra-tool-search:learning');
  return {
    async read(scope) {
      const answer = await run(READ, scope);
      if (!Array.isArray(answer)) throw new TypeError('The Redis client did not return a list');
      // A client may return buffers.
      const [first = '', , ...rest] = answer.map(String);
      return first.startsWith('k') ? { key: first.slice(1), uses: usesIn(rest) } : undefined;
    },
    async append(scope, { key, uses }, { ttl, max, drop = [] }) {
      const members = uses.flatMap(({ use, usedAt }) => [String(usedAt), `u${use}`]);
      const dropped = drop.map((use) => `u${use}`);
      const bounds = [String(Math.floor(max)), milliseconds(ttl), String(dropped.length)];
      const isTaken = await run(APPEND, scope, [`k${key}`, ...bounds, ...dropped, ...members]);
      return Number(isTaken) === 1;
    },
    async clear(scope) {
      await run(CLEAR, scope);
    },
  };
}

/** The uses in a list of members, each followed by its score. Other members are skipped. */
function usesIn(list: readonly string[]): readonly LearnedUse[] {
  const uses: LearnedUse[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const [member = '', score] = list.slice(at, at + 2);
    if (member.startsWith('u')) uses.push({ use: member.slice(1), usedAt: Number(score) });
  }
  return uses;
}

/** Whole milliseconds, in digits that Redis can read; an empty text for no expiry. */
function milliseconds(ttl: number): string {
  return ttl < Number.MAX_SAFE_INTEGER / 1_000 ? String(Math.max(1, Math.ceil(ttl))) : '';
}
