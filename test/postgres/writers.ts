import type { PostgresPool } from '../../src/postgres/client.ts';
import { sourceSettings } from '../../src/postgres/options.ts';
import { type PostgresWriter, writerOf } from '../../src/postgres/writer.ts';
import type { Database } from './databases.ts';

/** The writing side of a source, whose tables are there. */
export async function writerIn(
  database: Database,
  table: string,
  pool: PostgresPool = database.pool,
): Promise<PostgresWriter> {
  const writer = writerOf(sourceSettings({ pool, table, toTool: () => ({ description: '', inputSchema: {} }) }));
  await writer.migrate();
  return writer;
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
