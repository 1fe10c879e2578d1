// 1,500 tools behind an MCP server, and a client that searches and calls one of them.
// Run it with: npm run example:mcp-server
import assert from 'node:assert/strict';
import { createTool } from '@mastra/core/tools';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { z } from 'zod';
import { catalogServer } from './server.ts';

const things = ['invoice', 'customer', 'order', 'ticket', 'shipment'];
const tools = Array.from({ length: 1_500 }, (_, at) => {
  const thing = things[at % things.length];
  return createTool({
    id: `get_${thing}_${Math.floor(at / things.length)}`,
    description: `Get the ${thing} of region ${Math.floor(at / things.length)}.`,
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ thing, id }),
  });
});
const server = await catalogServer({ tools: Object.fromEntries(tools.map((tool) => [tool.id, tool])) });
const client = new Client({ name: 'example', version: '1.0.0' });
const [here, there] = InMemoryTransport.createLinkedPair();
await server.connect(there);
await client.connect(here);

const listed = (await client.listTools()).tools.map(({ name }) => name);
console.log(`The client sees ${listed.join(', ')}.`);
assert.equal(listed.length, 3);
const found = await client.callTool({ name: 'search_tools', arguments: { query: 'invoice of region 7' } });
console.log(JSON.stringify(found.content).slice(0, 300));
const called = await client.callTool({
  name: 'call_tool',
  arguments: { toolName: 'get_invoice_7', arguments: { id: 'i-1' } },
});
console.log(JSON.stringify(called.content));
assert.match(JSON.stringify(called.content), /i-1/);
await client.close();
await server.close();
