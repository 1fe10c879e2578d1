import { PGlite } from '@electric-sql/pglite';
import type { MastraTool, ToolSource } from 'mastra-tool-search';
import { postgresSource } from 'mastra-tool-search/postgres';
import { Pool } from 'pg';
import { noPostgres, startPostgres } from '../../test/support/postgres-server.ts';

/** Where a catalog lies, when it is not in the process. */
export interface Outside {
  readonly source: ToolSource;
  /** What it is, in a few words. */
  readonly told: string;
  stop(): Promise<void>;
}

/** Puts the tools into PostgreSQL: a server where one is installed, else PGlite, which is PostgreSQL in this process. */
export async function inPostgres(tools: Readonly<Record<string, MastraTool>>): Promise<Outside> {
  const { pool, name, stop } = await database();
  // Names, definitions and words are in the database; what runs a tool cannot be.
  const source = postgresSource({ pool, toTool: ({ name }) => tools[name] as MastraTool });
  try {
    await source.migrate();
    const { added } = await source.sync(tools);
    return { source, told: `${added} tools are in ${name}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function database(): Promise<{ pool: Pool | PGlite; name: string; stop(): Promise<void> }> {
  if (noPostgres) {
    const pool = await PGlite.create();
    return { pool, name: 'PGlite', stop: () => pool.close() };
  }
  const server = await startPostgres();
  const pool = new Pool({ connectionString: server.url });
  const stop = async (): Promise<void> => {
    await pool.end();
    await server.stop();
  };
  return { pool, name: 'PostgreSQL', stop };
}
