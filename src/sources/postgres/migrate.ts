import { ToolSearchError } from '../../errors.ts';
import type { PostgresSession } from './client.ts';
import { STEPS, VERSION } from './schema.ts';
import type { Tables } from './tables.ts';

/**
 * The versions of a source's tables before and after a migration; 0 where there were none.
 *
 * @example
 * ```ts
 * const isNew = ({ from }: PostgresMigration) => from === 0;
 * ```
 */
export interface PostgresMigration {
  readonly from: number;
  readonly to: number;
}

/**
 * Brings the tables to the version of this release. One statement, so that it happens wholly or not at all; processes that
 * do it at once wait for each other, and the later ones find nothing to do.
 *
 * @throws ToolSearchError `storage-unavailable` where the tables are those of a newer release.
 */
export async function migrate(session: PostgresSession, tables: Tables): Promise<PostgresMigration> {
  const from = await versionOf(session, tables);
  if (from > VERSION) throw tooNew(tables, from);
  if (from < VERSION) await session.query(migration(tables));
  return { from, to: VERSION };
}

/** The version of the tables; 0 where there are none. */
export async function versionOf(session: PostgresSession, { meta, tools }: Tables): Promise<number> {
  const there = await session.query('SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS there', [
    meta,
    tools,
  ]);
  if (there.rows[0]?.there !== true) return 0;
  const { rows } = await session.query(`SELECT coalesce(max(version), 0)::int AS version FROM ${meta}`);
  return Number(rows[0]?.version ?? 0);
}

/** Waits within a migration until nobody else is in one. */
export function lockMigration({ meta }: Tables): string {
  return `PERFORM pg_advisory_xact_lock(hashtextextended('mastra-tool-search ${meta}', 0));`;
}

/** Looks at the version again once nobody else migrates. Where somebody dropped the tools, all is made anew. */
function migration(tables: Tables): string {
  const { tools, words, tenants, vectors, meta } = tables;
  const steps = STEPS.map(
    (step, at) => `
  IF version_before < ${at + 1} THEN
    ${step(tables)}
    INSERT INTO ${meta} (version) VALUES (${at + 1});
  END IF;`,
  );
  return `DO $migrate$
DECLARE version_before integer := 0;
BEGIN
  ${lockMigration(tables)}
  CREATE TABLE IF NOT EXISTS ${meta} (version integer PRIMARY KEY, migrated_at timestamptz NOT NULL DEFAULT now());
  SELECT coalesce(max(version), 0) INTO version_before FROM ${meta};
  IF version_before > 0 AND to_regclass('${tools}') IS NULL THEN
    DROP TABLE IF EXISTS ${words}, ${tenants}, ${vectors};
    DELETE FROM ${meta};
    version_before := 0;
  END IF;${steps.join('')}
END $migrate$`;
}

function tooNew({ tools }: Tables, version: number): ToolSearchError {
  return new ToolSearchError(
    'storage-unavailable',
    `The tables of ${tools} have version ${version}, and this release of mastra-tool-search knows ${VERSION}: update it.`,
  );
}
