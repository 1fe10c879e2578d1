import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { type ConnectedClient, clients } from './redis-clients.ts';

/** A Redis of the suite around it, whose clients are closed with it. */
export interface RedisRig {
  readonly url: string;
  /** Looks into the server past the store. */
  readonly admin: Redis;
  /** Connects a client of `clients`. */
  connect(name?: string): Promise<ConnectedClient>;
}

/** To be called in a `describe`, for all of its tests. */
export function redisRig(): RedisRig {
  let server: RedisServer;
  let admin: Redis;
  const opened: ConnectedClient[] = [];
  beforeAll(async () => {
    // What is written need not outlive it.
    server = await startRedis(['--appendonly', 'no']);
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    for (const { close } of opened) await close().catch(() => {});
    admin?.disconnect();
    await server?.stop();
  });
  return {
    get url() {
      return server.url;
    },
    get admin() {
      return admin;
    },
    async connect(name = 'node-redis 6') {
      const connected = await clients[name]?.(server.url);
      if (!connected) throw new Error(`no client is called "${name}"`);
      opened.push(connected);
      return connected;
    },
  };
}
