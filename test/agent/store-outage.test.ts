import { readFileSync } from 'node:fs';
import { Redis as IoRedis6 } from 'ioredis';
import { Redis as IoRedis5 } from 'ioredis5';
import { Redis as IoValkey } from 'iovalkey';
import type { ToolSearchEvent } from 'mastra-tool-search';
import { type RedisClientLike, redisStore } from 'mastra-tool-search/redis';
import { createClient as createNodeRedis6 } from 'redis';
import { createClient as createNodeRedis5 } from 'redis5';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call, calls, load, newMemory, rig, tool, toolRecord } from '../support/harness.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { lastToolResult, type ModelCall, type ModelReply, type Script, toolNames } from '../support/scripted-model.ts';

/** A client as an app makes it at its start, and how to end it. */
interface Started {
  readonly client: RedisClientLike;
  readonly isReady: () => boolean;
  readonly close: () => unknown;
}

const nodeSettings = { disableOfflineQueue: true, socket: { socketTimeout: 2000, reconnectStrategy: 50 } };
const ioSettings = { enableOfflineQueue: false, commandTimeout: 2000 };

/** As docs/restarts.md says, but for a reconnect that comes sooner. */
const starts: Record<string, (url: string) => Started> = {
  'node-redis 6': (url) => startNode(createNodeRedis6({ url, ...nodeSettings })),
  'node-redis 5': (url) => startNode(createNodeRedis5({ url, ...nodeSettings })),
  'ioredis 6': (url) => startIo(new IoRedis6(url, { ...ioSettings, retryStrategy: () => 50 })),
  'ioredis 5': (url) => startIo(new IoRedis5(url, { ...ioSettings, retryStrategy: () => 50 })),
  iovalkey: (url) => startIo(new IoValkey(url, { ...ioSettings, retryStrategy: () => 50 })),
};

function startNode(client: ReturnType<typeof createNodeRedis6> | ReturnType<typeof createNodeRedis5>): Started {
  client.on('error', () => {});
  client.connect().catch(() => {});
  return { client: client as RedisClientLike, isReady: () => client.isReady, close: () => client.destroy() };
}

function startIo(
  client: RedisClientLike & { on(event: 'error', listener: () => void): unknown; status: string; disconnect(): void },
): Started {
  client.on('error', () => {});
  return { client, isReady: () => client.status === 'ready', close: () => client.disconnect() };
}

const options = { memory: { thread: 'thread-1', resource: 'user-1' } };
const loadedIn = (received: ModelCall | undefined) =>
  toolNames(received as ModelCall).filter((name) => name.startsWith('tool_'));

