import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { type Call, type CommandOptions, Values } from '../../../src/workbench/cli/command.ts';
import { runCommandLine } from '../../../src/workbench/cli/command-line.ts';
import type { Terminal } from '../../../src/workbench/cli/terminal.ts';
import { READ_TYPESCRIPT } from '../../support/new-process.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Files: when all are there, the command is interrupted, as by Ctrl-C. */
  readonly interruptWhen?: readonly string[];
  /** What interrupts it. */
  readonly signals?: readonly NodeJS.Signals[];
}

const MAIN = fileURLToPath(new URL('../../../src/workbench/cli/main.ts', import.meta.url));
const BINARIES = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));

/** Runs the command from its source, in a process of its own. */
export function command(
  args: readonly string[],
  { cwd, stdin = '', env = {}, interruptWhen = [], signals = ['SIGINT'] }: RunOptions = {},
): Promise<Ran> {
  const { FORCE_COLOR, NO_COLOR, CI, ...inherited } = process.env;
  const child = spawn(process.execPath, [...READ_TYPESCRIPT, MAIN, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
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

/** A terminal without colours that keeps what is written to it. */
export function keptTerminal(stdin = ''): Terminal & { readonly said: { stdout: string; stderr: string } } {
  const said = { stdout: '', stderr: '' };
  return {
    ...{ said, columns: 80, hasInput: stdin !== '', input: async () => stdin, progress: () => {} },
    colors: pc.createColors(false),
    print(text) {
      said.stdout += `${text}\n`;
    },
    warn(text) {
      said.stderr += `${text}\n`;
    },
  };
}

/** What a command is called with. */
export function callOf(args: readonly string[], options: CommandOptions): Omit<Call, 'terminal'> {
  const types = Object.entries(options).map(([name, { hint }]) => {
    return [name, { type: hint === undefined ? 'boolean' : 'string', multiple: true }] as const;
  });
  const parsed = parseArgs({ args: [...args], options: Object.fromEntries(types), allowPositionals: true });
  const texts = Object.entries(parsed.values).map(([name, list = []]) => [name, [list].flat().map(String)] as const);
  return { positionals: parsed.positionals, values: new Values(new Map(texts)) };
}

/** Runs the command in this process, which takes less time. */
export async function inProcess(
  args: readonly string[],
  stdin = '',
  printed: (text: string) => void = () => {},
): Promise<Ran> {
  const terminal = keptTerminal(stdin);
  const print = (text: string): void => {
    terminal.print(text);
    printed(text);
  };
  const code = await runCommandLine(args, { ...terminal, print });
  return { code, ...terminal.said };
}

/** Gives the work a folder with these files, and removes it behind it. */
export async function withFiles<Result>(
  files: Readonly<Record<string, unknown>>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'command-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a command said of files in a folder, as if it had been run there. */
export function runIn(folder: string, ran: Ran): Ran {
  const short = (text: string): string => text.replaceAll(`${folder}${path.sep}`, '');
  return { ...ran, stdout: short(ran.stdout), stderr: short(ran.stderr) };
}

/** The columns of the widest line. */
export function widest(text: string): number {
  const widthOf = (line: string): number => [...line].reduce((sum, one) => sum + (one >= '\u2e80' ? 2 : 1), 0);
  return Math.max(...text.split('\n').map(widthOf));
}

/** A small office, as tools/list of an MCP server returns it. */
export const office: readonly { name: string; description: string; inputSchema: object }[] = [
  {
    name: 'send_email',
    description: 'Send an email to one or more people.',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string', description: 'The address' }, subject: { type: 'string' } },
      required: ['to'],
    },
  },
  {
    name: 'get_weather',
    description: 'Get the current weather of a city.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  },
  {
    name: 'post_message',
    description: 'Post a message to a channel of the team.',
    inputSchema: { type: 'object', properties: { channel: { type: 'string' }, text: { type: 'string' } } },
  },
];
