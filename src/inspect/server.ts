import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { isLoopback, newToken, tokenGuard } from './access.ts';
import { type InspectorHandler, inspectorHandler } from './handler.ts';
import type { InspectSource } from './source.ts';

/** The only address that is listened on. */
const LOOPBACK = '127.0.0.1';
/** Timeouts in milliseconds for a whole request, and for its headers. */
const REQUEST_TIMEOUT = 10_000;
const HEADERS_TIMEOUT = 5_000;
const MAX_HEADERS = 16 * 1024;

/** Serves an inspector on the loopback, to whoever has its token. */
export async function serveInspector(
  source: InspectSource,
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const token = newToken();
  let own = 0;
  const isHost = (host: string): boolean => isLoopback(host) && !host.startsWith('[') && portOf(host) === own;
  const guard = tokenGuard(token, isHost, () => 'Open the address that was printed when the inspector was started.');
  const handler = inspectorHandler(source, guard);
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT,
      headersTimeout: HEADERS_TIMEOUT,
      maxHeaderSize: MAX_HEADERS,
      keepAliveTimeout: 5_000,
    },
    (incoming, outgoing) => void serve(incoming, outgoing, handler),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, resolve);
  });
  own = (server.address() as AddressInfo).port;
  return {
    url: `http://${LOOPBACK}:${own}/?token=${token}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

function portOf(host: string): number {
  return Number(host.split(':')[1] ?? 80);
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, handler: InspectorHandler): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    const request = requestOf(incoming, gone.signal);
    const response = request ? await handler(request) : new Response(null, { status: 404 });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  } catch {
    // The client has disconnected, or sent an invalid request.
    if (!outgoing.headersSent) outgoing.writeHead(400);
    outgoing.end();
  }
}

/** Converts a request for the handler; undefined for any path but that of the page. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  const [path, query = ''] = url.split(/\?(.*)/s);
  if (path !== '/') return undefined;
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') sent.set(name, value);
  return new Request(`http://${LOOPBACK}/?${query}`, {
    method,
    headers: sent,
    signal,
    ...(method === 'POST' ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}),
  } as RequestInit);
}
