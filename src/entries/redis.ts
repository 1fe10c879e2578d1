/**
 * Loaded tools, and what was learned, in Redis or Valkey, shared by all replicas.
 *
 * @module mastra-tool-search/redis
 */

export { redisStore } from '../stores/redis.ts';
export type { RedisClientLike, RedisStoreOptions } from '../stores/redis-client.ts';
export { redisLearningStore } from '../stores/redis-learning.ts';
