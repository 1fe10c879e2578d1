import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { Redis } from 'ioredis';
import type { ToolSearchEvent } from 'mastra-tool-search';
import { type RedisClientLike, redisStore } from 'mastra-tool-search/redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call, load, rig, tool, toolRecord } from '../support/harness.ts';
import { noRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { lastToolResult, type ModelCall, type ModelReply, type Script, toolNames } from '../support/scripted-model.ts';

/** Clients as docs/restarts.md says to make them: without a server they reject at once, or soon. */
const clients: Record<string, (url: string) => Promise<{ client: RedisClientLike; close: () => unknown }>> = {
  async 'node-redis'(url) {
    const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 50 } });
    client.on('error', () => {});
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  async ioredis(url) {
    const client = new Redis(url, { commandTimeout: 2_000, retryStrategy: () => 50 });
    client.on('error', () => {});
    return { client, close: () => client.disconnect() };
  },
};

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

    describe.each(Object.keys(clients))('with %s', (name) => {
      let events: ToolSearchEvent[];
      beforeEach(() => {
        events = [];
      });

      /** A replica: an agent of its own, over the same Redis. */
      async function replica(steps: readonly (() => ModelReply | Promise<ModelReply>)[]) {
        const connected = await clients[name]?.(server.url);
        if (!connected) throw new Error(`no client is called "${name}"`);
        const script: Script = ({ step }) => steps[step]?.() ?? { text: 'done' };
        const store = redisStore({ client: connected.client, prefix: name });
        const made = rig(
          {
            tools: toolRecord(tool('tool_a'), tool('tool_b'), tool('tool_c')),
            storage: store,
            onEvent: (event) => events.push(event),
          },
          { script, agent: { memory: new Memory({ storage: new InMemoryStore() }) } },
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
