import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import { NAME, versionOf } from '../version.ts';
import type { ServerInfo } from './definition.ts';
import type { Server } from './mcp-config.ts';

/** The tools that a server lists. */
export interface ServerTools {
  readonly server: ServerInfo;
  readonly tools: readonly unknown[];
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
 * @param milliseconds - for the server to start, and for each answer.
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
      const message = error instanceof Error ? error.message : String(error);
      const words = said();
      // The first way is the usual one, so that its failure says more.
      failure ??= new Error(words === '' ? message : `${message}. It said: ${words}`, { cause: error });
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
  const close = (): Promise<void> => client.close().catch(() => {});
  // A server must not outlive a command that is broken off.
  const quit = (): void => void close().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, quit);
  try {
    await client.connect(transport, { timeout: milliseconds });
    const tools: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: 'tools/list', params }, PAGE as never, { timeout: milliseconds });
      const { tools: more, nextCursor } = page as z.infer<typeof PAGE>;
      tools.push(...more);
      cursor = nextCursor !== undefined && !cursors.has(nextCursor) ? nextCursor : undefined;
      if (cursor !== undefined) cursors.add(cursor);
    } while (cursor !== undefined && cursors.size < MAX_PAGES);
    const serverInstructions = client.getInstructions();
    const serverName = name ?? client.getServerVersion()?.name ?? '';
    return { tools, server: { serverName, ...(serverInstructions === undefined ? {} : { serverInstructions }) } };
  } finally {
    await close();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeListener(signal, quit);
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
