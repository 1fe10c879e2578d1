// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the environment are written so.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { MCPClient } from '@mastra/mcp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { command, type Pages, run, serverFile, serverOf, withFiles, withServer } from '../command.ts';

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly annotations?: object;
  readonly mcpMetadata: Readonly<Record<string, unknown>>;
}

/** The tools that `list` writes, and what it warns of. */
async function listed(...args: string[]) {
  const { stdout, stderr } = await run(['list', ...args]);
  const tools: readonly Tool[] = JSON.parse(stdout || '{ "tools": [] }').tools;
  const warnings = stderr.split('\n').filter((line) => /^(?:warning|error): /.test(line));
  return { tools, names: tools.map(({ name }) => name), warnings };
}
/** What `list` says of the server of an mcp.json whose field `mcpServers` is this, or another. */
const configured = (mcpServers: object, key = 'mcpServers', files: object = {}) =>
  withFiles({ 'mcp.json': { [key]: mcpServers }, ...files }, () => listed('mcp.json'));

/** A server whose one tool says how it was started. */
const TELLING = serverOf(`const { NAME, TOKEN, UNSET } = process.env;
  const told = { args: process.argv.slice(2), env: { NAME, TOKEN, UNSET }, folder: process.cwd().split(/[\\\\/]/).at(-1) };
  const tools = () => [{ name: 'told', description: JSON.stringify(told) }];`);
const toldOf = ({ tools }: { readonly tools: readonly Tool[] }) =>
  tools.map(({ description }) => JSON.parse(description) as unknown);

/** Variables of the environment, of a test. */
function environment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('how a server is started', () => {
  const LINES: readonly (readonly [line: string, args: readonly string[]])[] = [
    ['-y  server', ['-y', 'server']],
    [`a 'b c' "d e"f ''`, ['a', 'b c', 'd ef', '']],
    [`a\\ b "c\\"d" 'e\\f' C:\\dir\\x`, ['a b', 'c"d', 'e\\f', 'C:\\dir\\x']],
    ['\t\n', []],
  ];

  it('by a command line, split as by a shell, with variables in front, in the environment of the user', async () => {
    environment({ NAME: 'ada' });
    await withFiles({ 'server.mjs': TELLING }, async () => {
      const found = await listed(...LINES.flatMap(([line]) => ['--mcp', `TOKEN=a=b node server.mjs ${line}`]));
      const env = { NAME: 'ada', TOKEN: 'a=b' };
      expect(toldOf(found)).toMatchObject(LINES.map(([, args]) => ({ args, env })));
      // Several have their own names in front.
      const servers = found.tools.map(({ mcpMetadata }) => mcpMetadata['serverName']);
      expect(new Set(servers).size).toBe(LINES.length);
      expect(found.names).toEqual(servers.map((server) => `${server}_told`));
    });
  });

  it('by an mcp.json, with variables, and what stands there of the environment alone', async () => {
    environment({ NAME: 'ada', EMPTY: '', A: '${NAME}' });
    const one = {
      ...{ type: 'stdio', command: '${NONE:-node}', cwd: '${PWD_OF_TEST:-sub}' },
      args: [
        '../server.mjs',
        '${NAME} and ${env:NAME}',
        '${NONE:-a:-b}${EMPTY:-c}${EMPTY}',
        '${open',
        '$NAME',
        1,
        true,
      ],
      env: { TOKEN: '${constructor:-none}', UNSET: '${A}' },
    };
    const off = { command: 'node', args: ['x'], disabled: true };
    const found = await configured({ one, off }, 'mcpServers', { 'server.mjs': TELLING, 'sub/file': '' });
    const args = ['ada and ada', 'a:-bc', '${open', '$NAME', '1', 'true'];
    expect(toldOf(found)).toEqual([{ args, env: { TOKEN: 'none', UNSET: '${NAME}' }, folder: 'sub' }]);
  });

  it.each([
    [{ args: 'x' }, 'its "args" must be a list of texts; got "x".'],
    [{ args: { 0: 'x' } }, 'its "args" must be a list of texts; got {"0":"x"}.'],
    [{ args: ['-y', null] }, 'its "args" may have texts only; got null.'],
    [{ args: [{}] }, 'its "args" may have texts only; got {}.'],
    [{ env: 'A=b' }, 'its "env" must hold texts by name; got "A=b".'],
    [{ env: { A: {} } }, 'its "env" may have texts only; got {}.'],
    [{ args: ['${constructor}'] }, 'the environment has no ${constructor}. Set it, or write ${constructor:-default}.'],
    [{ env: { TOKEN: '${input:token}' } }, 'only an editor knows ${input:token}. Write ${NAME}, and set NAME in'],
    [{ command: undefined }, 'it has neither "command" nor "url".'],
    [{ command: undefined, url: 'http://127.0.0.1:9/', headers: { A: '${NONE}' } }, 'the environment has no ${NONE}.'],
  ])('is said where it cannot be, and nothing is started: %j', async (fields, message) => {
    const { warnings } = await configured({ one: { command: 'node', ...fields } });
    expect(warnings[0]).toContain(`warning: The server "one" cannot be asked for its tools: ${message}`);
  });

  it.each([
    [' ', '--mcp needs a command or a URL; got '],
    ['TOKEN=1', '--mcp needs a command or a URL; got '],
    ['npx "server', 'A quote is not closed in npx "server.'],
  ])('is refused where it is no command: %j', async (line, message) => {
    expect((await listed('--mcp', line)).warnings[0]).toContain(message);
  });
});

