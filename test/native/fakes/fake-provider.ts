import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeProvider, notFound } from './fake-wire.ts';

export * from './fake-anthropic.ts';
export { blocksOf, changesIn, offeredBy, references } from './fake-anthropic-rules.ts';
export * from './fake-openai.ts';
export { additionsIn, openaiFunctions } from './fake-openai-rules.ts';
export type { FakeError, FakeProvider } from './fake-wire.ts';

type Fake = Pick<FakeProvider<never>, 'fetch'>;

export interface Listening {
  /** Without a path: `http://127.0.0.1:<port>`. The provider packages want `${url}/v1` as their base URL. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a fake over HTTP, for whoever takes no `fetch`, such as another process. */
export async function listen(fake: Pick<FakeProvider<unknown>, 'fetch'>): Promise<Listening> {
  const server = createServer((request, response) => {
    serve(fake, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done, fail) => server.close((error) => (error ? fail(error) : done())));
    },
  };
}

async function serve(fake: Fake, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const method = request.method ?? 'GET';
  const answer = await fake.fetch(`http://${request.headers.host}${request.url}`, {
    method,
    headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ...(method === 'POST' && { body: Buffer.concat(pieces) }),
  });
  // A connection that is kept is closed after a while, and a request that is sent just then is reset.
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), connection: 'close' });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/** By host name: `{ 'openrouter.ai': fakeOpenAI(…) }`. */
export type Routes = Readonly<Record<string, Fake>>;

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'MASTRA_GATEWAY_API_KEY'];
const UNSET = ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'OPENROUTER_BASE_URL', 'MASTRA_GATEWAY_URL'];

let keys = 0;
/** The last that runs, or waits. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs something with Mastra's model strings (`'anthropic/claude-sonnet-4-5'`) leading to fakes.
 *
 * Such a model takes neither a `fetch` nor, once it is cached, another base URL, so the global `fetch` and the keys in
 * the environment are replaced meanwhile: one runs after the other.
 */
export function withRouter<Result>(routes: Routes, run: () => Promise<Result>): Promise<Result> {
  const result = last.then(() => runRouted(routes, run));
  last = result.catch(() => {});
  return result;
}

async function runRouted<Result>(routes: Routes, run: () => Promise<Result>): Promise<Result> {
  const before = globalThis.fetch;
  const environment = [...KEYS, ...UNSET].map((name) => [name, process.env[name]] as const);
  keys += 1;
  // A key of its own for each, since Mastra caches the providers' models by their keys.
  for (const name of KEYS) process.env[name] = `fake-key-${keys}`;
  for (const name of UNSET) delete process.env[name];
  globalThis.fetch = async (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    const fake = routes[hostname];
    if (fake !== undefined) return fake.fetch(input, init);
    // Servers that the test started itself. Nothing else is asked: tests work without a network.
    return hostname === '127.0.0.1' || hostname === 'localhost' ? before(input, init) : notFound(hostname);
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = before;
    for (const [name, value] of environment) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
