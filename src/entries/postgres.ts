/**
 * A catalog in PostgreSQL, for one that is too large for the memory of every process.
 *
 * @module mastra-tool-search/postgres
 */

export type {
  PostgresPool,
  PostgresPooledSession,
  PostgresResult,
  PostgresSession,
} from '../sources/postgres/client.ts';
export type { PostgresEmbedOptions } from '../sources/postgres/embed-options.ts';
export type { PostgresMigration } from '../sources/postgres/migrate.ts';
export type { PostgresSourceOptions } from '../sources/postgres/options.ts';
export { type PostgresSource, postgresSource } from '../sources/postgres/postgres-source.ts';
export type { StoredTool, ToolDefinition } from '../sources/postgres/stored-tool.ts';
export type { SyncProblem, SyncProgress, SyncResult } from '../sources/postgres/sync.ts';
export type { PostgresWriter, SyncedTool, SyncedTools, SyncOptions } from '../sources/postgres/writer.ts';
