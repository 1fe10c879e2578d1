import { RequestContext } from '@mastra/core/request-context';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ToolSearchProcessor, type ToolSearchProcessorOptions, toolSearchTools } from 'mastra-tool-search';
import { expect, it, onTestFinished } from 'vitest';
import { catalogServer } from '../../examples/mcp-server/server.ts';
import { recordingTool } from '../native/rig/world.ts';
import { fillerTools, tool, toolRecord } from '../support/agent.ts';

/** What a client of the SDK gets from a server over these tools. */
async function clientOf(options: Omit<ToolSearchProcessorOptions, 'mode'>) {
  const server = await catalogServer(options);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const call = async (name: string, args: object): Promise<string> =>
    JSON.stringify(await client.callTool({ name, arguments: args as never }));
  return {
    client,
    call,
    through: (toolName: string, args: object) => call('call_tool', { toolName, arguments: args }),
  };
}

it('shows a client of the SDK three tools of 1,500, which it searches and calls', async () => {
  const ran: string[] = [];
  const tools = { ...fillerTools(1_499), ...toolRecord(recordingTool(ran, 'get_weather')) };
  const { client, call, through } = await clientOf({ tools });
  const { tools: listed } = await client.listTools();
  expect(listed.map(({ name }) => name)).toEqual(['search_tools', 'call_tool', 'clock']);
  expect(JSON.stringify(listed).length).toBeLessThan(4_000);
  const found = await call('search_tools', { query: 'weather of a city' });
  expect(found).toContain('get_weather');
  expect(found).toContain('call_tool');
  expect(await through('get_weather', { text: 'Rome' })).toContain('Rome');
  expect(ran).toEqual(['get_weather']);
  expect(await through('no_such_tool', {})).toContain('not found');
});

it('neither finds nor calls what the filter denies, nor runs what wants an approval', async () => {
  const ran: string[] = [];
  const paying = tool('pay_bill', 'Pay a bill.', { execute: async () => ran.push('pay_bill'), requireApproval: true });
  const { call, through } = await clientOf({
    tools: toolRecord(recordingTool(ran, 'get_weather'), recordingTool(ran, 'get_bill'), paying),
    filter: ({ toolName }) => toolName !== 'get_weather',
  });
  expect(await call('search_tools', { query: 'weather of a city' })).not.toContain('get_weather');
  expect(await through('get_weather', {})).toContain('not found');
  expect(await through('pay_bill', {})).toContain('needs an approval');
  expect(await through('get_bill', {})).toContain('get_bill');
  expect(ran).toEqual(['get_bill']);
});

it('asks the filter with the request context of each caller, and shares the processor’s events', async () => {
  const types: string[] = [];
  const ran: string[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(recordingTool(ran, 'of_ann'), recordingTool(ran, 'of_bob')),
    mode: 'call',
    filter: ({ toolName, requestContext }) => toolName === `of_${String(requestContext?.get('user' as never))}`,
    onEvent: ({ type }) => types.push(type),
  });
  const { call_tool: bridge } = await toolSearchTools(processor);
  const callAs = (user: string, toolName: string): Promise<unknown> =>
    bridge!.execute!(
      { toolName, arguments: {} } as never,
      { requestContext: new RequestContext([['user', user]]) } as never,
    ) as never;
  await Promise.all(['ann', 'bob'].flatMap((user) => ['of_ann', 'of_bob'].map((name) => callAs(user, name))));
  expect(ran.toSorted()).toEqual(['of_ann', 'of_bob']);
  expect(types.filter((type) => type === 'call-through')).toHaveLength(2);
});

it('refuses a processor in another mode', async () => {
  const processor = new ToolSearchProcessor({ tools: fillerTools(1) });
  await expect(toolSearchTools(processor)).rejects.toMatchObject({ code: 'invalid-option' });
});
