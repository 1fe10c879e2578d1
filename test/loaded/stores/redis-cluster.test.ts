import { Cluster, Redis } from 'ioredis';
import { type RedisClientLike, redisStore } from 'mastra-tool-search/redis';
import { createCluster } from 'redis';
import { createCluster as createCluster5 } from 'redis5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noRedis, type RedisServer, startRedis } from '../../support/redis-server.ts';
import { freePort } from '../../support/service.ts';

const SLOTS = 16_384;
const SIZE = 3;
const KEEP = { ttl: 0 };

describe.skipIf(noRedis !== undefined)(`redisStore() over a cluster${noRedis ? `, skipped: ${noRedis}` : ''}`, () => {
  const nodes: { server: RedisServer; bus: number; admin: Redis }[] = [];

  beforeAll(async () => {
    for (let n = 0; n < SIZE; n++) {
      const bus = await freePort();
      const server = await startRedis(['--cluster-enabled', 'yes', '--cluster-port', String(bus)]);
      nodes.push({ server, bus, admin: new Redis(server.url) });
    }
    const share = Math.ceil(SLOTS / SIZE);
    for (const [n, { admin }] of nodes.entries()) {
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1);
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', n * share, Math.min((n + 1) * share, SLOTS) - 1);
      for (const { server, bus } of nodes.slice(0, n))
        await admin.call('CLUSTER', 'MEET', '127.0.0.1', server.port, bus);
    }
    const isWhole = async ({ admin }: { admin: Redis }): Promise<boolean> => {
      const info = String(await admin.call('CLUSTER', 'INFO'));
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${SIZE}`);
    };
    while (!(await Promise.all(nodes.map(isWhole))).every(Boolean)) await new Promise((done) => setTimeout(done, 50));
  });

  afterAll(async () => {
    for (const { admin, server } of nodes) {
      admin.disconnect();
      await server.stop();
    }
  });

  const connect: Record<string, () => Promise<{ client: RedisClientLike; close: () => unknown }>> = {
    async 'node-redis 6'() {
      const client = createCluster({ rootNodes: nodes.map(({ server: { url } }) => ({ url })) });
      await client.connect();
      return { client, close: () => client.close() };
    },
    async 'node-redis 5'() {
      const client = createCluster5({ rootNodes: nodes.map(({ server: { url } }) => ({ url })) });
      await client.connect();
      return { client, close: () => client.close() };
    },
    async 'ioredis 6'() {
      const client = new Cluster(nodes.map(({ server: { url } }) => url));
      return { client, close: () => client.quit() };
    },
  };

  it.each(Object.keys(connect))('works with %s, whatever node a scope is on', async (name) => {
    const { client, close } = (await connect[name]?.()) ?? {};
    const store = redisStore({ client: client as RedisClientLike, prefix: name });
    const scopes = Array.from({ length: 30 }, (_, n) => `["user","thread-${n}"]`);
    await Promise.all(scopes.map((scope) => store.add(scope, ['a', 'b', scope], { ttl: 60_000, max: 2 })));
    for (const scope of scopes) expect(await store.get(scope)).toEqual(['b', scope]);
    for (const { admin } of nodes) expect((await admin.keys(`${name}:*`)).length).toBeGreaterThan(0);
    for (const scope of scopes) await store.remove?.(scope, [scope]);
    await store.add('["user","thread-0"]', ['c'], KEEP);
    for (const scope of scopes.slice(1)) await store.clear(scope);
    expect(await Promise.all(scopes.map((scope) => store.get(scope)))).toEqual([
      ['b', 'c'],
      ...scopes.slice(1).map(() => []),
    ]);
    await close?.();
  });
});
