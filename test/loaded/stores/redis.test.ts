import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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
        runs: 30,
        async closed() {
          const { client, close } = await redis.connect(name);
          await close();
          return redisStore({ client });
        },
      },
    );
  }

  it('reads with every client what the others wrote', async () => {
    const stores = await Promise.all(Object.keys(clients).map((name) => open(name, 'mixed')));
    for (const [n, store] of stores.entries()) await store.add('one', [`é${n}`, 'shared'], KEEP);
    for (const store of stores) expect(await store.get('one')).toEqual(['é0', 'shared', 'é1', 'é2', 'é3', 'é4']);
  });

  it('is read as whole adds over one connection while others write', async () => {
    const [reader, ...writers] = await Promise.all(['ioredis 6', ...Object.keys(clients)].map((c) => open(c, 'busy')));
    let isDone = false;
    const writing = Promise.all(
      writers.map(async (store, writer) => {
        for (let n = 0; n < 100; n++) await store.add('one', [`${writer}-${n}-a`, `${writer}-${n}-b`], KEEP);
      }),
    ).then(() => {
      isDone = true;
    });
    let before: readonly string[] = [];
    while (!isDone) {
      const names = (await reader?.get('one')) ?? [];
      expect(names.slice(0, before.length)).toEqual(before);
      for (let n = 0; n < names.length; n += 2) expect(names[n + 1]).toBe(names[n]?.replace(/a$/, 'b'));
      before = names;
    }
    await writing;
    expect(await reader?.get('one')).toHaveLength(1000);
  });

  it('loses nothing that two processes add to one scope at once', async () => {
    const count = 1000;
    const program = fileURLToPath(new URL('redis-hammer.ts', import.meta.url));
    const replicas = Object.entries({ left: 'node-redis 6', right: 'ioredis 6' }).map(([name, client]) =>
      // Node 22.13 runs TypeScript only when it is told to.
      fork(program, [redis.url, 'hammered', name, String(count), client], {
        execArgv: ['--experimental-strip-types', '--no-warnings'],
      }),
    );
    await Promise.all(replicas.map((replica) => once(replica, 'message')));
    const ends = replicas.map((replica) => once(replica, 'exit'));
    for (const replica of replicas) replica.send('go');
    expect(await Promise.all(ends)).toEqual([
      [0, null],
      [0, null],
    ]);

    const names = await redisStore({ client: (await redis.connect()).client }).get('hammered');
    const numbers = (name: string): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`);
    for (const name of ['left', 'right']) {
      // Each has one connection, so that its own adds stay in order.
      expect(names.filter((candidate) => candidate.startsWith(name))).toEqual(numbers(name));
    }
    expect([...names].sort()).toEqual([...numbers('left'), ...numbers('right'), ...numbers('shared')].sort());
    // They really ran at once: each began before the other had ended.
    expect(names.indexOf('right-0')).toBeLessThan(names.indexOf(`left-${count - 1}`));
    expect(names.indexOf('left-0')).toBeLessThan(names.indexOf(`right-${count - 1}`));
  });

  describe('keys', () => {
    const keys = async (prefix: string): Promise<string[]> => (await redis.admin.keys(`${prefix}*`)).sort();

    it('can be read where the scope can, begin with the prefix and are one for each scope', async () => {
      const store = await open(undefined, 'readable');
      await store.add('["user","thread-1"]', ['a', 'b'], { ttl: 60_000 });
      await store.add('["user","{x}:y z"]', ['a'], KEEP);
      expect(await keys('readable')).toEqual([
        'readable:["user","%007bx%007d%003ay%0020z"]',
        'readable:["user","thread-1"]',
      ]);
    });

    it('are short, however long the scope is', async () => {
      const store = await open(undefined, 'long');
      for (const scope of ['x'.repeat(200), 'x'.repeat(201), 'ü'.repeat(41)]) await store.add(scope, ['a'], KEEP);
      const found = await keys('long');
      expect(found).toHaveLength(3);
      for (const key of found) expect(key.length).toBeLessThanOrEqual('long:'.length + 200);
    });

    it('are not those of another prefix, wherever the border is', async () => {
      const [one, other] = [await open(undefined, 'p'), await open(undefined, 'p:q')];
      await one.add('q:scope', ['a'], KEEP);
      await other.add('scope', ['b'], KEEP);
      expect([await one.get('q:scope'), await other.get('scope')]).toEqual([['a'], ['b']]);
    });

    it('begin with mastra-tool-search unless said otherwise', async () => {
      await redisStore({ client: (await redis.connect()).client }).add('default', ['a'], KEEP);
      expect(await redis.admin.exists('mastra-tool-search:default')).toBe(1);
    });

    it('are not left behind by reading, clearing or removing the last name', async () => {
      const store = await open(undefined, 'gone');
      await store.get('one');
      await store.remove?.('one', ['a']);
      await store.add('two', ['a'], KEEP);
      await store.remove?.('two', ['a']);
      await store.add('three', ['a'], KEEP);
      await store.clear('three');
      expect(await keys('gone')).toEqual([]);
    });
  });

  describe('time', () => {
    const left = (scope: string): Promise<number> => redis.admin.pttl(`time:${scope}`);

    it('is that of Redis, restarted by reading and adding and not by removing', async () => {
      const store = await open(undefined, 'time');
      await store.add('one', ['a', 'b'], { ttl: 600_000 });
      await redis.admin.pexpire('time:one', 300_000);
      await store.remove?.('one', ['b']);
      expect(await left('one')).toBeLessThanOrEqual(300_000);
      await store.get('one');
      expect(await left('one')).toBeGreaterThan(590_000);
      await store.add('one', ['b'], { ttl: 300_000 });
      expect(await left('one')).toBeLessThanOrEqual(300_000);
      expect(await left('one')).toBeGreaterThan(290_000);
    });

    it('has no end with ttl 0, which also ends an earlier ttl', async () => {
      const store = await open(undefined, 'time');
      await store.add('two', ['a'], { ttl: 60_000 });
      await store.add('two', ['b'], KEEP);
      await store.get('two');
      expect(await left('two')).toBe(-1);
    });

    it.each([
      { ttl: 0.25, atLeast: -2, atMost: 1, why: 'a part of a millisecond is one' },
      { ttl: 90_000.5, atLeast: 80_000, atMost: 90_001, why: 'parts are rounded up' },
      { ttl: 1e300, atLeast: 9e15, atMost: 2 ** 53, why: 'more than Redis can count is the most it can' },
    ])('takes a ttl of $ttl: $why', async ({ ttl, atLeast, atMost }) => {
      const store = await open(undefined, 'time');
      await store.add('three', ['a'], { ttl });
      expect(await left('three')).toBeGreaterThanOrEqual(atLeast);
      expect(await left('three')).toBeLessThanOrEqual(atMost);
      await store.get('three');
      expect(await left('three')).toBeLessThanOrEqual(atMost);
    });
  });

  it('works on after the scripts of the server were flushed', async () => {
    const store = await open();
    await store.add('one', ['a'], KEEP);
    await redis.admin.script('FLUSH');
    expect(await store.get('one')).toEqual(['a']);
  });

  it('reads what a client returns as buffers', async () => {
    const client = createClient({ url: redis.url, socket: { connectTimeout: 60_000 } });
    await client.connect();
    const store = redisStore({ client: client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }) });
    await store.add('buffers', ['ü', 'a'], KEEP);
    expect(await store.get('buffers')).toEqual(['ü', 'a']);
    await client.close();
  });

  it('takes a pool of clients', async () => {
    const pool = createClientPool({ url: redis.url });
    await pool.connect();
    const store = redisStore({ client: pool, prefix: 'pool' });
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.add('one', [`a${n}`], KEEP)));
    expect(await store.get('one')).toHaveLength(20);
    pool.destroy();
  });

  it('skips members that are no names, and keeps the others', async () => {
    const store = await open(undefined, 'odd');
    await store.add('one', ['a', 'b'], { ttl: 60_000 });
    const odd = ['not JSON', '1', 'null', '{}', '["c"]', ''];
    for (const [place, member] of odd.entries()) await redis.admin.zadd('odd:one', place / 10, member);
    await redis.admin.zadd('odd:one', -1e15, '"below the ttl"');
    expect(await store.get('one')).toEqual(['below the ttl', 'a', 'b']);
    await store.add('one', ['c'], { ttl: 60_000 });
    expect(await store.get('one')).toEqual(['below the ttl', 'a', 'b', 'c']);
  });

  it('reads the names also where the member for the ttl is gone', async () => {
    const store = await open(undefined, 'without-ttl');
    await store.add('one', ['a'], KEEP);
    await redis.admin.zrem('without-ttl:one', 'ttl');
    expect(await store.get('one')).toEqual(['a']);
    await store.add('one', ['b'], { ttl: 60_000 });
    expect(await store.get('one')).toEqual(['a', 'b']);
    expect(await redis.admin.pttl('without-ttl:one')).toBeGreaterThan(0);
  });

  it('rejects where something else stands under its key, and leaves that alone', async () => {
    const store = await open(undefined, 'taken');
    await redis.admin.set('taken:one', 'precious');
    await expect(store.get('one')).rejects.toThrow('WRONGTYPE');
    await expect(store.add('one', ['a'], KEEP)).rejects.toThrow('WRONGTYPE');
    expect(await redis.admin.get('taken:one')).toBe('precious');
  });
});

describe('redisStore() refuses', () => {
  const client = { eval: async () => [] };
  it.each([
    { why: 'nothing', options: undefined, message: '"options"' },
    { why: 'no client', options: {}, message: '"client"' },
    { why: 'the client itself', options: client, message: 'pass { client }' },
    { why: 'a URL instead of a client', options: { client: 'redis://localhost' }, message: '"client"' },
    { why: 'a client without eval', options: { client: { get: () => {} } }, message: '"client"' },
    { why: 'a prefix that is no text', options: { client, prefix: 1 }, message: '"prefix"' },
  ])('$why', ({ options, message }) => {
    const make = () => redisStore(options as never);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  });
});

it('redisStore() rejects what is no list, as a client of another kind may return it', async () => {
  await expect(redisStore({ client: { eval: async () => 'OK' } }).get('one')).rejects.toThrow('list');
});

const SLOTS = 16_384;
const SIZE = 3;

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
