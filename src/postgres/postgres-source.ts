import type { ToolSource } from '../kit.ts';
import { type PostgresSourceOptions, sourceSettings } from './options.ts';
import { readerOf } from './reader.ts';
import { type PostgresWriter, writerOf } from './writer.ts';

/**
 * Tools in PostgreSQL: what `tools` of the processor takes, and what fills the tables.
 *
 * @example
 * ```ts
 * const fill = async (source: PostgresSource) => {
 *   await source.migrate();
 *   console.log(await source.sync([{ name: 'get_weather', description: 'The weather of a city.' }]));
 * };
 * ```
 */
export interface PostgresSource extends ToolSource, PostgresWriter {}

/**
 * Keeps a catalog in PostgreSQL, for one that is too large for the memory of every process: a million tools, or those of
 * ten thousand tenants. A search reads the figures of its words and some hundred candidates, and ranks them here, as
 * `bm25Scorer()` would rank them among all.
 *
 * PostgreSQL 14 or later, or PGlite; no extension unless there is `embed`, which needs pgvector. Nothing happens before a search: the tables are made by `migrate()`
 * and filled by `sync()`, which belong into a deployment.
 *
 * @throws ToolSearchError `invalid-option`
 *
 * @example
 * ```ts
 * import { postgresSource } from 'mastra-tool-search/postgres';
 * import { Pool } from 'pg';
 *
 * const source = postgresSource({
 *   pool: new Pool({ connectionString: 'postgres://localhost/tools' }),
 *   tenant: ({ requestContext }) => requestContext?.get('tenant') as string,
 *   toTool: ({ name, description, inputSchema, metadata }) => ({
 *     description,
 *     inputSchema,
 *     execute: async (input: unknown) => {
 *       const response = await fetch(`${metadata?.['url']}/${name}`, { method: 'POST', body: JSON.stringify(input) });
 *       return response.json();
 *     },
 *   }),
 * });
 * new ToolSearchProcessor({ tools: source });
 * ```
 */
export function postgresSource(options: PostgresSourceOptions): PostgresSource {
  const settings = sourceSettings(options);
  const { search, get, list, forget } = readerOf(settings);
  const { migrate, sync, remove } = writerOf(settings);
  /** What this process changes, it finds at once. */
  const thenForget = async <Result>(change: Promise<Result>): Promise<Result> => {
    try {
      return await change;
    } finally {
      forget();
    }
  };
  return {
    name: 'postgres',
    ...{ search, get, list, migrate },
    sync: (...given) => thenForget(sync(...given)),
    remove: (...given) => thenForget(remove(...given)),
  };
}