describe.skipIf(noRedis !== undefined)(
  `an agent during whose run Redis goes away${noRedis ? `, skipped: ${noRedis}` : ''}`,
  () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedis();
    });
    afterAll(() => server?.stop());

    describe.each(['node-redis 6', 'ioredis 6'])('with %s', (name) => {
      let events: ToolSearchEvent[];
      beforeEach(() => {
        events = [];
      });

      /** A replica: an agent of its own, over the same Redis. */
      async function replica(steps: readonly (() => ModelReply | Promise<ModelReply>)[]) {
        const connected = starts[name]!(server.url);
        await expect.poll(connected.isReady).toBe(true);
        const script: Script = ({ step }) => steps[step]?.() ?? { text: 'done' };
        const store = redisStore({ client: connected.client, prefix: name });
        const made = rig(
          {
            tools: toolRecord(tool('tool_a'), tool('tool_b'), tool('tool_c')),
            storage: store,
            onEvent: (event) => events.push(event),
          },
          { script, agent: { memory: newMemory() } },
        );
        return { ...made, store, close: connected.close };
      }
      const toolCall = (...toolCalls: { toolName: string; input: unknown }[]) => ({ toolCalls });

      it('keeps what the run loaded, and has what was stored in the next run', async () => {
        const first = await replica([
          () => toolCall(load('tool_a')),
          async () => {
            await server.kill();
            return toolCall(load('tool_b'));
          },
          () => toolCall(call('tool_a', { text: 'x' }), call('tool_b', { text: 'y' })),
        ]);
        const { text } = await first.agent.generate('go', options);
        expect(text).toBe('done');
        const [, second, third, last] = first.model.calls;
        expect([second, third, last].map(loadedIn)).toEqual([['tool_a'], ['tool_a', 'tool_b'], ['tool_a', 'tool_b']]);
        for (const ran of ['tool_a', 'tool_b']) {
          expect(lastToolResult(last?.prompt ?? [], ran)).toMatchObject({ isError: false, value: { ran } });
        }
        const failed = events.flatMap((event) => (event.type === 'store-failed' ? [event.operation] : []));
        expect(new Set(failed)).toEqual(new Set(['get', 'add']));
        first.close();

        await server.start();
        const next = await replica([() => toolCall(call('tool_a'))]);
        await next.agent.generate('again', options);
        expect(next.model.calls.map(loadedIn)).toEqual([['tool_a'], ['tool_a']]);
        expect(lastToolResult(next.model.calls[1]?.prompt ?? [], 'tool_a')).toMatchObject({ isError: false });
        next.close();
      });

      it('keeps what the run loaded, and stores later loads when Redis is back', async () => {
        const first = await replica([
          async () => {
            await server.kill();
            return toolCall(load('tool_b'));
          },
          async () => {
            await server.start();
            const probe = () => Promise.resolve(first.store.get('probe')).catch(() => 'down');
            await expect.poll(probe).toEqual([]);
            return toolCall(load('tool_c'));
          },
          () => toolCall(call('tool_b'), call('tool_c')),
        ]);
        await first.agent.generate('go', { memory: { ...options.memory, thread: 'thread-2' } });
        const both = ['tool_b', 'tool_c'];
        expect(first.model.calls.map((received) => loadedIn(received).sort())).toEqual([[], ['tool_b'], both, both]);
        for (const ran of ['tool_b', 'tool_c']) {
          expect(lastToolResult(first.model.calls[3]?.prompt ?? [], ran)).toMatchObject({ isError: false });
        }
        expect(await first.store.get('["user-1","thread-2"]')).toContain('tool_c');
        first.close();
      });
    });
  },
);

it('docs/restarts.md makes a client that does not hold up the start of an app', () => {
  const page = readFileSync(new URL('../../docs/restarts.md', import.meta.url), 'utf8');
  expect(page).toContain('createClient({ url, disableOfflineQueue: true, socket: { socketTimeout: 2000 } })');
  expect(page).toContain("client.on('error', console.error);\nclient.connect().catch(console.error);");
  expect(page).toContain(
    "new Redis(url, { enableOfflineQueue: false, commandTimeout: 2000 }).on('error', console.error)",
  );
  expect(page).not.toContain('await client.connect()');
});

describe.skipIf(noRedis !== undefined)(
  `an app that starts while Redis is down${noRedis ? `, skipped: ${noRedis}` : ''}`,
  () => {
    it.each(Object.entries(starts))(
      'has an agent over %s that works without Redis, and then with it',
      async (name, start) => {
        const server = await startRedis();
        await server.kill();
        const { client, isReady, close } = start(server.url);
        const events: ToolSearchEvent[] = [];
        const memory = newMemory();
        const make = (script: Parameters<typeof calls>) =>
          rig(
            {
              tools: toolRecord(tool('tool_a'), tool('tool_b')),
              storage: redisStore({ client, prefix: name }),
              onEvent: (event) => events.push(event),
            },
            { script: calls(...script), agent: { memory } },
          );
        try {
          const during = make([load('tool_a'), call('tool_a')]);
          expect((await during.agent.generate('go', options)).text).toBe('done');
          expect(during.model.sent(1)).toContain('tool_a');
          expect(events.filter(({ type }) => type === 'store-failed')).not.toEqual([]);

          await server.start();
          await expect.poll(isReady).toBe(true);
          events.length = 0;
          const loading = make([load('tool_b')]);
          await loading.agent.generate('go on', options);
          const using = make([]);
          await using.agent.generate('and use it', options);
          expect(using.model.sent(0)).toContain('tool_b');
          expect(events.filter(({ type }) => type === 'store-failed')).toEqual([]);
        } finally {
          close();
          await server.stop();
        }
      },
    );
  },
);
