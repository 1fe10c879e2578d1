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
} from '../postgres/client.ts';
export type { PostgresEmbedOptions } from '../postgres/embed-options.ts';
export type { PostgresMigration } from '../postgres/migrate.ts';
export type { PostgresSourceOptions } from '../postgres/options.ts';
export { type PostgresSource, postgresSource } from '../postgres/postgres-source.ts';
export type { StoredTool, ToolDefinition } from '../postgres/stored-tool.ts';
export type { SyncProblem, SyncProgress, SyncResult } from '../postgres/sync.ts';
export type { PostgresWriter, SyncedTool, SyncedTools, SyncOptions } from '../postgres/writer.ts';
