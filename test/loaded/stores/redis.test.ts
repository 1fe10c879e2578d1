import fc from 'fast-check';
import { Cluster, Redis } from 'ioredis';
import type { LoadedToolStore } from 'mastra-tool-search';
import { type RedisClientLike, redisStore } from 'mastra-tool-search/redis';
import { createClient, createClientPool, createCluster, RESP_TYPES } from 'redis';
import { createCluster as createCluster5 } from 'redis5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noRedis, type RedisServer, startRedis } from '../../support/redis-server.ts';
import { freePort } from '../../support/service.ts';
import { clients } from './redis-clients.ts';
import { redisRig } from './redis-rig.ts';
import { describeStore } from './store-contract.ts';

const KEEP = { ttl: 0 };

describe.skipIf(noRedis !== undefined)(`redisStore()${noRedis ? `, skipped: ${noRedis}` : ''}`, () => {
  const redis = redisRig();
  let prefixes = 0;
  const open = async (client?: string, prefix = `test-${prefixes++}`): Promise<LoadedToolStore> =>
    redisStore({ client: (await redis.connect(client)).client, prefix });

  /** Makes the keys as old as if so much time had passed. */
  const age = async (prefix: string, milliseconds: number): Promise<void> => {
    const script = `for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do
      local left = redis.call('PTTL', key)
      if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[2]) end
    end`;
    await redis.admin.eval(script, 0, prefix, milliseconds);
  };

  for (const name of Object.keys(clients)) {
    const prefix = `contract ${name}`;
    describeStore(
      `redisStore() with ${name}`,
      async () => ({ store: await open(name, prefix), advance: (milliseconds) => age(prefix, milliseconds) }),
      {
        runs: 15,
        async closed() {
          const { client, close } = await redis.connect(name);
          await close();
          return redisStore({ client });
        },
      },
    );
  }

  it('reads with every client what the others wrote, in whole adds while they write', async () => {
    const stores = await Promise.all(Object.keys(clients).map((name) => open(name, 'mixed')));
    for (const [n, store] of stores.entries()) await store.add('one', [`é${n}`, 'shared'], KEEP);
    for (const store of stores) expect(await store.get('one')).toEqual(['é0', 'shared', 'é1', 'é2', 'é3', 'é4']);
    const reader = await open('ioredis 6', 'mixed');
    let isDone = false;
    const writing = stores.map(async (store, writer) => {
      for (let n = 0; n < 30; n++) await store.add('busy', [`${writer}-${n}-a`, `${writer}-${n}-b`], KEEP);
    });
    const written = Promise.all(writing).finally(() => {
      isDone = true;
    });
    let before: readonly string[] = [];
    while (!isDone) {
      const names = await reader.get('busy');
      expect(names.slice(0, before.length)).toEqual(before);
      for (let n = 0; n < names.length; n += 2) expect(names[n + 1]).toBe(names[n]?.replace(/a$/, 'b'));
      before = names;
    }
    await written;
    expect(await reader.get('busy')).toHaveLength(300);
  });

  it('has one short key for a scope, which can be read where the scope can, and leaves none behind', async () => {
    const keys = async (prefix: string): Promise<string[]> => (await redis.admin.keys(`${prefix}*`)).sort();
    const store = await open(undefined, 'keys');
    await store.add('["user","thread-1"]', ['a', 'b'], { ttl: 60_000 });
    await store.add('["user","{x}:y z"]', ['a'], KEEP);
    const readable = ['keys:["user","%007bx%007d%003ay%0020z"]', 'keys:["user","thread-1"]'];
    expect(await keys('keys')).toEqual(readable);
    for (const scope of ['gone', 'removed', 'cleared']) await store.get(scope);
    for (const scope of ['removed', 'cleared']) await store.add(scope, ['a'], KEEP);
    for (const scope of ['gone', 'removed']) await store.remove?.(scope, ['a']);
    await store.clear('cleared');
    expect(await keys('keys')).toEqual(readable);
    // Those of another prefix are others, wherever the border is.
    const [one, other] = [await open(undefined, 'p'), await open(undefined, 'p:q')];
    await one.add('q:scope', ['a'], KEEP);
    await other.add('scope', ['b'], KEEP);
    expect([await one.get('q:scope'), await other.get('scope')]).toEqual([['a'], ['b']]);
    await redisStore({ client: (await redis.connect()).client }).add('default', ['a'], KEEP);
    expect(await redis.admin.exists('mastra-tool-search:default')).toBe(1);
  });

  it('has the time of Redis, restarted by reading and adding and not by removing', async () => {
    const left = (scope: string): Promise<number> => redis.admin.pttl(`time:${scope}`);
    const store = await open(undefined, 'time');
    await store.add('one', ['a', 'b'], { ttl: 600_000 });
    await redis.admin.pexpire('time:one', 300_000);
    await store.remove?.('one', ['b']);
    expect(await left('one')).toBeLessThanOrEqual(300_000);
    await store.get('one');
    expect(await left('one')).toBeGreaterThan(590_000);
    await store.add('one', ['b'], { ttl: 300_000 });
    expect(await left('one')).toBeLessThanOrEqual(300_000);
    // The ttl 0 ends an earlier one.
    await store.add('one', ['b'], KEEP);
    await store.get('one');
    expect(await left('one')).toBe(-1);
    // A part of a millisecond is one, and more than Redis can count is the most that it can.
    for (const [ttl, atLeast, atMost] of [
      [0.25, -2, 1],
      [90_000.5, 80_000, 90_001],
      [1e300, 9e15, 2 ** 53],
    ] as const) {
      await store.add('two', ['a'], { ttl });
      for (let look = 0; look < 2; look++) {
        expect(await left('two')).toBeGreaterThanOrEqual(look === 0 ? atLeast : -2);
        expect(await left('two')).toBeLessThanOrEqual(atMost);
        await store.get('two');
      }
    }
  });

  it('reads names beside members that are none, without the member for the ttl, and after a flush of scripts', async () => {
    const store = await open(undefined, 'odd');
    await store.add('one', ['a', 'b'], { ttl: 60_000 });
    const odd = ['not JSON', '1', 'null', '{}', '["c"]', ''];
    for (const [place, member] of odd.entries()) await redis.admin.zadd('odd:one', place / 10, member);
    await redis.admin.zadd('odd:one', -1e15, '"below the ttl"');
    await store.add('one', ['c'], { ttl: 60_000 });
    expect(await store.get('one')).toEqual(['below the ttl', 'a', 'b', 'c']);
    await redis.admin.zrem('odd:one', 'ttl');
    await redis.admin.script('FLUSH');
    expect(await store.get('one')).toEqual(['below the ttl', 'a', 'b', 'c']);
    await store.add('one', ['d'], { ttl: 60_000 });
    expect(await store.get('one')).toContain('d');
    expect(await redis.admin.pttl('odd:one')).toBeGreaterThan(0);
    await redis.admin.set('odd:taken', 'precious');
    await expect(store.get('taken')).rejects.toThrow('WRONGTYPE');
    await expect(store.add('taken', ['a'], KEEP)).rejects.toThrow('WRONGTYPE');
    expect(await redis.admin.get('odd:taken')).toBe('precious');
  });

  it('takes a client that returns buffers, and a pool of clients', async () => {
    const client = createClient({ url: redis.url, socket: { connectTimeout: 60_000 } });
    await client.connect();
    const buffers = redisStore({ client: client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }) });
    await buffers.add('buffers', ['ü', 'a'], KEEP);
    expect(await buffers.get('buffers')).toEqual(['ü', 'a']);
    await client.close();
    const pool = createClientPool({ url: redis.url });
    await pool.connect();
    const store = redisStore({ client: pool, prefix: 'pool' });
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.add('one', [`a${n}`], KEEP)));
    expect(await store.get('one')).toHaveLength(20);
    pool.destroy();
  });
});

