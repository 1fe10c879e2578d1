import { ToolSearchError } from '../kit.ts';
import type { Tables } from './tables.ts';

/** PostgreSQL's codes for a table, a schema and a column that are not there. */
const NOT_THERE: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42703']);

/** A fault of the database, with its remedy where it is that nobody migrated. */
export function withRemedy(error: unknown, { tools }: Tables): unknown {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (!NOT_THERE.has(code)) return error;
  return new ToolSearchError(
    'storage-unavailable',
    `The tables of ${tools} are not there, or are those of an older release. Call \`await source.migrate()\` once, e.g. when you deploy.`,
    { cause: error },
  );
}
