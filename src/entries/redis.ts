/**
 * Loaded tools, what was learned, and pins, in Redis or Valkey, shared by all replicas.
 *
 * @module mastra-tool-search/redis
 */

export { redisLearningStore } from '../learning/stores/redis-learning.ts';
export type { RedisClientLike, RedisStoreOptions } from '../stores/redis.ts';
export { redisStore } from '../stores/redis.ts';
export { redisPinStore } from '../stores/redis-pins.ts';
