import { Redis as IoRedis6 } from 'ioredis';
import { Redis as IoRedis5 } from 'ioredis5';
import { Redis as IoValkey } from 'iovalkey';
import type { RedisClientLike } from 'mastra-tool-search/redis';
import { createClient as createNodeRedis6 } from 'redis';
import { createClient as createNodeRedis5 } from 'redis5';

/** A connected client, and how to close it as an app would. */
export interface ConnectedClient {
  readonly client: RedisClientLike;
  close(): Promise<void>;
}

async function connectNodeRedis(client: RedisClientLike & NodeRedis): Promise<ConnectedClient> {
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.close() };
}

async function connectIoRedis(client: RedisClientLike & Io): Promise<ConnectedClient> {
  client.on('error', () => {});
  await client.connect();
  return {
    client,
    async close() {
      await client.quit();
    },
  };
}

interface NodeRedis {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  close(): Promise<void>;
}

interface Io {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  quit(): Promise<unknown>;
}

/** Every client that is supported, as an app makes it. */
export const clients: Readonly<Record<string, (url: string) => Promise<ConnectedClient>>> = {
  'node-redis 6': (url) => connectNodeRedis(createNodeRedis6({ url })),
  'node-redis 5': (url) => connectNodeRedis(createNodeRedis5({ url })),
  'ioredis 6': (url) => connectIoRedis(new IoRedis6(url, { lazyConnect: true })),
  'ioredis 5': (url) => connectIoRedis(new IoRedis5(url, { lazyConnect: true })),
  iovalkey: (url) => connectIoRedis(new IoValkey(url, { lazyConnect: true })),
};
