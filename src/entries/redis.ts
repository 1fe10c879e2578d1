/**
 * Loaded tools in Redis or Valkey, shared by all replicas.
 *
 * @module mastra-tool-search/redis
 */

export { type RedisClientLike, type RedisStoreOptions, redisStore } from '../stores/redis.ts';
