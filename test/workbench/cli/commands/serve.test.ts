import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it } from 'vitest';
import { READ_TYPESCRIPT } from '../../../support/new-process.ts';
import { runOn, withFiles } from '../command.ts';

const MAIN = fileURLToPath(new URL('../../../../src/workbench/cli/main.ts', import.meta.url));
const EVERYTHING = fileURLToPath(new URL('../../../../node_modules/.bin/mcp-server-everything', import.meta.url));
const mcpServers = {
  demo: { command: process.execPath, args: [EVERYTHING] },
  gone: { command: 'no-such-command-anywhere' },
};

it('serves the tools of an mcp.json as two, to a client of the SDK, and of a server the part that is asked for', () =>
  withFiles({ 'mcp.json': { mcpServers } }, async (folder) => {
    const args = [...READ_TYPESCRIPT, MAIN, 'serve', 'mcp.json', '--only', 'demo_get-*', '--only', 'demo_echo'];
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'pipe' });
    let said = '';
    transport.stderr?.on('data', (data: Buffer) => (said += data.toString('utf8')));
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport, { timeout: 60_000 });
    try {
      const call = async (name: string, input: object): Promise<string> =>
        JSON.stringify(await client.callTool({ name, arguments: input as never }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
      expect(await call('search_tools', { query: 'add two numbers' })).toContain('demo_get-sum');
      const sum = { toolName: 'demo_get-sum', arguments: { a: 2, b: 40 } };
      expect(await call('call_tool', sum)).toContain('42');
      expect(await call('call_tool', { toolName: 'demo_echo', arguments: { message: 'hello' } })).toContain('hello');
      // Left out by --only.
      expect(await call('call_tool', { toolName: 'demo_trigger-long-running-operation', arguments: {} })).toContain(
        'not found',
      );
      expect(said).toContain('The server "gone" is left out');
      expect(said).toMatch(/Serving \d+ tools as search_tools and call_tool/);
    } finally {
      await client.close();
    }
  }));

it.each([
  ['serve', 'Which servers?'],
  ['serve mcp.json more', '"more" is one argument too many'],
  ['serve none.json', 'none.json'],
  ['serve tools.json', 'names no MCP servers'],
  ['serve gone.json', 'There is no tool to serve.'],
  ['serve gone.json --strict', 'The server "gone" is left out'],
  ['serve gone.json --header nothing', '--header needs a name and a value'],
])('%s: says what is missing', async (line, message) => {
  const files = {
    'mcp.json': { mcpServers },
    'tools.json': [],
    'gone.json': { mcpServers: { gone: mcpServers.gone } },
  };
  const { code, stderr } = await runOn(files, line);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
