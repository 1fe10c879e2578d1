import { readFileSync } from 'node:fs';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { Redis as IoRedis6 } from 'ioredis';
import { Redis as IoRedis5 } from 'ioredis5';
import { Redis as IoValkey } from 'iovalkey';
import type { ToolSearchEvent } from 'mastra-tool-search';
import { type RedisClientLike, redisStore } from 'mastra-tool-search/redis';
import { createClient as createNodeRedis6 } from 'redis';
import { createClient as createNodeRedis5 } from 'redis5';
import { describe, expect, it } from 'vitest';
import { call, calls, load, rig, tool, toolRecord } from '../support/harness.ts';
import { noRedis, startRedis } from '../support/redis-server.ts';
import { toolNames } from '../support/scripted-model.ts';

/** A client as an app makes it at its start, and how to end it. */
interface Started {
  readonly client: RedisClientLike;
  readonly isReady: () => boolean;
  readonly close: () => unknown;
}

const ioSettings = { enableOfflineQueue: false, commandTimeout: 2000 };

/** As docs/restarts.md says, but for a reconnect that comes sooner. */
const starts: Record<string, (url: string) => Started> = {
  'node-redis 6': (url) => {
    const socket = { socketTimeout: 2000, reconnectStrategy: 50 };
    const client = createNodeRedis6({ url, disableOfflineQueue: true, socket });
    client.on('error', () => {});
    client.connect().catch(() => {});
    return { client, isReady: () => client.isReady, close: () => client.destroy() };
  },
  'node-redis 5': (url) => {
    const socket = { socketTimeout: 2000, reconnectStrategy: 50 };
    const client = createNodeRedis5({ url, disableOfflineQueue: true, socket });
    client.on('error', () => {});
    client.connect().catch(() => {});
    return { client, isReady: () => client.isReady, close: () => client.destroy() };
  },
  'ioredis 6': (url) => startIo(new IoRedis6(url, { ...ioSettings, retryStrategy: () => 50 })),
  'ioredis 5': (url) => startIo(new IoRedis5(url, { ...ioSettings, retryStrategy: () => 50 })),
  iovalkey: (url) => startIo(new IoValkey(url, { ...ioSettings, retryStrategy: () => 50 })),
};

function startIo(
  client: RedisClientLike & { on(event: 'error', listener: () => void): unknown; status: string; disconnect(): void },
): Started {
  client.on('error', () => {});
  return { client, isReady: () => client.status === 'ready', close: () => client.disconnect() };
}

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
        const memory = new Memory({ storage: new InMemoryStore() });
        const options = { memory: { thread: 'thread-1', resource: 'user-1' } };
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
          expect(toolNames(during.model.calls[1]!)).toContain('tool_a');
          expect(events.filter(({ type }) => type === 'store-failed')).not.toEqual([]);

          await server.start();
          await expect.poll(isReady).toBe(true);
          events.length = 0;
          const loading = make([load('tool_b')]);
          await loading.agent.generate('go on', options);
          const using = make([]);
          await using.agent.generate('and use it', options);
          expect(toolNames(using.model.calls[0]!)).toContain('tool_b');
          expect(events.filter(({ type }) => type === 'store-failed')).toEqual([]);
        } finally {
          close();
          await server.stop();
        }
      },
    );
  },
);
