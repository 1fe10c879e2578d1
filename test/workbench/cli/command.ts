import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pc from 'picocolors';
import { expect } from 'vitest';
import { runCommandLine } from '../../../src/workbench/cli/command-line.ts';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Files = Readonly<Record<string, unknown>>;

/** Gives the work a folder with these files, in which the process is meanwhile. */
export async function withFiles<Result>(files: Files, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'command-')));
  const before = process.cwd();
  process.chdir(folder);
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(name), { recursive: true });
      writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
    }
    return await work(folder);
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The words of a line, as of a shell: quotes hold spaces together. */
function wordsOf(line: string | readonly string[]): readonly string[] {
  if (typeof line !== 'string') return line;
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));
}

export interface RunOptions {
  readonly stdin?: string;
  readonly columns?: number;
  readonly printed?: (text: string) => void;
}

/** Runs a line of the command in this process, which takes less time, and on a terminal without colours. */
export async function run(
  line: string | readonly string[],
  { stdin = '', columns = 80, printed = () => {} }: RunOptions = {},
): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const code = await runCommandLine(wordsOf(line), {
    ...{
      columns,
      colors: pc.createColors(false),
      hasInput: stdin !== '',
      input: async () => stdin,
      progress: () => {},
    },
    print(text) {
      said.stdout += `${text}\n`;
      printed(text);
    },
    warn: (text) => (said.stderr += `${text}\n`),
  });
  return { code, ...said };
}

/** Runs a line over these files. */
export const runOn = (files: Files, line: string | readonly string[], options?: RunOptions): Promise<Ran> =>
  withFiles(files, () => run(line, options));

/** What a line prints with `--json`. */
// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it.
export async function json(line: string, options?: RunOptions): Promise<any> {
  const { stdout, stderr } = await run(`${line} --json`, options);
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

/** Expects a line to end with 2 and this error alone, or its beginning. */
export async function refuses(files: Files, line: string, message: string): Promise<void> {
  const { code, stdout, stderr } = await runOn(files, line);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')[0]).toContain(`error: ${message}`);
}

const BINARIES = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));
export const MAIN: string = fileURLToPath(new URL('../../../src/workbench/cli/main.ts', import.meta.url));

export interface ProcessOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Files: when all are there, the command is interrupted, as by Ctrl-C. */
  readonly interruptWhen?: readonly string[];
  /** What interrupts it. */
  readonly signals?: readonly NodeJS.Signals[];
}

/** Runs the command from its source, in a process of its own: for what a process alone has. */
export function command(
  line: string | readonly string[],
  { stdin = '', env = {}, interruptWhen = [], signals = ['SIGINT'] }: ProcessOptions = {},
): Promise<Ran> {
  const { FORCE_COLOR, NO_COLOR, CI, ...inherited } = process.env;
  const child = spawn(process.execPath, [...READ_TYPESCRIPT, MAIN, ...wordsOf(line)], {
    env: { ...inherited, PATH: `${BINARIES}${path.delimiter}${process.env['PATH']}`, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString('utf8')));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString('utf8')));
  // A command that needs no text may end before it has read it.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const waiting = setInterval(() => {
    const isReady = interruptWhen.every((file) => existsSync(file) && readFileSync(file).length > 0);
    if (!isReady || interruptWhen.length === 0) return;
    clearInterval(waiting);
    for (const [at, signal] of signals.entries()) setTimeout(() => child.kill(signal), at * 100);
  }, 100);
  child.once('close', () => clearInterval(waiting));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** The columns of the widest line. */
export function widest(text: string): number {
  const widthOf = (line: string): number => [...line].reduce((sum, one) => sum + (one >= '\u2e80' ? 2 : 1), 0);
  return Math.max(...text.split('\n').map(widthOf));
}

const schema = (properties: Readonly<Record<string, object>>, ...required: readonly string[]): object => ({
  ...{ type: 'object', properties },
  ...(required.length > 0 ? { required } : {}),
});
const text = { type: 'string' };

/** A small office, as tools/list of an MCP server returns it. */
export const office: readonly { name: string; description: string; inputSchema: object }[] = [
  {
    name: 'send_email',
    description: 'Send an email to one or more people.',
    inputSchema: schema({ to: { ...text, description: 'The address' }, subject: text }, 'to'),
  },
  { name: 'get_weather', description: 'Get the current weather of a city.', inputSchema: schema({ city: text }) },
  {
    name: 'post_message',
    description: 'Post a message to a channel of the team.',
    inputSchema: schema({ channel: text, text }),
  },
];

/** A module that exports the office, and more. */
export const officeModule = (more = ''): string => `export const tools = ${JSON.stringify(office)};\n${more}`;

/** A server on stdin that answers `tools/list` with the tools that the function `tools()` of the source returns. */
export const serverOf = (source: string): string => `
  import { createInterface } from 'node:readline';
  ${source}
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    const init = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } };
    const result = method === 'initialize' ? init : { tools: tools() };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  });`;

/** What a server answers to `tools/list`, by the cursor. */
export type Pages = (cursor: string | undefined, headers: IncomingHttpHeaders) => object | Promise<object>;

/** Gives the work the address of an MCP server in this process. */
export async function withServer<Result>(pages: Pages, work: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer(async (request, response) => {
    const { id, method, params = {} } = JSON.parse((await request.toArray()).join('') || '{}');
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const begin = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, instructions: 'Be kind.' };
    const init = { result: { ...begin, serverInfo: { name: 'paged', version: '1' } } };
    const answer = method === 'initialize' ? init : await pages(params.cursor, request.headers);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The program of an MCP server that is installed. */
export const serverFile = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
