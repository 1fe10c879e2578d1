// A search service of its own, behind node:http: it searches tools, describes them, and runs them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Definition } from '../support/services.ts';
import { ToolSearch } from './tool-search.ts';

type Run = (name: string, input: Readonly<Record<string, unknown>>) => unknown;
/** What any of the questions has. */
interface Question {
  readonly keywords: readonly string[];
  readonly required: readonly string[];
  readonly names: readonly string[];
  readonly limit: number;
  readonly prefix?: string;
  readonly group?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface SearchService {
  readonly url: string;
  /** What it was asked, in order. */
  readonly asked: readonly string[];
  /** Replaces its tools. */
  fill(definitions: readonly Definition[]): void;
  stop(): Promise<void>;
}

/** Starts the service on a free port of the loopback. */
export async function startService(definitions: readonly Definition[], run: Run): Promise<SearchService> {
  const tools = new ToolSearch(definitions);
  const questions = new Map<string, (question: Question) => unknown>([
    ['search', ({ keywords, required, limit }) => tools.search(keywords, required, limit)],
    [
      'list',
      ({ prefix = '', group, limit }) =>
        group === undefined ? tools.withPrefix(prefix, limit) : tools.inGroup(group, limit),
    ],
    ['definitions', ({ names }) => tools.definitions(names)],
    ['run', ({ name, input }) => run(name, input)],
  ]);

  const asked: string[] = [];
  // A connection that waits stays open: a client may be about to use it.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const question = (request.url ?? '').slice(1);
    asked.push(question);
    try {
      const answer = questions.get(question)?.((await json(request)) as Question);
      if (answer === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    } catch {
      response.writeHead(500).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fill: (others) => tools.fill(others),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      tools.close();
    },
  };
}
