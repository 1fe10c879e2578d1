// A search service of its own: tools in SQLite, ranked by its full-text search (FTS5), behind node:http.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { json } from 'node:stream/consumers';
import type { Definition } from '../support/services.ts';

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
  stop(): Promise<void>;
}

/** Starts the service on a free port of the loopback. */
export async function startService(definitions: readonly Definition[], run: Run): Promise<SearchService> {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE VIRTUAL TABLE tools USING fts5(
    name, description, "group", parameters, definition UNINDEXED, tokenize = 'porter unicode61')`);
  const insert = database.prepare('INSERT INTO tools VALUES (?, ?, ?, ?, ?)');
  for (const definition of definitions) {
    const { name, description, group, inputSchema } = definition;
    insert.run(name, description, group, JSON.stringify(inputSchema.required), JSON.stringify(definition));
  }
  const columns = 'name, description, "group", parameters';
  const all = (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).all(...values);
  const candidates = (sql: string, ...values: SQLInputValue[]) =>
    all(sql, ...values).map((row) => ({ ...row, parameters: JSON.parse(String(row['parameters'])) as string[] }));

  const questions: Record<string, (question: Question) => unknown> = {
    search({ keywords, required, limit }) {
      // The name counts most.
      const rank = 'bm25(tools, 3, 1, 2, 0.5)';
      const words = match(keywords, required);
      if (words === '') return [];
      return candidates(
        `SELECT ${columns}, -${rank} AS score FROM tools WHERE tools MATCH ? ORDER BY ${rank}, name LIMIT ?`,
        ...[words, limit],
      );
    },
    list: ({ prefix, group, limit }) =>
      candidates(
        `SELECT ${columns}, 0 AS score FROM tools
         WHERE substr(name, 1, length(?1)) = ?1 AND lower(coalesce(?2, "group")) = lower("group") ORDER BY name LIMIT ?3`,
        ...[prefix ?? '', group ?? null, limit],
      ),
    definitions: ({ names }) =>
      all('SELECT definition FROM tools WHERE name IN (SELECT value FROM json_each(?))', JSON.stringify(names)).map(
        ({ definition }) => JSON.parse(String(definition)) as unknown,
      ),
    run: ({ name, input }) => run(name, input),
  };

  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const question = (request.url ?? '').slice(1);
    asked.push(question);
    try {
      const answer = questions[question]?.((await json(request)) as Question);
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
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      database.close();
    },
  };
}

/** FTS5's query: any of the words, and each one that is required. */
function match(keywords: readonly string[], required: readonly string[]): string {
  const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`;
  if (keywords.length === 0) return '';
  return [`(${keywords.map(quoted).join(' OR ')})`, ...required.map(quoted)].join(' AND ');
}
