import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import { messageOf } from '../../../errors.ts';
import { ended } from '../../../util/text.ts';
import { NAME, packageVersion } from '../command.ts';
import type { ServerInfo } from './json.ts';
import type { Server } from './mcp-config.ts';

export interface ServerTools {
  readonly server: ServerInfo;
  readonly tools: readonly unknown[];
  /** Why the list may be incomplete. */
  readonly cut?: string;
}

/** Limit of pages of one list, because a server may never end it. */
const MAX_PAGES = 1_000;
/** Limit of characters kept of a server's stderr. */
const MAX_SAID = 2_000;

/** A page of tools/list. Tools are not validated, so that an invalid one does not fail the others. */
const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Lists the tools of a server, and disconnects.
 *
 * @param milliseconds - time limit for the start of the server and for its whole list.
 * @throws an error of the connection, with the server's last output.
 */
export async function listServerTools(server: Server, milliseconds: number): Promise<ServerTools> {
  let said = '';
  let failure: unknown;
  for (const open of waysTo(server, (text) => (said = `${said}${text}`.slice(-MAX_SAID)))) {
    try {
      return await inOneConnection(open(), server.name, milliseconds);
    } catch (error) {
      const message = messageOf(error);
      const words = said.trim();
      // Only the first transport's failure is reported: it is the usual transport.
      failure ??= new Error(words === '' ? message : `${ended(message)} It said: ${words}`, { cause: error });
    }
  }
  throw failure;
}

/** A connected server whose tools can be called. */
export interface OpenServer extends ServerTools {
  call(name: string, args: object, signal: AbortSignal | undefined): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Lists the tools of a server, and stays connected.
 *
 * @throws the error of the first transport.
 */
export async function openServer(server: Server, milliseconds: number): Promise<OpenServer> {
  let failure: unknown;
  for (const open of waysTo(server, () => {})) {
    const client = new Client({ name: NAME, version: packageVersion() }, { capabilities: {} });
    try {
      await client.connect(open(), { timeout: milliseconds });
      const listed = await listPages(client, milliseconds);
      const serverName = server.name ?? client.getServerVersion()?.name ?? '';
      return {
        ...listed,
        server: { serverName },
        close: () => client.close(),
        call: (name, args, signal) =>
          client.callTool({ name, arguments: args as never }, undefined, signal ? { signal } : {}),
      };
    } catch (error) {
      failure ??= error;
      await client.close().catch(() => {});
    }
  }
  throw failure;
}

/** The transports to a server, in the order in which they are tried. */
function waysTo(server: Server, say: (text: string) => void): readonly (() => Transport)[] {
  if ('command' in server) {
    const { command, args, env, cwd } = server;
    return [
      () => {
        const transport = new StdioClientTransport({
          ...{ command, args: [...args], env: { ...getDefaultEnvironment(), ...env }, stderr: 'pipe' },
          ...(cwd === undefined ? {} : { cwd }),
        });
        endWithCommand(transport);
        transport.stderr?.on('data', (data: Buffer) => say(data.toString('utf8')));
        return transport;
      },
    ];
  }
  const url = new URL(server.url);
  const requestInit = { headers: { ...server.headers } };
  const http = () => new StreamableHTTPClientTransport(url, { requestInit }) as Transport;
  const sse = () => new SSEClientTransport(url, { requestInit });
  // The protocol recommends to try the older transport (SSE) second.
  return server.isSse ? [sse] : [http, sse];
}

async function inOneConnection(
  transport: Transport,
  name: string | undefined,
  milliseconds: number,
): Promise<ServerTools> {
  const client = new Client({ name: NAME, version: packageVersion() }, { capabilities: {} });
  try {
    await client.connect(transport, { timeout: milliseconds });
    const listed = await listPages(client, milliseconds);
    const serverInstructions = client.getInstructions();
    const serverName = name ?? client.getServerVersion()?.name ?? '';
    return { ...listed, server: { serverName, ...(serverInstructions === undefined ? {} : { serverInstructions }) } };
  } finally {
    await client.close().catch(() => {});
    // An interrupted command exits when its servers have ended, and reports no errors of theirs.
    if (code !== undefined) await new Promise(() => {});
  }
}

/** Reads the pages of a list within the time limit. If the first page fails, it throws; a later failure ends the list. */
async function listPages(client: Client, milliseconds: number): Promise<Omit<ServerTools, 'server'>> {
  const end = performance.now() + milliseconds;
  const late = `its pages take longer than ${milliseconds / 1_000} s`;
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const;
    const timeout = Math.max(1, Math.ceil(end - performance.now()));
    try {
      const page: z.infer<typeof PAGE> = await client.request(request, PAGE as never, { timeout });
      for (const tool of page.tools) tools.push(tool);
      cursor = page.nextCursor;
    } catch (error) {
      if (pages === 1) throw error;
      return { tools, cut: performance.now() >= end ? late : messageOf(error) };
    }
    if (cursor === undefined) return { tools };
    if (cursors.has(cursor)) return { tools, cut: 'it gives the same cursor again' };
    if (pages === MAX_PAGES) return { tools, cut: `it has more than ${MAX_PAGES} pages` };
    if (performance.now() >= end) return { tools, cut: late };
    cursors.add(cursor);
  }
}

const PATIENCE = 1_000;
/** The signals that interrupt a command, with the exit code that a shell expects of each. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const running = new Map<number, StdioClientTransport>();
let code: number | undefined;

/** Ends a server with the command, however the command ends. Call it before the server starts. */
function endWithCommand(transport: StdioClientTransport): void {
  const start = transport.start.bind(transport);
  transport.start = () => {
    const started = start();
    const { pid } = transport;
    if (pid === null) return started;
    if (running.size === 0) listen();
    running.set(pid, transport);
    const { onclose } = transport;
    transport.onclose = () => {
      left(pid);
      onclose?.();
    };
    return started;
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

/** Asks all servers to end; kills those that do not after a while, or at once if the signal is repeated. */
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

/** Kills all servers, because an exiting process cannot wait for them. */
function killAll(): void {
  for (const pid of running.keys()) kill(pid, 'SIGKILL');
  if (code !== undefined) process.exitCode = code;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}
