import type { DefinitionPin, PinStore } from '../kit.ts';
import { type RedisStoreOptions, redisScripts } from './redis.ts';
import { asPin } from './stored-pin.ts';

/* One Redis hash for each scope: its fields are names of tools, its values pins in JSON. */
const READ = `return redis.call('HGETALL', KEYS[1])`;
const ADD = `for argument = 1, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[argument], ARGV[argument + 1]) end`;
const REPLACE = `for argument = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[argument], ARGV[argument + 1]) end`;

/** Most pins that one script writes: Lua takes some thousand arguments. */
const AT_ONCE = 500;

/**
 * Keeps the pins of `pins` in Redis or Valkey, shared by all replicas. They do not expire.
 *
 * @throws ToolSearchError `invalid-option`, for something that is no client.
 *
 * @example
 * ```ts
 * import { redisPinStore } from 'mastra-tool-search/redis';
 * import { createClient } from 'redis';
 *
 * const client = createClient({ url: 'redis://localhost:6379' });
 * void client.connect();
 * new ToolSearchProcessor({ tools, pins: { store: redisPinStore({ client }), onChange: 'withhold' } });
 * ```
 */
export function redisPinStore(options: RedisStoreOptions): PinStore {
  const run = redisScripts('redisPinStore', options, 'mastra-tool-search:pins');
  const write = async (script: string, scope: string, pins: ReadonlyMap<string, DefinitionPin>): Promise<void> => {
    const all = [...pins];
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const some = all.slice(at, at + AT_ONCE).flatMap(([name, pin]) => [name, JSON.stringify(pin)]);
      await run(script, scope, some);
    }
  };
  return {
    async read(scope) {
      const answer = await run(READ, scope);
      if (!Array.isArray(answer)) throw new TypeError('The Redis client did not return a list');
      // A client may return buffers.
      const parts = answer.map(String);
      const pins = new Map<string, DefinitionPin>();
      for (let at = 0; at + 1 < parts.length; at += 2) {
        const pin = asPin(JSON.parse(parts[at + 1] ?? ''));
        if (!pin) throw new TypeError('Redis has a pin that cannot be read');
        pins.set(parts[at] ?? '', pin);
      }
      return pins;
    },
    add: (scope, pins) => write(ADD, scope, pins),
    replace: (scope, pins) => write(REPLACE, scope, pins),
  };
}