it("names and describes the tools of an mcp.json as Mastra's client does", async () => {
  const every = { command: 'node', args: [serverFile('server-everything')] };
  const config = `{ // as VS Code writes it\n "servers": ${JSON.stringify({ every })}, "inputs": [], }`;
  const { tools } = await withFiles({ 'mcp.json': config }, () => listed('mcp.json'));
  const client = new MCPClient({ servers: { every } });
  try {
    type Theirs = { description: string; mcp?: { annotations?: object }; mcpMetadata?: Tool['mcpMetadata'] };
    const theirs = Object.entries((await client.listTools()) as unknown as Record<string, Theirs>);
    const pick = ({ serverName, serverInstructions }: Tool['mcpMetadata']) => ({ serverName, serverInstructions });
    const expected = theirs.map(([name, { description, mcp, mcpMetadata = {} }]) => {
      return { name, description, annotations: mcp?.annotations, mcpMetadata: pick(mcpMetadata) };
    });
    const ours = tools.map(({ name, description, annotations, mcpMetadata }) => {
      return { name, description, annotations, mcpMetadata: pick(mcpMetadata) };
    });
    const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1);
    expect(ours.toSorted(byName)).toEqual(expected.toSorted(byName));
  } finally {
    await client.disconnect();
  }
});

it('goes on without servers that fail, and says why; with --strict, or without any other, it does not', () => {
  const node = (source: string) => ({ command: 'node', args: ['-e', source] });
  const mcpServers = {
    one: { command: 'node', args: ['server.mjs'] },
    broken: node('console.error("no key\\u001b[31m"); process.exit(3)'),
    ended: node('console.error("No key is set."); process.exit(1)'),
    missing: { command: 'no-such-program-of-tests' },
  };
  return withFiles({ 'mcp.json': { mcpServers }, 'server.mjs': TELLING }, async () => {
    const { names, warnings } = await listed('mcp.json');
    expect(names).toEqual(['one_told']);
    const failed = (name: string): string => `^warning: The server "${name}" cannot be asked for its tools: `;
    expect(warnings.toSorted()).toEqual([
      expect.stringMatching(`${failed('broken')}.*Connection closed.* It said: no key \\[31m\\.$`),
      expect.stringMatching(`${failed('ended')}.*[^.]\\. It said: No key is set\\.$`),
      expect.stringMatching(`${failed('missing')}.*ENOENT`),
    ]);
    const { code, stdout, stderr } = await run('list mcp.json --strict');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/error: The server "\w+" cannot be asked for its tools: /);
    expect((await listed('--mcp', 'node -e 0')).warnings.at(-1)).toBe('error: No server could be asked for its tools.');
  });
});

it('lists the tools of a server behind a URL, with its headers, of the older transport too', async () => {
  const seen = new Set<unknown>();
  const pages: Pages = (_, headers) => {
    seen.add(headers['x-test']);
    return { result: { tools: [{ name: 'echo' }] } };
  };
  await withServer(pages, async (url) => {
    expect((await listed('--mcp', url, '--header', 'X-Test: 1')).names).toEqual(['echo']);
    // A URL may stand where the catalog stands, and in a file.
    expect((await run(['search', url, 'echo'])).stdout).toContain('echo');
    const one = { serverUrl: url, headers: { 'x-test': 'b' } };
    expect((await configured({ one })).names).toEqual(['one_echo']);
    expect(seen).toEqual(new Set(['1', undefined, 'b']));
  });
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const env = { ...process.env, PORT: `${port}` };
  const server = spawn(process.execPath, [serverFile('server-everything'), 'sse'], { env, stdio: 'pipe' });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('exit', () => reject(new Error('The server ended')));
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (data: Buffer) => String(data).includes(`${port}`) && resolve());
    });
    const url = `http://127.0.0.1:${port}/sse`;
    expect((await listed('--mcp', url)).names).toContain('echo');
    expect((await configured({ one: { url, type: 'sse' } })).names).toContain('one_echo');
  } finally {
    server.kill('SIGKILL');
  }
});

