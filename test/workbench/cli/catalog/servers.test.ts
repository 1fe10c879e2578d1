// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the environment are written so.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { MCPClient } from '@mastra/mcp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { command, type ProcessOptions, type Ran, run, serverFile, serverOf, withFiles } from '../command.ts';

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly annotations?: object;
  readonly mcpMetadata: Readonly<Record<string, unknown>>;
}

/** The tools that `list` writes, and what it warns of. */
async function listed(
  args: readonly string[],
): Promise<{ tools: readonly Tool[]; names: string[]; warnings: string[] }> {
  const { stdout, stderr } = await run(['list', ...args]);
  const tools: readonly Tool[] = JSON.parse(stdout || '{ "tools": [] }').tools;
  const warnings = stderr.split('\n').filter((line) => /^(?:warning|error): /.test(line));
  return { tools, names: tools.map(({ name }) => name), warnings };
}

const memory = { command: 'node', args: [serverFile('server-memory')] };
const every = { command: 'node', args: [serverFile('server-everything')] };

afterEach(() => vi.unstubAllEnvs());

describe('servers by their commands', () => {
  const line = (name: string, ...args: string[]): string => `node "${serverFile(name)}" ${args.join(' ')}`;

  it('have the names of tools that one gives them, and several have their own in front', async () => {
    const { tools } = await listed(['--mcp', line('server-memory')]);
    const serverName = expect.stringContaining('memory');
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'create_entities', mcpMetadata: expect.objectContaining({ serverName }) }),
    );
    const commands = [line('server-memory'), `A=1 ${line('server-filesystem', '.')}`, line('server-memory')];
    const several = await listed(commands.flatMap((one) => ['--mcp', one]));
    expect(new Set(several.tools.map((tool) => tool.mcpMetadata['serverName'])).size).toBe(3);
    for (const { name, mcpMetadata } of several.tools)
      expect(name.startsWith(`${mcpMetadata['serverName']}_`)).toBe(true);
  });

  it('may all fail, or be none', async () => {
    const { warnings } = await listed(['--mcp', 'node -e 0']);
    expect(warnings.at(-1)).toBe('error: No server could be asked for its tools.');
    for (const text of [' ', 'TOKEN=1'])
      expect((await listed(['--mcp', text])).warnings[0]).toContain('--mcp needs a command or a URL; got ');
    expect((await listed(['--mcp', 'npx "server'])).warnings).toEqual(['error: A quote is not closed in npx "server.']);
  });

  it('are waited for no longer than is told', async () => {
    const started = Date.now();
    const { warnings } = await listed(['--mcp', 'node -e "setTimeout(() => {}, 600000)"', '--timeout', '1']);
    expect(warnings.at(-1)).toContain('No server could be asked');
    expect(Date.now() - started).toBeLessThan(50_000);
  });
});

/** A server whose one tool says how it was started. */
const TELLING = serverOf(`const { NAME, TOKEN, UNSET } = process.env;
  const told = { args: process.argv.slice(2), env: { NAME, TOKEN, UNSET }, folder: process.cwd().split(/[\\\\/]/).at(-1) };
  const page = () => ({ result: { tools: [{ name: 'told', description: JSON.stringify(told) }] } });`);
const toldOf = ({ tools }: { readonly tools: readonly Tool[] }) =>
  tools.map(({ description }) => JSON.parse(description) as unknown);