describe('redisStore()', () => {
  const client = { eval: async () => 'OK' };
  it.each([
    { why: 'nothing', options: undefined, message: '"options"' },
    { why: 'no client', options: {}, message: '"client"' },
    { why: 'the client itself', options: client, message: 'pass { client }' },
    { why: 'a URL instead of a client', options: { client: 'redis://localhost' }, message: '"client"' },
    { why: 'a client without eval', options: { client: { get: () => {} } }, message: '"client"' },
    { why: 'a prefix that is no text', options: { client, prefix: 1 }, message: '"prefix"' },
  ])('refuses $why', ({ options, message }) => {
    const refusal = { code: 'invalid-option', message: expect.stringContaining(message) };
    expect(() => redisStore(options as never)).toThrow(expect.objectContaining(refusal));
  });

  it('rejects what is no list, as a client of another kind may return it', async () => {
    await expect(redisStore({ client }).get('one')).rejects.toThrow('list');
  });

  it('has for any scope a short and printable key, which no other scope has', async () => {
    let asked = '';
    const recording = {
      eval: async (_script: string, _keys: number, key: string) => {
        asked = key;
        return [];
      },
    };
    const store = redisStore({ client: recording as never, prefix: '' });
    const keyOf = async (scope: string): Promise<string> => {
      await store.get(scope);
      return asked;
    };
    // Halves of surrogate pairs, and what looks like an escape or a hash.
    const text = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc.array(fc.constantFrom('%', '0', '3', 'a', ':', '%sha256-', '\ud800', '\udc00')).map((parts) => parts.join('')),
    );
    const longest = 'x'.repeat(200);
    expect(await keyOf('ü 100%')).toBe(':%00fc%0020100%0025');
    expect(await keyOf(longest)).toBe(`:${longest}`);
    const hash = await keyOf(`${longest}x`);
    expect(hash).toMatch(/^:%sha256-[0-9a-f]{64}$/);
    expect(await keyOf(hash.slice(1))).not.toBe(hash);
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const keys = [await keyOf(one), await keyOf(other)];
        for (const key of keys) expect(key).toMatch(/^:[!-9;-z|~]{0,200}$/);
        expect(keys[0] === keys[1]).toBe(one === other);
      }),
      { numRuns: 500 },
    );
  });
});

