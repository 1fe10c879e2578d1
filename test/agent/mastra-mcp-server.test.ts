import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MCPClient, MCPServer } from '@mastra/mcp';
import { toolSearchTools } from 'mastra-tool-search';
import { expect, it, onTestFinished } from 'vitest';
import { recordingTool } from '../native/rig/world.ts';
import { fillerTools, toolRecord } from '../support/agent.ts';

it("Mastra's MCPServer serves the catalog as two tools, whose results fit what they say of them", async () => {
  const ran: string[] = [];
  const tools = await toolSearchTools({
    tools: { ...toolRecord(recordingTool(ran, 'get_weather')), ...fillerTools(20) },
  });
  const server = new MCPServer({ id: 'catalog', name: 'Catalog', version: '1.0.0', tools: tools as never });
  const http = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://127.0.0.1');
    void server.startHTTP({ url, httpPath: '/mcp', req, res });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  const client = new MCPClient({ id: 'test-of-catalog', servers: { catalog: { url } } });
  onTestFinished(async () => {
    await client.disconnect();
    await server.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const listed = await client.listTools();
  expect(Object.keys(listed)).toEqual(['catalog_search_tools', 'catalog_call_tool']);
  const call = async (name: string, input: object): Promise<string> =>
    JSON.stringify(await listed[`catalog_${name}`]?.execute?.(input as never, {} as never));
  expect(await call('search_tools', { query: 'weather' })).toContain('get_weather');
  expect(await call('search_tools', { query: 'select:get_weather,filler_3' })).toContain('filler_3');
  expect(await call('call_tool', { toolName: 'get_weather', arguments: { text: 'Rome' } })).toContain('Rome');
  expect(await call('call_tool', { toolName: 'no_such_tool', arguments: {} })).toContain('not found');
  expect(ran).toEqual(['get_weather']);
});
