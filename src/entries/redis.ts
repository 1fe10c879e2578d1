export { type RedisClientLike, type RedisStoreOptions, redisStore } from '../stores/redis.ts';
