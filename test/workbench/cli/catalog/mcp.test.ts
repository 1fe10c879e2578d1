// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the environment are written so.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MCPClient } from '@mastra/mcp';
import { expect, it } from 'vitest';
import { catalogOptions, type LoadedCatalog, loadCatalog } from '../../../../src/workbench/cli/catalog/load.ts';
import { callOf, keptTerminal, withFiles } from '../command.ts';

const serverFile = (name: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
const line = (name: string, ...args: string[]): string =>
  ['node', serverFile(name), ...args].map((word) => `"${word}"`).join(' ');

async function load(...args: string[]): Promise<{ catalog: LoadedCatalog; rest: readonly string[]; stderr: string }> {
  const terminal = keptTerminal();
  const loaded = await loadCatalog({ ...callOf(args, catalogOptions), terminal }, Number.POSITIVE_INFINITY);
  return { ...loaded, stderr: terminal.said.stderr };
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('lists the tools of a server by its command, under the names that it gives them', async () => {
  const { catalog, rest, stderr } = await load('--mcp', line('server-memory'), 'a query');
  expect(Object.keys(catalog.tools)).toContain('create_entities');
  expect(catalog.tools['create_entities']).toMatchObject({
    mcpMetadata: { serverName: expect.stringContaining('memory') },
  });
  expect([rest, stderr]).toEqual([['a query'], '']);
});

it('sets the names of several servers apart', async () => {
  const { catalog } = await load(
    '--mcp',
    line('server-memory'),
    '--mcp',
    `A=1 ${line('server-filesystem', '.')}`,
    '--mcp',
    line('server-memory'),
  );
  const servers = new Set(
    Object.values(catalog.tools).map(
      (tool) => (tool as { mcpMetadata: { serverName: string } }).mcpMetadata.serverName,
    ),
  );
  expect(servers.size).toBe(3);
  for (const name of Object.keys(catalog.tools))
    expect([...servers].some((server) => name.startsWith(`${server}_`))).toBe(true);
});

it("names and describes the tools of an mcp.json as Mastra's client does", async () => {
  const servers = {
    memory: { command: 'node', args: [serverFile('server-memory')] },
    every: { command: '${NODE_OF_TEST:-node}', args: [serverFile('server-everything')] },
  };
  const config = `{ // as VS Code writes it\n "servers": ${JSON.stringify(servers)}, }`;
  const { catalog } = await withFiles({ 'mcp.json': config }, (folder) => load(path.join(folder, 'mcp.json')));
  const client = new MCPClient({ servers: { memory: servers.memory, every: { ...servers.every, command: 'node' } } });
  try {
    const theirs = (await client.listTools()) as Record<
      string,
      { description: string; mcp?: unknown; mcpMetadata?: object }
    >;
    expect(Object.keys(catalog.tools).sort()).toEqual(Object.keys(theirs).sort());
    for (const [name, { description, mcp, mcpMetadata }] of Object.entries(theirs)) {
      const { serverName, serverInstructions } = mcpMetadata as Record<string, unknown>;
      const ours = catalog.tools[name] as Record<string, unknown>;
      expect(ours['description']).toBe(description);
      expect(ours['mcpMetadata']).toEqual({
        serverName,
        ...(serverInstructions === undefined ? {} : { serverInstructions }),
      });
      expect((ours['mcp'] as { annotations?: unknown } | undefined)?.annotations).toEqual(
        (mcp as { annotations?: unknown } | undefined)?.annotations,
      );
    }
  } finally {
    await client.disconnect();
  }
});

it('goes on without servers that fail, and says why; with --strict it does not', async () => {
  const servers = {
    memory: { command: 'node', args: [serverFile('server-memory')] },
    off: { command: 'node', args: ['x'], disabled: true },
    broken: { command: 'node', args: ['-e', 'console.error("no key\\u001b[31m"); process.exit(3)'] },
    missing: { command: 'no-such-program-of-tests' },
    empty: {},
    secret: { url: 'http://127.0.0.1:9/', headers: { Authorization: 'Bearer ${NO_SUCH_VARIABLE}' } },
    asked: { command: 'node', env: { TOKEN: '${input:token}' } },
  };
  await withFiles({ 'mcp.json': { mcpServers: servers } }, async (folder) => {
    const file = path.join(folder, 'mcp.json');
    const { catalog, stderr } = await load(file);
    expect(Object.keys(catalog.tools)).toContain('memory_create_entities');
    const said = stderr.trim().split('\n').sort();
    expect(said).toEqual([
      'warning: The server "asked" cannot be asked for its tools: only an editor knows ${input:token}. Write ${NAME}, and set NAME in the environment.',
      expect.stringMatching(
        /^warning: The server "broken" cannot be asked for its tools: .*Connection closed.* It said: no key \[31m\.$/,
      ),
      'warning: The server "empty" cannot be asked for its tools: it has neither "command" nor "url".',
      expect.stringMatching(/^warning: The server "missing" cannot be asked for its tools: .*ENOENT/),
      'warning: The server "secret" cannot be asked for its tools: the environment has no ${NO_SUCH_VARIABLE}. Set it, or write ${NO_SUCH_VARIABLE:-default}.',
    ]);
    await expect(load(file, '--strict')).rejects.toThrow('cannot be asked for its tools');
  });
});

it('refuses where no server answers', async () => {
  await expect(load('--mcp', 'node -e 0')).rejects.toThrow('No server could be asked for its tools.');
  await expect(load('--mcp', ' ')).rejects.toThrow('--mcp needs a command or a URL; got "".');
});

it('waits no longer than it is told', async () => {
  const started = Date.now();
  await expect(load('--mcp', 'node -e "setTimeout(() => {}, 600000)"', '--timeout', '1')).rejects.toThrow('No server');
  expect(Date.now() - started).toBeLessThan(50_000);
});

it.each(['streamableHttp', 'sse'])('lists the tools of a server behind a URL, over %s', async (transport) => {
  const port = await freePort();
  const server = spawn(process.execPath, [serverFile('server-everything'), transport], {
    env: { ...process.env, PORT: `${port}` },
    stdio: 'pipe',
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('exit', () => reject(new Error('The server ended')));
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (data: Buffer) => String(data).includes(`${port}`) && resolve());
    });
    const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
    const { catalog } = await load('--mcp', url, '--header', 'X-Test: 1');
    expect(Object.keys(catalog.tools)).toContain('echo');
    // A URL may stand where the catalog stands.
    expect((await load(url, 'query')).rest).toEqual(['query']);
  } finally {
    server.kill('SIGKILL');
  }
});

/** A server that answers `tools/list` with what the function `page(cursor)` of the source returns. */
const paged = (page: string): string => `
  import { createInterface } from 'node:readline';
  ${page}
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    const init = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'paged', version: '1' } };
    const answer = method === 'initialize' ? { result: init } : await page(params.cursor);
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  });`;

const loadPaged = (page: string, ...args: string[]): ReturnType<typeof load> =>
  withFiles({ 'server.mjs': paged(page) }, (folder) =>
    load('--mcp', `node ${path.join(folder, 'server.mjs')}`, ...args),
  );

it('follows pages to the last one, and takes the tools that are some', async () => {
  const { catalog, stderr } = await loadPaged(`
    const pages = { undefined: ['one', '2'], 2: ['two', '3'], 3: ['three'] };
    const page = (cursor) => {
      const [name, nextCursor] = pages[cursor];
      return { result: { tools: [{ name, description: 1, inputSchema: 'odd' }, null], nextCursor } };
    };`);
  expect(Object.keys(catalog.tools)).toEqual(['one', 'two', 'three']);
  expect(stderr).toBe('warning: 3 of the list are no tools and are left out: number 2, 4, 6. A tool has a "name".\n');
});

it.each([
  [
    'repeats a cursor',
    `let n = 0; const page = () => ({ result: { tools: [{ name: 't' + n++ }], nextCursor: 'c' } });`,
    'is cut after 2 tools: it gives the same cursor again.',
  ],
  [
    'fails on a later page',
    `const page = (cursor) => cursor === undefined
      ? { result: { tools: [{ name: 'a' }, { name: 'b' }], nextCursor: 'c' } }
      : { error: { code: -1, message: 'no \\u001b[31mred' } };`,
    'is cut after 2 tools: MCP error -1: no  [31mred.',
  ],
  [
    'never ends',
    `let n = 0; const page = () => ({ result: { tools: [{ name: 't' + n }], nextCursor: 'c' + n++ } });`,
    'is cut after 1000 tools: it has more than 1000 pages.',
  ],
])('keeps what a server lists that %s, and says so', async (_, page, said) => {
  const { stderr } = await loadPaged(page);
  expect(stderr).toBe(`warning: The list of the server "paged" ${said}\n`);
  await expect(loadPaged(page, '--strict')).rejects.toThrow(said);
});

it('waits for all pages of a server together no longer than it is told', async () => {
  const started = Date.now();
  const { catalog, stderr } = await loadPaged(
    `let n = 0;
    const page = () => new Promise((resolve) =>
      setTimeout(resolve, n && 1_600, { result: { tools: [{ name: 't' + n }], nextCursor: 'c' + n++ } }));`,
    ...['--timeout', '5'],
  );
  expect(Date.now() - started).toBeLessThan(50_000);
  expect(Object.keys(catalog.tools).length).toBeLessThan(5);
  expect(stderr).toMatch(/ is cut after \d tools?: its pages take longer than 5 s\.\n$/);
});

it('takes a page of 200,000 tools', async () => {
  const { catalog, stderr } = await loadPaged(
    `const page = () => ({ result: { tools: Array.from({ length: 200_000 }, (_, at) => ({ name: 't' + at })) } });`,
  );
  expect([Object.keys(catalog.tools).length, stderr]).toEqual([200_000, '']);
});
