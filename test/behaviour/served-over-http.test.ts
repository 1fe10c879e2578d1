import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { MastraClient } from '@mastra/client-js';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MastraServer } from '@mastra/hono';
import { Memory } from '@mastra/memory';
import { Hono } from 'hono';
import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, calls, email, load, rig, searchLoadCall, toolRecord, weather } from '../support/harness.ts';
import { type Script, toolNames, toolResults } from '../support/scripted-model.ts';

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** An agent behind Mastra's server on the loopback, and the client of a browser. */
async function served(options: ToolSearchProcessorOptions, script: Script) {
  const storage = new InMemoryStore();
  const { agent, model } = rig(options, { script, agent: { id: 'assistant', memory: new Memory({ storage }) } });
  const app = new Hono();
  await new MastraServer({ app, mastra: new Mastra({ agents: { assistant: agent }, storage, logger: false }) }).init();
  const server = createServer(getRequestListener(app.fetch));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new MastraClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 }).getAgent('assistant');
  return { model, client };
}

const tools = () => toolRecord(weather(), email());
const ofThread = { memory: { thread: 'thread', resource: 'user' } };

describe("an agent behind Mastra's server", () => {
  it.each([
    { of: 'a thread', options: ofThread },
    { of: 'a request without a thread', options: {} },
  ])('searches, loads and calls for $of', async ({ options }) => {
    const { client, model } = await served({ tools: tools() }, searchLoadCall('weather'));
    const { text } = await client.generate('What is the weather?', options);
    expect(text).toBe('done');
    expect(toolResults(model.calls.at(-1)!.prompt).at(-1)?.value).toMatchObject({ ran: 'get_weather' });
  });

  it('streams the calls of the meta-tools and of the loaded tool', async () => {
    const { client } = await served({ tools: tools() }, searchLoadCall('weather'));
    const called: unknown[] = [];
    const stream = await client.stream('What is the weather?', ofThread);
    await stream.processDataStream({
      onChunk: async (chunk) => {
        if (chunk.type === 'tool-call') called.push(chunk.payload.toolName);
      },
    });
    expect(called).toEqual(['search_tools', 'load_tool', 'get_weather']);
  });

  it('remembers the loads of a thread, and of no other', async () => {
    const { client, model } = await served({ tools: tools() }, calls(load('get_weather')));
    await client.generate('Load.', ofThread);
    await client.generate('Again.', ofThread);
    expect(toolNames(model.calls.at(-1)!)).toContain('get_weather');
    await client.generate('Another.', { memory: { thread: 'other', resource: 'user' } });
    const first = model.calls.findLast(({ step }) => step === 0)!;
    expect(toolNames(first)).not.toContain('get_weather');
  });
});

describe('tools of the client', () => {
  const ran: unknown[] = [];
  const paint = createTool({
    id: 'paint_page',
    description: 'Paints the background of the page.',
    inputSchema: z.object({ colour: z.string() }),
    execute: async (input) => {
      ran.push(input);
      return { painted: true };
    },
  });
  const options = { ...ofThread, clientTools: { paint_page: paint } };
  afterEach(() => void ran.splice(0));

  it('stand beside the meta-tools, and run at the client', async () => {
    const { client, model } = await served({ tools: tools() }, calls(call('paint_page', { colour: 'red' })));
    await client.generate('Paint it red.', options as never);
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool', 'paint_page']);
    expect(ran).toEqual([{ colour: 'red' }]);
  });

  it('are searched and loaded with includeResolvedTools, and run at the client', async () => {
    const script = calls(
      call('search_tools', { query: 'paint the page' }),
      load('paint_page'),
      call('paint_page', { colour: 'red' }),
    );
    const { client, model } = await served({ tools: tools(), includeResolvedTools: true }, script);
    const { text } = await client.generate('Paint it red.', options as never);
    expect(toolNames(model.calls[0]!)).toEqual(['search_tools', 'load_tool']);
    expect(ran).toEqual([{ colour: 'red' }]);
    expect(text).toBe('done');
  });
});
