import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import { ended } from '../../../kit.ts';
import { NAME, versionOf } from '../command.ts';
import type { ServerInfo } from './definition.ts';
import type { Server } from './mcp-config.ts';

/** The tools that a server lists. */
export interface ServerTools {
  readonly server: ServerInfo;
  readonly tools: readonly unknown[];
  /** Why there may be more tools than these. */
  readonly cut?: string;
}

/** Pages of one list: a server that always has one more is left. */
const MAX_PAGES = 1_000;
/** Characters that are kept of what a server says of itself. */
const MAX_SAID = 2_000;

/** A page of tools/list, whatever a tool looks like: one that is odd does not cost the others. */
const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Asks a server for its tools, and leaves it.
 *
 * @param milliseconds - for the server to start, and for its whole list.
 * @throws what went wrong, with the last that the server said.
 */
export async function listServerTools(server: Server, milliseconds: number): Promise<ServerTools> {
  const transports = transportsOf(server);
  let failure: unknown;
  for (const open of transports) {
    const { transport, said } = open();
    try {
      return await inOneConnection(transport, server.name, milliseconds);
    } catch (error) {
      const message = messageOf(error);
      const words = said();
      // The first way is the usual one, so that its failure says more.
      failure ??= new Error(words === '' ? message : `${ended(message)} It said: ${words}`, { cause: error });
    }
  }
  throw failure;
}

async function inOneConnection(
  transport: Transport,
  name: string | undefined,
  milliseconds: number,
): Promise<ServerTools> {
  const client = new Client({ name: NAME, version: versionOf() }, { capabilities: {} });
  try {
    await client.connect(transport, { timeout: milliseconds });
    const listed = await listPages(client, milliseconds);
    const serverInstructions = client.getInstructions();
    const serverName = name ?? client.getServerVersion()?.name ?? '';
    return { ...listed, server: { serverName, ...(serverInstructions === undefined ? {} : { serverInstructions }) } };
  } finally {
    await client.close().catch(() => {});
    // The command exits when its servers have ended, and says nothing more of them.
    if (isBrokenOff()) await new Promise(() => {});
  }
}

/** The pages of a list, all of them within the time. A first page that fails is an error, a later one the end. */
async function listPages(client: Client, milliseconds: number): Promise<Omit<ServerTools, 'server'>> {
  const end = performance.now() + milliseconds;
  const pages: (readonly unknown[])[] = [];
  const late = `its pages take longer than ${milliseconds / 1_000} s`;
  const cursors = new Set<string>();
  let cursor: string | undefined;
  const listed = (cut?: string): Omit<ServerTools, 'server'> => ({
    tools: pages.flat(),
    ...(cut === undefined ? {} : { cut }),
  });
  for (;;) {
    const params = cursor === undefined ? {} : { cursor };
    const timeout = Math.max(1, Math.ceil(end - performance.now()));
    try {
      const page = await client.request({ method: 'tools/list', params }, PAGE as never, { timeout });
      const { tools, nextCursor } = page as z.infer<typeof PAGE>;
      pages.push(tools);
      cursor = nextCursor;
    } catch (error) {
      if (pages.length === 0) throw error;
      return listed(performance.now() >= end ? late : messageOf(error));
    }
    if (cursor === undefined) return listed();
    if (cursors.has(cursor)) return listed('it gives the same cursor again');
    if (pages.length === MAX_PAGES) return listed(`it has more than ${MAX_PAGES} pages`);
    if (performance.now() >= end) return listed(late);
    cursors.add(cursor);
  }
}

/** The ways to a server, in the order in which they are tried, each with the last that it said. */
function transportsOf(server: Server): readonly (() => { transport: Transport; said: () => string })[] {
  if ('command' in server) {
    const { command, args, env, cwd } = server;
    return [
      () => {
        const transport = new StdioClientTransport({
          ...{ command, args: [...args], env: { ...getDefaultEnvironment(), ...env }, stderr: 'pipe' },
          ...(cwd === undefined ? {} : { cwd }),
        });
        endWithCommand(transport);
        let said = '';
        transport.stderr?.on('data', (data: Buffer) => {
          said = `${said}${data.toString('utf8')}`.slice(-MAX_SAID);
        });
        return { transport, said: () => said.trim() };
      },
    ];
  }
  const { headers, isSse } = server;
  const url = new URL(server.url);
  const silent = (transport: unknown): { transport: Transport; said: () => string } => ({
    transport: transport as Transport,
    said: () => '',
  });
  const requestInit = { headers: { ...headers } };
  const http = () => silent(new StreamableHTTPClientTransport(url, { requestInit }));
  const sse = () => silent(new SSEClientTransport(url, { requestInit }));
  // As the protocol wants it, the older way is tried second.
  return isSse ? [sse] : [http, sse];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Milliseconds that servers have to end by themselves when the command is broken off. */
const PATIENCE = 1_000;
/** The signals that break a command off, with the exit code that a shell expects of each. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The servers that run, by their process ids. */
const running = new Map<number, StdioClientTransport>();
/** The exit code of a command that is broken off. */
let code: number | undefined;

/** Sees to it that a server does not outlive the command, however that ends. To be called before the server starts. */
export function endWithCommand(transport: StdioClientTransport): void {
  const start = transport.start.bind(transport);
  transport.start = () => {
    const started = start();
    const { pid } = transport;
    if (pid === null) return started;
    if (running.size === 0) listen();
    running.set(pid, transport);
    transport.onclose = behind(() => left(pid), transport.onclose);
    return started;
  };
}

/** Whether the command is broken off. What servers say from then on is of no interest. */
export function isBrokenOff(): boolean {
  return code !== undefined;
}

function behind(first: () => void, then: (() => void) | undefined): () => void {
  return () => {
    first();
    then?.();
  };
}

function listen(): void {
  for (const signal of Object.keys(CODES)) process.on(signal, breakOff);
  process.on('exit', killAll);
}

function left(pid: number): void {
  running.delete(pid);
  if (running.size > 0) return;
  if (code !== undefined) process.exit(code);
  for (const signal of Object.keys(CODES)) process.removeListener(signal, breakOff);
  process.removeListener('exit', killAll);
}

/** Asks all servers to end. Those that do not are killed after a while, and at once when the signal is repeated. */
function breakOff(signal: keyof typeof CODES): void {
  if (code !== undefined) process.exit(code);
  code = CODES[signal];
  const exitCode = code;
  for (const [pid, transport] of running) {
    void transport.close().catch(() => {});
    kill(pid, 'SIGTERM');
  }
  setTimeout(() => process.exit(exitCode), PATIENCE);
}

/** Nothing can be waited for when a process exits. */
function killAll(): void {
  for (const pid of running.keys()) kill(pid, 'SIGKILL');
  if (code !== undefined) process.exitCode = code;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
