import { type PostgresPool, type PostgresSource, postgresSource } from 'mastra-tool-search/postgres';
import type { Database } from './databases.ts';

/** A source whose tables are there. */
export async function writerIn(
  database: Database,
  table: string,
  pool: PostgresPool = database.pool,
): Promise<PostgresSource> {
  const source = postgresSource({ pool, table, toTool: () => ({ description: '', inputSchema: {} }) });
  await source.migrate();
  return source;
}

/** All that the source has written, in one form for equal content. */
export async function contentsOf({ rows }: Database, table: string): Promise<unknown> {
  const tools =
    await rows(`SELECT tenant, name, hash, server, spelling, definition, document, lengths, words::text AS words
    FROM ${table} ORDER BY tenant, name`);
  const words = await rows(`SELECT tenant, word, documents::int FROM ${table}_words ORDER BY tenant, word`);
  const tenants = await rows(
    `SELECT tenant, documents::int, lengths::text AS lengths FROM ${table}_tenants ORDER BY tenant`,
  );
  return { tools, words, tenants };
}
