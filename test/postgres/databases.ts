import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { ToolDocument, ToolQuery } from 'mastra-tool-search';
import {
  type PostgresEmbedOptions,
  type PostgresPool,
  type PostgresSource,
  type PostgresSourceOptions,
  postgresSource,
  type ToolDefinition,
} from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { bagOfWords } from '../semantic/embeddings/embedders.ts';
import { tool } from '../support/agent.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.ts';

/** A database of the suite around it. */
export interface Database {
  /** What a source is given. */
  readonly pool: PostgresPool;
  /** A pool of its own, as another process has; of PGlite, which is one session, the same. */
  another(): PostgresPool;
  /** Where other processes find it: of a server alone. */
  readonly url: string;
  /** Looks past the source, and writes as others do. Statements without values may be several. */
  rows(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** The name of tables that no other test has. */
  freshTable(): string;
  /** A source, by default over fresh tables, which nobody has made yet. */
  source(options?: Partial<PostgresSourceOptions>): TableSource;
  /** A source whose tables are there. */
  migrated(options?: Partial<PostgresSourceOptions>): Promise<TableSource>;
}

/** A source, and the name of its tables. */
export interface TableSource extends PostgresSource {
  readonly table: string;
}

export const TOOLS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'send_mail', description: 'Sends a mail.' },
  { name: 'read_mail', description: 'Reads a mail.' },
];

/** What migrate() is refused with where something else has the name of a table. */
export const refusal: object = {
  code: 'storage-unavailable',
  message: expect.stringMatching(/ that postgresSource\(\) needs, .*Nothing was changed\. Rename .* "table"\.$/s),
};

export const toTool: PostgresSourceOptions['toTool'] = ({ name, description, group }) => ({
  ...tool(name, description),
  ...(group ? { mcpMetadata: { serverName: group } } : {}),
});

export const byWords: PostgresEmbedOptions = {
  embed: (texts) => texts.map(bagOfWords),
  model: 'bag-of-words',
  minSimilarity: 0,
};

/** A query of plain words; a `+` marks one that is required. */
export function queryOf(text: string): ToolQuery {
  const words = text.split(' ');
  const required = words.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
  return { text, keywords: words.map((word) => word.replace('+', '')), required };
}

/** The tenant of a request, where it stands in its context. */
export const tenantOfContext: NonNullable<PostgresSourceOptions['tenant']> = ({ requestContext }) =>
  requestContext?.get('tenant') as string;

/** The definition that is read as the document. */
export function definitionOf({ name, description, title, server, keywords, parameters }: ToolDocument): ToolDefinition {
  const properties = parameters.map(({ name: key, description: about, values }) => [
    key,
    { type: 'string', description: about, ...(values.length > 0 ? { enum: values } : {}) },
  ]);
  return {
    ...{ name, description, keywords, inputSchema: { type: 'object', properties: Object.fromEntries(properties) } },
    ...(title === '' ? {} : { title }),
    ...(server === '' ? {} : { group: server }),
  };
}

let tables = 0;

function databaseOf(opened: Pick<Database, 'pool' | 'another' | 'url' | 'rows'>): Database {
  const freshTable = (): string => `tools_${++tables}`;
  const source = (options: Partial<PostgresSourceOptions> = {}): TableSource => {
    const { table = freshTable() } = options;
    return Object.assign(postgresSource({ pool: opened.pool, toTool, ...options, table }), { table });
  };
  const migrated = async (options?: Partial<PostgresSourceOptions>): Promise<TableSource> => {
    const made = source(options);
    await made.migrate();
    return made;
  };
  return Object.assign(opened, { freshTable, source, migrated });
}

/** PGlite with pgvector, for the suite around it. */
export function pgliteDatabase(): Database {
  let database: PGlite;
  beforeAll(async () => {
    database = await PGlite.create({ extensions: { vector } });
  });
  afterAll(() => database?.close());
  return databaseOf({
    get pool() {
      return database;
    },
    another: () => database,
    url: '',
    rows: async (text, values) =>
      (values ? await database.query(text, values) : (await database.exec(text)).at(-1))?.rows as never,
  });
}

/** PostgreSQL where it is installed, for the suite around it; else PGlite. */
export function mainDatabase(): Database {
  if (noPostgres) return pgliteDatabase();
  let server: PostgresServer;
  const pools: Pool[] = [];
  const another = (): Pool => {
    const pool = new Pool({ connectionString: server.url, max: 4 });
    // Sessions that wait in the pool end with the server.
    pool.on('error', () => {});
    pools.push(pool);
    return pool;
  };
  beforeAll(async () => {
    server = await startPostgres();
    another();
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await server?.stop();
  });
  return databaseOf({
    get pool() {
      return pools[0] as Pool;
    },
    another,
    get url() {
      return server.url;
    },
    rows: async (text, values) => [await pools[0]?.query(text, values)].flat().at(-1)?.rows ?? [],
  });
}

/** Where what the triggers have counted is not what the tools themselves say. */
export async function miscounted({ rows }: Database, table: string): Promise<unknown[]> {
  const difference = (kept: string, counted: string) =>
    rows(`(${kept} EXCEPT ${counted}) UNION ALL (${counted} EXCEPT ${kept})`);
  const sums = Array.from({ length: 8 }, (_, at) => `sum(lengths[${at + 1}])`).join();
  const words = await difference(
    `SELECT tenant, word, documents FROM ${table}_words`,
    `SELECT tenant, word, count(*) FROM ${table}, unnest(tsvector_to_array(words)) AS word GROUP BY 1, 2`,
  );
  const tenants = await difference(
    `SELECT tenant, documents, lengths FROM ${table}_tenants`,
    `SELECT tenant, count(*), ARRAY[${sums}]::bigint[] FROM ${table} GROUP BY 1`,
  );
  return [...words, ...tenants];
}

/** All that a source has written, in one form for equal content. */
export async function contentsOf({ rows }: Database, table: string): Promise<Record<string, unknown>[][]> {
  return [
    await rows(`SELECT tenant, name, hash, server, spelling, definition, document, lengths, words::text AS words
      FROM ${table} ORDER BY tenant, name`),
    await rows(`SELECT tenant, word, documents::int FROM ${table}_words ORDER BY tenant, word`),
    await rows(`SELECT tenant, documents::int, lengths::text AS lengths FROM ${table}_tenants ORDER BY tenant`),
  ];
}