describe('how a server is started', () => {
  it.each([
    ['-y  server', ['-y', 'server']],
    [`a 'b c' "d e"f ''`, ['a', 'b c', 'd ef', '']],
    [`a\\ b "c\\"d" 'e\\f' C:\\dir\\x`, ['a b', 'c"d', 'e\\f', 'C:\\dir\\x']],
    ['\t\n', []],
  ])('by a command line, split as by a shell: %j', (line, args) =>
    withFiles({ 'server.mjs': TELLING }, async () => {
      vi.stubEnv('NAME', 'ada');
      // In the environment of the user, with variables in front.
      const told = toldOf(await listed(['--mcp', `TOKEN=a=b node server.mjs ${line}`]));
      expect(told).toMatchObject([{ args, env: { NAME: 'ada', TOKEN: 'a=b' } }]);
    }),
  );

  it.each(['mcpServers', 'servers'])(
    'by "%s", with variables, and what stands there of the environment alone',
    (key) => {
      vi.stubEnv('NAME', 'ada');
      vi.stubEnv('EMPTY', '');
      vi.stubEnv('A', '${NAME}');
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
      const config = { [key]: { one }, inputs: [] };
      return withFiles({ 'mcp.json': config, 'server.mjs': TELLING, 'sub/file': '' }, async () => {
        expect(toldOf(await listed(['mcp.json']))).toEqual([
          {
            args: ['ada and ada', 'a:-bc', '${open', '$NAME', '1', 'true'],
            ...{ env: { TOKEN: 'none', UNSET: '${NAME}' }, folder: 'sub' },
          },
        ]);
      });
    },
  );

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
    [
      { command: undefined, url: 'http://127.0.0.1:9/', headers: { A: 'Bearer ${NONE}' } },
      'the environment has no ${NONE}.',
    ],
  ])('is said where it cannot be, and nothing is started: %j', (fields, message) =>
    withFiles({ 'mcp.json': { mcpServers: { one: { command: 'node', ...fields } } } }, async () => {
      const { warnings } = await listed(['mcp.json']);
      expect(warnings[0]).toContain(`warning: The server "one" cannot be asked for its tools: ${message}`);
    }),
  );
});

it("names and describes the tools of an mcp.json as Mastra's client does", async () => {
  const config = `{ // as VS Code writes it\n "servers": ${JSON.stringify({ memory, every })}, }`;
  const { tools } = await withFiles({ 'mcp.json': config }, () => listed(['mcp.json']));
  const client = new MCPClient({ servers: { memory, every } });
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

it('goes on without servers that fail, and says why; with --strict it does not', () => {
  const mcpServers = {
    ...{ memory, off: { command: 'node', args: ['x'], disabled: true } },
    broken: { command: 'node', args: ['-e', 'console.error("no key\\u001b[31m"); process.exit(3)'] },
    missing: { command: 'no-such-program-of-tests' },
  };
  return withFiles({ 'mcp.json': { mcpServers } }, async () => {
    const { names, warnings } = await listed(['mcp.json']);
    expect(names).toContain('memory_create_entities');
    const failed = (name: string): string => `^warning: The server "${name}" cannot be asked for its tools: `;
    expect(warnings.toSorted()).toEqual([
      expect.stringMatching(`${failed('broken')}.*Connection closed.* It said: no key \\[31m\\.$`),
      expect.stringMatching(`${failed('missing')}.*ENOENT`),
    ]);
    const strict = await run('list mcp.json --strict');
    expect([strict.code, strict.stderr]).toEqual([2, expect.stringContaining('cannot be asked for its tools')]);
  });
});

it.each(['streamableHttp', 'sse'])('lists the tools of a server behind a URL, over %s', async (transport) => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const env = { ...process.env, PORT: `${port}` };
  const server = spawn(process.execPath, [serverFile('server-everything'), transport], { env, stdio: 'pipe' });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('exit', () => reject(new Error('The server ended')));
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (data: Buffer) => String(data).includes(`${port}`) && resolve());
    });
    const isSse = transport === 'sse';
    const url = `http://127.0.0.1:${port}/${isSse ? 'sse' : 'mcp'}`;
    expect((await listed(['--mcp', url, '--header', 'X-Test: 1'])).names).toContain('echo');
    // A URL may stand where the catalog stands, and in a file.
    expect((await run(['search', url, 'echo'])).stdout).toContain('echo');
    const one = isSse ? { url, type: 'sse' } : { serverUrl: url, headers: { A: 'b' } };
    const ofFile = await withFiles({ 'mcp.json': { mcpServers: { one } } }, () => listed(['mcp.json']));
    expect(ofFile.names).toContain('one_echo');
  } finally {
    server.kill('SIGKILL');
  }
});

