import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { MastraClient } from '@mastra/client-js';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MastraServer } from '@mastra/hono';
import { Memory } from '@mastra/memory';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { call, calls, inThread, load, META, rig, searchLoadCall, toolRecord, weather } from '../support/agent.ts';
import type { Script } from '../support/scripted-model.ts';

/** An agent behind Mastra's server on the loopback, and the client of a browser. */
async function served(script: Script, options: object = {}) {
  const storage = new InMemoryStore();
  const agentOptions = { id: 'assistant', memory: new Memory({ storage }) };
  const { agent, model } = rig({ tools: toolRecord(weather()), ...options }, { script, agent: agentOptions });
  const app = new Hono();
  await new MastraServer({ app, mastra: new Mastra({ agents: { assistant: agent }, storage, logger: false }) }).init();
  const server = createServer(getRequestListener(app.fetch));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new MastraClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 }).getAgent('assistant');
  return { model, client };
}

describe("an agent behind Mastra's server", () => {
  it('searches, loads and calls without a thread, and streams the calls of one', async () => {
    const { client, model } = await served(searchLoadCall('weather'));
    expect((await client.generate('What is the weather?', {})).text).toBe('done');
    expect(model.result()).toMatchObject({ ran: 'get_weather' });
    const called: unknown[] = [];
    const stream = await client.stream('What is the weather?', inThread);
    await stream.processDataStream({
      onChunk: async (chunk) => void (chunk.type === 'tool-call' && called.push(chunk.payload.toolName)),
    });
    expect(called).toEqual(['search_tools', 'load_tool', 'get_weather']);
  });

  it('remembers the loads of a thread, and of no other', async () => {
    const { client, model } = await served(calls(load('get_weather')));
    const first = async (thread: string) => {
      const before = model.calls.length;
      await client.generate('Load.', { memory: { thread, resource: 'user' } });
      return model.sent(before);
    };
    const remembered = [...META, 'get_weather'];
    expect([await first('one'), await first('one'), await first('other')]).toEqual([META, remembered, META]);
  });

  it.each<[how: string, options: object, script: Script, sent: readonly string[]]>([
    ['stand beside the meta-tools', {}, calls(call('paint_page', { colour: 'red' })), [...META, 'paint_page']],
    [
      'are searched and loaded with includeResolvedTools',
      { includeResolvedTools: true },
      calls(
        call('search_tools', { query: 'paint the page' }),
        load('paint_page'),
        call('paint_page', { colour: 'red' }),
      ),
      META,
    ],
  ])("is given the client's tools, which %s and run at the client", async (_, options, script, sent) => {
    const ran: unknown[] = [];
    const paint = createTool({
      id: 'paint_page',
      description: 'Paints the background of the page.',
      inputSchema: z.object({ colour: z.string() }),
      execute: async (input) => ran.push(input),
    });
    const { client, model } = await served(script, options);
    const { text } = await client.generate('Paint it.', { ...inThread, clientTools: { paint_page: paint } } as never);
    expect([model.sent(0), ran, text]).toEqual([sent, [{ colour: 'red' }], 'done']);
  });
});