describe('pages of a list', () => {
  const listedOf = (pages: Pages, ...options: string[]) => withServer(pages, (url) => listed('--mcp', url, ...options));
  const page = (nextCursor: string | undefined, ...names: string[]) => ({
    result: { tools: names.map((name) => ({ name })), nextCursor },
  });

  it('are followed to the last one, and the tools that are some are taken', async () => {
    const pages = { 1: ['one', '2'], 2: ['two', '3'], 3: ['three'] };
    const { names, warnings } = await listedOf((cursor) => {
      const [name, nextCursor] = pages[(cursor ?? '1') as unknown as 1];
      return { result: { tools: [{ name, description: 1, inputSchema: 'odd' }, null], nextCursor } };
    });
    expect(names).toEqual(['one', 'two', 'three']);
    const left = '3 of the list are no tools and are left out: number 2, 4, 6. A tool has a "name".';
    expect(warnings).toEqual([`warning: ${left}`]);
  });

  let count = 0;
  it.each<[string, Pages, string]>([
    ['repeats a cursor', () => page('c', `t${count++}`), 'is cut after 2 tools: it gives the same cursor again.'],
    [
      'fails on a later page',
      (cursor) => (cursor ? { error: { code: -1, message: 'no \u001b[31mred' } } : page('c', 'a', 'b')),
      'is cut after 2 tools: MCP error -1: no  [31mred.',
    ],
    ['never ends', () => page(`c${count++}`, `t${count}`), 'is cut after 1000 tools: it has more than 1000 pages.'],
  ])('are kept of a server that %s, which is said', async (_, pages, said) => {
    expect((await listedOf(pages)).warnings).toEqual([`warning: The list of the server "paged" ${said}`]);
    if (said.includes('1000')) return;
    expect((await listedOf(pages, '--strict')).warnings).toEqual([`error: The list of the server "paged" ${said}`]);
  });

  it('are waited for together no longer than is told, and not at all where the first does not come', async () => {
    const late = () => new Promise<object>(() => {});
    const { names, warnings } = await listedOf((cursor) => (cursor ? late() : page('c', 'one')), '--timeout', '1');
    expect([names, warnings]).toEqual([
      ['one'],
      ['warning: The list of the server "paged" is cut after 1 tools: its pages take longer than 1 s.'],
    ]);
    const none = await listedOf(late, '--timeout', '1');
    expect(none.warnings.at(-1)).toContain('No server could be asked');
  });

  it('may have 20,000 tools', async () => {
    const tools = Array.from({ length: 20_000 }, (_, at) => ({ name: `t${at}` }));
    const found = await listedOf(() => ({ result: { tools } }));
    expect([found.names.length, found.warnings]).toEqual([20_000, []]);
  });
});

describe('a command that ends', () => {
  const HANGS = `
    import { writeFileSync } from 'node:fs';
    process.stdin.resume();
    setInterval(() => {}, 1000);
    writeFileSync(process.argv[2], String(process.pid));`;
  const files = {
    'plain.mjs': HANGS,
    'stubborn.mjs': `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});${HANGS}`,
    'broken.mjs': `
      import { existsSync } from 'node:fs';
      const [, , ...files] = process.argv;
      setInterval(() => files.every((file) => existsSync(file)) && process.exit(3), 100);`,
  };
  const ENDS: readonly (readonly [code: number, ...signals: NodeJS.Signals[]])[] = [
    [143, 'SIGTERM'],
    [129, 'SIGHUP'],
    [130, 'SIGINT', 'SIGINT'],
    [2],
  ];

  it('by a signal, or because of another server, leaves none behind: neither one that ends when asked to, nor another', () =>
    withFiles(files, async (folder) => {
      const ran = ENDS.map(async ([code, ...signals], at) => {
        const pids = ['plain', 'stubborn'].map((name) => `${name}${at}.pid`);
        const servers = pids.flatMap((pid) => ['--mcp', `node ${pid.slice(0, -5)}.mjs ${pid}`]);
        const broken = ['--strict', '--mcp', `node broken.mjs ${pids.join(' ')}`];
        const paths = pids.map((pid) => path.join(folder, pid));
        const options = signals.length > 0 ? { interruptWhen: paths, signals } : {};
        const said = await command(['search', ...servers, ...(signals.length > 0 ? [] : broken), 'x'], options);
        const stderr = code === 2 ? expect.stringContaining('cannot be asked for its tools') : '';
        expect(said).toEqual({ code, stdout: '', stderr });
        for (const file of paths) await expect.poll(() => isAlive(Number(readFileSync(file, 'utf8')))).toBe(false);
      });
      await Promise.all(ran);
    }));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