const listedOf = (page: string, ...options: string[]) =>
  withFiles({ 'server.mjs': serverOf(page) }, () => listed(['--mcp', 'node server.mjs', ...options]));

describe('pages of a list', () => {
  it('are followed to the last one, and the tools that are some are taken', async () => {
    const { names, warnings } = await listedOf(`
      const pages = { undefined: ['one', '2'], 2: ['two', '3'], 3: ['three'] };
      const page = (cursor) => {
        const [name, nextCursor] = pages[cursor];
        return { result: { tools: [{ name, description: 1, inputSchema: 'odd' }, null], nextCursor } };
      };`);
    expect(names).toEqual(['one', 'two', 'three']);
    const left = '3 of the list are no tools and are left out: number 2, 4, 6. A tool has a "name".';
    expect(warnings).toEqual([`warning: ${left}`]);
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
  ])('are kept of a server that %s, which is said', async (_, page, said) => {
    expect((await listedOf(page)).warnings).toEqual([`warning: The list of the server "paged" ${said}`]);
    expect((await listedOf(page, '--strict')).warnings).toEqual([`error: The list of the server "paged" ${said}`]);
  });

  it('are waited for together no longer than is told', async () => {
    const started = Date.now();
    const { names, warnings } = await listedOf(
      `let n = 0;
      const page = () => new Promise((resolve) =>
        setTimeout(resolve, n && 1_600, { result: { tools: [{ name: 't' + n }], nextCursor: 'c' + n++ } }));`,
      ...['--timeout', '5'],
    );
    expect(Date.now() - started).toBeLessThan(50_000);
    expect(names.length).toBeLessThan(5);
    expect(warnings).toEqual([expect.stringMatching(/ is cut after \d tools?: its pages take longer than 5 s\.$/)]);
  });

  it('may have 200,000 tools', async () => {
    const tools = `Array.from({ length: 200_000 }, (_, at) => ({ name: 't' + at }))`;
    const { names, warnings } = await listedOf(`const page = () => ({ result: { tools: ${tools} } });`);
    expect([names.length, warnings]).toEqual([200_000, []]);
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
      setInterval(() => existsSync('plain.pid') && existsSync('stubborn.pid') && process.exit(3), 100);`,
  };
  const NAMES = ['plain', 'stubborn'];

  /** Runs the command with two servers that never answer: one ends when it is asked to, the other does not. */
  const withServers = (args: readonly string[], options?: ProcessOptions): Promise<Ran> =>
    withFiles(files, async (cwd) => {
      const servers = NAMES.flatMap((name) => ['--mcp', `node ${name}.mjs ${name}.pid`]);
      const interruptWhen = options ? NAMES.map((name) => path.join(cwd, `${name}.pid`)) : [];
      const ran = await command(['search', ...servers, ...args, 'x'], { ...options, interruptWhen });
      for (const name of NAMES) {
        const pid = Number(readFileSync(`${name}.pid`, 'utf8'));
        await expect.poll(() => isAlive(pid)).toBe(false);
      }
      return ran;
    });

  it.each([
    [['SIGINT'], 130],
    [['SIGTERM'], 143],
    [['SIGHUP'], 129],
    [['SIGINT', 'SIGINT'], 130],
  ] as const)('by %j leaves no server behind', async (signals, code) => {
    expect(await withServers([], { signals })).toEqual({ code, stdout: '', stderr: '' });
  });

  it('because of another server leaves none behind', async () => {
    const { code, stderr } = await withServers(['--strict', '--mcp', 'node broken.mjs']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be asked for its tools')]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
