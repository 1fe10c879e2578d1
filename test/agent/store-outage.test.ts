import { readFileSync } from 'node:fs';
import { Redis as IoRedis6 } from 'ioredis';
import { Redis as IoRedis5 } from 'ioredis5';
import { Redis as IoValkey } from 'iovalkey';
import { type RedisClientLike, redisStore } from 'mastra-tool-search/redis';
import { createClient as createNodeRedis6 } from 'redis';
import { createClient as createNodeRedis5 } from 'redis5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, load, newMemory, rig, tool, toolRecord } from '../support/agent.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import type { ModelReply } from '../support/scripted-model.ts';
import { eventually } from '../support/service.ts';

/** A client as an app makes it at its start, and how to end it. */
interface Started {
  readonly client: RedisClientLike;
  readonly isReady: () => boolean;
  readonly close: () => unknown;
}
type NodeRedis = ReturnType<typeof createNodeRedis6> | ReturnType<typeof createNodeRedis5>;
type IoRedis = RedisClientLike & {
  on(event: 'error', listener: () => void): unknown;
  status: string;
  disconnect(): void;
};

function startNode(client: NodeRedis): Started {
  client.on('error', () => {});
  client.connect().catch(() => {});
  return { client: client as RedisClientLike, isReady: () => client.isReady, close: () => client.destroy() };
}
function startIo(client: IoRedis): Started {
  client.on('error', () => {});
  return { client, isReady: () => client.status === 'ready', close: () => client.disconnect() };
}

// As docs/restarts.md says, but for a reconnect that comes sooner, and for limits that a busy machine keeps.
const PATIENCE = 120_000;
const node = { disableOfflineQueue: true, socket: { socketTimeout: PATIENCE, reconnectStrategy: 50 } };
const io = { enableOfflineQueue: false, commandTimeout: PATIENCE, retryStrategy: () => 50 };
const starts: readonly (readonly [name: string, start: (url: string) => Started])[] = [
  ['node-redis 6', (url) => startNode(createNodeRedis6({ url, ...node }))],
  ['node-redis 5', (url) => startNode(createNodeRedis5({ url, ...node }))],
  ['ioredis 6', (url) => startIo(new IoRedis6(url, io))],
  ['ioredis 5', (url) => startIo(new IoRedis5(url, io))],
  ['iovalkey', (url) => startIo(new IoValkey(url, io))],
];

type Calls = NonNullable<ModelReply['toolCalls']>;
const tools = toolRecord(tool('tool_a'), tool('tool_b'), tool('tool_c'));
const turn = (thread: string) => ({ memory: { thread, resource: 'user-1' } });

describe.skipIf(noRedis !== undefined)(
  `an agent over Redis that goes away${noRedis ? `, skipped: ${noRedis}` : ''}`,
  () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedis();
    });
    afterAll(() => server?.stop());

    /** An agent of its own over the client. Each step may do something before it calls these. */
    function replica({ client }: Started, prefix: string) {
      let steps: readonly (() => Calls | Promise<Calls>)[] = [];
      const storage = redisStore({ client, prefix });
      const made = rig(
        { tools, storage, timeouts: { store: PATIENCE } },
        {
          script: async ({ step }) => (steps[step] ? { toolCalls: await steps[step]() } : { text: 'done' }),
          agent: { memory: newMemory() },
        },
      );
      /** What each step of the run was sent. */
      const run = async (thread: string, ...next: typeof steps): Promise<string[]> => {
        steps = next;
        const before = made.model.calls.length;
        expect((await made.agent.generate('go', turn(thread))).text).toBe('done');
        return made.model.calls.slice(before).map((_, at) =>
          made.model
            .sent(before + at)
            .slice(2)
            .sort()
            .join(),
        );
      };
      const failed = () =>
        new Set(made.events.flatMap((event) => (event.type === 'store-failed' ? [event.operation] : [])));
      return { ...made, storage, run, failed };
    }

    it.each(starts)('works without Redis at its start, and goes on when it comes and goes: %s', async (name, start) => {
      await server.kill();
      const started = start(server.url);
      try {
        const during = replica(started, name);
        const [loadA, callA] = [() => [load('tool_a')], () => [call('tool_a')]];
        expect(await during.run('early', loadA, callA)).toEqual(['', 'tool_a', 'tool_a']);
        expect(during.model.result()).toMatchObject({ ran: 'tool_a' });
        expect(during.failed()).toEqual(new Set(['get', 'add']));

        await server.start();
        await eventually(started.isReady);
        const stored = replica(started, name);
        await stored.run('thread-1', loadA);
        expect(await stored.run('thread-1')).toEqual(['tool_a']);
        expect(stored.failed()).toEqual(new Set());

        // In the middle of a run: what it loaded stays, and what was stored is there for the next.
        const away = replica(started, name);
        const sent = await away.run(
          'thread-1',
          async () => {
            await server.kill();
            return [load('tool_b')];
          },
          () => [call('tool_a'), call('tool_b')],
          async () => {
            await server.start();
            const isBack = async () => (await away.storage.get('probe')).length === 0;
            await eventually(() => isBack().catch(() => false));
            return [load('tool_c')];
          },
        );
        expect(sent).toEqual(['tool_a', 'tool_a,tool_b', 'tool_a,tool_b', 'tool_a,tool_b,tool_c']);
        expect(away.model.result(-1, 'tool_b')).toMatchObject({ ran: 'tool_b' });
        expect(away.failed()).toEqual(new Set(['get', 'add']));
        expect(await replica(started, name).run('thread-1')).toEqual(['tool_a,tool_b,tool_c']);
      } finally {
        started.close();
      }
    });
  },
);

it('docs/restarts.md makes a client that does not hold up the start of an app', () => {
  const page = readFileSync(new URL('../../docs/restarts.md', import.meta.url), 'utf8');
  const redis = 'createClient({ url, disableOfflineQueue: true, socket: { socketTimeout: 2000 } })';
  const ioredis = "new Redis(url, { enableOfflineQueue: false, commandTimeout: 2000 }).on('error', console.error)";
  const connects = "client.on('error', console.error);\nclient.connect().catch(console.error);";
  for (const text of [redis, ioredis, connects]) expect(page).toContain(text);
  expect(page).not.toContain('await client.connect()');
});
