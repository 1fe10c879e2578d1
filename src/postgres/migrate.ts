import { ToolSearchError } from '../kit.ts';
import type { PostgresSession } from './client.ts';
import { type Inventory, inventory, refuseForeign, TABLE_COMMENT, type TablePart, takeInventory } from './ownership.ts';
import { comment, countAnew, STEPS, VERSION } from './schema.ts';
import type { Tables } from './tables.ts';
import { vectorsOf } from './vector-table.ts';

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

/** Looks at the tables before it is given up: whoever changes them meanwhile has done so by then. */
const ATTEMPTS = 20;
/** Ours, for tables that changed after they were looked at; and PostgreSQL's for a name that is taken by now. */
const CHANGED = 'MTS01';
const AGAIN: ReadonlySet<unknown> = new Set([CHANGED, '42P07', '42710', '42723']);
const NEEDED: readonly TablePart[] = ['tools', 'words', 'tenants', 'meta'];

/**
 * Brings the tables to the version of this release, and makes again what is missing of them. What it changes is one
 * statement, so that it happens wholly or not at all; processes that do it at once wait for each other, and the later ones
 * find nothing to do. Tables that only have the names are refused, and stay as they are.
 *
 * @param dimension - numbers in a vector, where there are to be some.
 * @throws ToolSearchError `storage-unavailable` where the tables are those of a newer release, or of somebody else.
 */
export async function migrate(
  session: PostgresSession,
  tables: Tables,
  dimension?: number,
): Promise<PostgresMigration> {
  for (let attempt = 1; ; attempt++) {
    const { from, change } = await plannedMigration(session, tables, dimension);
    try {
      if (change !== '') await session.query(change);
      return { from, to: VERSION };
    } catch (error) {
      if (attempt === ATTEMPTS || !AGAIN.has((error as { code?: unknown } | null)?.code)) throw error;
    }
  }
}

/**
 * The version of the tables, and the statement that makes of them what they are to be; empty where they are that.
 *
 * @throws ToolSearchError `storage-unavailable`
 */
export async function plannedMigration(
  session: PostgresSession,
  tables: Tables,
  dimension?: number,
): Promise<{ readonly from: number; readonly change: string }> {
  const there = await takeInventory(session, tables);
  const { stateOf, hasTriggers, schema, isCurrent } = there;
  const hasTools = stateOf('tools') !== 'missing';
  const stamped = stateOf('meta') === 'ours' ? await newestIn(session, tables) : 0;
  if (hasTools && stamped > VERSION) throw tooNew(tables, stamped);
  refuseForeign(there, dimension === undefined ? NEEDED : [...NEEDED, 'vectors'], 'changed');
  // Only tables of the first version are there without one: nobody else's pass for them.
  const from = hasTools ? stamped || 1 : 0;
  const { meta, vectors } = tables;
  const changes: string[] = [];
  if (stateOf('meta') === 'missing')
    changes.push(
      `CREATE TABLE ${meta} (version integer PRIMARY KEY, migrated_at timestamptz NOT NULL DEFAULT now());`,
      comment(meta, 'the version of its tables'),
    );
  if (!hasTools) {
    if (stamped > 0) changes.push(`DELETE FROM ${meta};`);
    for (const part of ['words', 'tenants'] as const)
      if (stateOf(part) === 'ours') changes.push(`DELETE FROM ${tables[part]};`);
    // They have lost what they refer to.
    if (stateOf('vectors') === 'ours') changes.push(`DROP TABLE ${vectors};`);
  } else {
    if (stamped === 0) changes.push(`INSERT INTO ${meta} (version) VALUES (${from});`);
    const areCounted = hasTriggers && stateOf('words') === 'ours' && stateOf('tenants') === 'ours';
    if (!areCounted) changes.push(countAnew(tables));
  }
  for (const [at, step] of STEPS.entries())
    if (from <= at) changes.push(step(tables), `INSERT INTO ${meta} (version) VALUES (${at + 1});`);
  if (dimension !== undefined && (!hasTools || (await lengthOf(session, tables)) !== dimension))
    changes.push(vectorsOf(tables, dimension));
  if (changes.length === 0) return { from, change: '' };
  if (!isCurrent) throw elsewhere(tables, schema);
  return { from, change: guarded(tables, there, changes.join('\n  ')) };
}

/** A statement that changes the tables, unless they are others by then. */
function guarded(tables: Tables, { digest }: Inventory, changes: string): string {
  return `DO $migrate$
BEGIN
  ${lockMigration(tables)}
  IF (SELECT digest FROM (${inventory(tables)} LIMIT 1) AS now) IS DISTINCT FROM '${digest}' THEN
    RAISE EXCEPTION 'The tables were changed meanwhile' USING ERRCODE = '${CHANGED}';
  END IF;
  ${changes}
END $migrate$`;
}

/** How many numbers the vectors have that are there. */
async function lengthOf(session: PostgresSession, { vectors }: Tables): Promise<unknown> {
  const { rows } = await session.query(
    `SELECT atttypmod AS length FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attname = 'vector' AND NOT attisdropped`,
    [vectors],
  );
  return rows[0]?.['length'];
}

async function newestIn(session: PostgresSession, { meta }: Tables): Promise<number> {
  const { rows } = await session.query(`SELECT coalesce(max(version), 0)::int AS version FROM ${meta}`);
  return Number(rows[0]?.['version'] ?? 0);
}

/** Waits within a migration until nobody else is in one, by whatever name of the tables. */
function lockMigration({ meta }: Tables): string {
  // The second is that of earlier releases.
  return `PERFORM pg_advisory_xact_lock(hashtextextended('${TABLE_COMMENT}', 0));
  PERFORM pg_advisory_xact_lock(hashtextextended('${TABLE_COMMENT} ${meta}', 0));`;
}

function elsewhere({ names }: Tables, schema: string): ToolSearchError {
  return new ToolSearchError(
    'storage-unavailable',
    `Some tables of "${names('')}" are in the schema ${schema}, and the others would be made in another one, which comes ` +
      `first in the search_path. Nothing was changed. Name the schema: table: '${schema}.${names('')}'.`,
  );
}

function tooNew({ tools }: Tables, version: number): ToolSearchError {
  return new ToolSearchError(
    'storage-unavailable',
    `The tables of ${tools} have version ${version}, and this release of mastra-tool-search knows ${VERSION}: update it.`,
  );
}