const SLOTS = 16_384;
const SIZE = 3;

describe.skipIf(noRedis !== undefined)(`redisStore() over a cluster${noRedis ? `, skipped: ${noRedis}` : ''}`, () => {
  const nodes: { server: RedisServer; bus: number; admin: Redis }[] = [];

  beforeAll(async () => {
    const start = async () => {
      const bus = await freePort();
      const settings = ['--appendonly', 'no', '--cluster-enabled', 'yes', '--cluster-port', String(bus)];
      const server = await startRedis(settings);
      nodes.push({ server, bus, admin: new Redis(server.url) });
    };
    await Promise.all(Array.from({ length: SIZE }, start));
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

  type Opened = RedisClientLike & { close?(): unknown; quit?(): unknown; connect?(): Promise<unknown> };
  const urls = (): string[] => nodes.map(({ server }) => server.url);
  const rootNodes = () => urls().map((url) => ({ url }));
  const made: Record<string, () => Opened> = {
    'node-redis 6': () => createCluster({ rootNodes: rootNodes() }),
    'node-redis 5': () => createCluster5({ rootNodes: rootNodes() }),
    'ioredis 6': () => new Cluster(urls(), { lazyConnect: true }),
  };

  it.each(Object.entries(made))('works with %s, whatever node a scope is on', async (name, make) => {
    const client = make();
    await client.connect?.();
    const store = redisStore({ client, prefix: name });
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
    await (client.close ?? client.quit)?.call(client);
  });
});
