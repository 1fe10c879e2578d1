/**
 * A catalog in PostgreSQL, if the catalog is too large for the memory of every process.
 *
 * @module mastra-tool-search/postgres
 */

export type {
  PostgresPool,
  PostgresPooledSession,
  PostgresResult,
  PostgresSession,
} from '../postgres/client.ts';
export type { PostgresMigration } from '../postgres/migrate.ts';
export type { PostgresEmbedOptions, PostgresSourceOptions } from '../postgres/options.ts';
export { type PostgresSource, type PostgresWriter, postgresSource } from '../postgres/postgres-source.ts';
export type {
  SyncedTool,
  SyncedTools,
  SyncOptions,
  SyncProblem,
  SyncProgress,
  SyncResult,
} from '../postgres/sync.ts';
export type { StoredTool, ToolDefinition } from '../postgres/tools.ts';
