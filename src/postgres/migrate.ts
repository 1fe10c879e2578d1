/**
 * Migrates the tables to the version of this release. Code that creates, drops or writes tables checks here first that they
 * belong to a source and do not only share its names: foreign tables are never touched.
 *
 * A table belongs to a source if its columns have the names and types of `schema.ts`, and its comment, if any, is the source's.
 * The rule also recognises tables of releases that wrote no comment, and needs no row of another table.
 *
 * @module
 */
import { messageOf, ToolSearchError } from '../errors.ts';
import { cut, ended } from '../util/text.ts';
import type { PostgresSession } from './client.ts';
import { checkDimension, type PostgresSettings, type VectorSettings } from './options.ts';
import {
  COLUMNS,
  countAnew,
  createTable,
  createTables,
  TABLE_COMMENT,
  type TablePart,
  type Tables,
  VERSION,
  vectorsTable,
} from './schema.ts';

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

/** Attempts before `migrate` gives up; a concurrent change of the tables is finished by then. */
const ATTEMPTS = 20;
/** Codes to retry on: our own for tables changed since the inventory, and PostgreSQL's for names taken meanwhile. */
const CHANGED = 'MTS01';
const AGAIN: ReadonlySet<unknown> = new Set([CHANGED, '42P07', '42710', '42723']);
const NEEDED: readonly TablePart[] = ['tools', 'words', 'tenants', 'meta'];

/**
 * Migrates the tables to the version of this release, and creates missing ones again. All changes are one statement, so they
 * happen completely or not at all. Concurrent processes wait for each other, and the later ones find nothing to do. Foreign
 * tables with the same names are refused and left unchanged.
 *
 * @param dimension - length of a vector; undefined without vectors.
 * @throws ToolSearchError `storage-unavailable` if the tables are those of a newer release, or foreign.
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
 * The current version of the tables, and the statement that migrates them; empty if they are up to date.
 *
 * @throws ToolSearchError `storage-unavailable`
 */
async function plannedMigration(
  session: PostgresSession,
  tables: Tables,
  dimension?: number,
): Promise<{ readonly from: number; readonly change: string }> {
  const there = await takeInventory(session, tables);
  const { stateOf, hasTriggers, vectorLength, schema, isCurrent } = there;
  const hasTools = stateOf('tools') !== 'missing';
  const stamped = stateOf('meta') === 'ours' ? await newestIn(session, tables) : 0;
  if (hasTools && stamped > VERSION) throw tooNew(tables, stamped);
  refuseForeign(there, dimension === undefined ? NEEDED : [...NEEDED, 'vectors'], 'changed');
  // Tables without a row in `meta` have this version too, because foreign tables were refused above.
  const from = hasTools ? VERSION : 0;
  const { meta, vectors } = tables;
  const changes: string[] = [];
  if (stateOf('meta') === 'missing') changes.push(createTable(tables, 'meta'));
  if (!hasTools) {
    if (stamped > 0) changes.push(`DELETE FROM ${meta};`);
    for (const part of ['words', 'tenants'] as const)
      if (stateOf(part) === 'ours') changes.push(`DELETE FROM ${tables[part]};`);
    // The vectors refer to rows of a tools table that is gone.
    if (stateOf('vectors') === 'ours') changes.push(`DROP TABLE ${vectors};`);
    changes.push(createTables(tables), `INSERT INTO ${meta} (version) VALUES (${VERSION});`);
  } else {
    if (stamped === 0) changes.push(`INSERT INTO ${meta} (version) VALUES (${VERSION});`);
    const areCounted = hasTriggers && stateOf('words') === 'ours' && stateOf('tenants') === 'ours';
    if (!areCounted) changes.push(countAnew(tables));
  }
  if (dimension !== undefined && (!hasTools || vectorLength !== dimension))
    changes.push(vectorsTable(tables, dimension));
  if (changes.length === 0) return { from, change: '' };
  if (!isCurrent) throw elsewhere(tables, schema);
  return { from, change: guarded(tables, there, changes.join('\n  ')) };
}

/** Wraps changes in a statement that fails if the tables have changed since the inventory. */
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

async function newestIn(session: PostgresSession, { meta }: Tables): Promise<number> {
  const { rows } = await session.query(`SELECT coalesce(max(version), 0)::int AS version FROM ${meta}`);
  return Number(rows[0]?.['version'] ?? 0);
}

/** Waits inside a migration until no other migration runs, whatever the names of its tables. */
function lockMigration({ meta }: Tables): string {
  // The second lock is the one that earlier releases take.
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

/** Makes all tables of a source, and with vectors the extension pgvector. */
export async function migrateAll({ pool, tables, vectors }: PostgresSettings): Promise<PostgresMigration> {
  if (!vectors) return migrate(pool, tables);
  const dimension = await dimensionOf(vectors);
  // Refuses foreign tables before the extension is created.
  await plannedMigration(pool, tables, dimension);
  await ensureExtension(pool);
  return migrate(pool, tables, dimension);
}

/** The length of the model's vectors: the option, or measured by embedding one text. */
async function dimensionOf({ dimension, embedder }: VectorSettings): Promise<number> {
  if (dimension !== undefined) return dimension;
  let length = 0;
  await embedder.embedAll(['A tool.'], (text) => text, {
    keep: async (_, [vector]) => {
      length = vector?.length ?? 0;
    },
    refuse: () => {},
  });
  checkDimension(length);
  return length;
}

/**
 * Creates the extension pgvector if it is missing.
 *
 * @throws ToolSearchError `storage-unavailable` if pgvector is not installed, or may not be created.
 */
async function ensureExtension(session: PostgresSession): Promise<void> {
  const { rows } = await session.query(`SELECT 1 FROM pg_extension WHERE extname = 'vector'`);
  if (rows.length > 0) return;
  try {
    await session.query('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (error) {
    throw new ToolSearchError(
      'storage-unavailable',
      `"embed" needs the extension pgvector in the database: ${ended(messageOf(error))} Install pgvector 0.5 or later, have a ` +
        'superuser run `CREATE EXTENSION vector`, or leave "embed" out.',
      { cause: error },
    );
  }
}

/** Tables too specific to match by chance, so that additional columns are accepted. */
const PECULIAR: readonly TablePart[] = ['tools', 'vectors'];
/** The indexes of the tables, and the functions of their triggers. */
const INDEXES: Readonly<Partial<Record<TablePart, readonly string[]>>> = {
  tools: ['by_word', 'by_spelling', 'by_server'],
  vectors: ['by_vector'],
};
const FUNCTIONS = ['count_insert', 'count_update', 'count_delete', 'count_truncate'] as const;

/** What the database has under a name that the source needs. */
export interface Seen {
  /** The source's table, or the table to which the index or function belongs. */
  readonly part: TablePart;
  readonly sort: 'table' | 'index' | 'function';
  readonly state: 'ours' | 'missing' | 'foreign';
  /** Kind and qualified name, as messages show them; empty if missing. */
  readonly what: string;
  readonly comment: string | null;
}

/** What the database has of a source. */
export interface Inventory {
  readonly seen: readonly Seen[];
  /** The schema of the tables, quoted by the database, and whether new tables would be created in it. */
  readonly schema: string;
  readonly isCurrent: boolean;
  /** Whether all counting triggers exist. */
  readonly hasTriggers: boolean;
  /** The vector length that the column declares. */
  readonly vectorLength: number | null;
  /** A hash of the inventory, to detect later changes. */
  readonly digest: string;
  stateOf(part: TablePart): Seen['state'];
}

/** Reads what the database has under the names of a source. */
export async function takeInventory(session: PostgresSession, tables: Tables): Promise<Inventory> {
  const { rows } = await session.query(inventory(tables));
  const seen = rows as unknown as readonly Seen[];
  const nothing = { schema: '', isCurrent: true, hasTriggers: false, vectorLength: null, digest: '' };
  const stateOf = (part: TablePart): Seen['state'] =>
    seen.find((one) => one.part === part && one.sort === 'table')?.state ?? 'missing';
  return { ...((rows[0] as unknown as Inventory | undefined) ?? nothing), seen, stateOf };
}

/**
 * Refuses foreign tables that have the names of the source's tables.
 *
 * @param areNeeded - the tables that are read, written or created.
 * @param doing - the participle of the message "Nothing was …".
 * @throws ToolSearchError `storage-unavailable`
 */
export function refuseForeign(inventory: Inventory, areNeeded: readonly TablePart[], doing: string): void {
  const { seen, stateOf, hasTriggers } = inventory;
  // An index is created with its table, a function with the triggers.
  const isMade = ({ part, sort }: Seen): boolean =>
    sort === 'table' || (sort === 'index' ? stateOf(part) === 'missing' : !hasTriggers);
  const foreign = seen.filter((one) => one.state === 'foreign' && areNeeded.includes(one.part) && isMade(one));
  if (foreign.length === 0) return;
  const named = foreign.map(({ what, comment }) => `${what}${comment === null ? '' : ` ("${cut(comment, 80)}")`}`);
  throw new ToolSearchError(
    'storage-unavailable',
    `${named.join(' and ')} ${named.length === 1 ? 'has a name' : 'have names'} that postgresSource() needs, and ` +
      `${named.length === 1 ? 'is' : 'are'} not of its making: other columns, or the comment of somebody else. Nothing was ` +
      `${doing}. Rename ${named.length === 1 ? 'it' : 'them'}, or give the source another name with the option "table".`,
  );
}

/** Columns as "name type", without collation and default. */
const typesOf = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type.split(' ')[0]}`)
    .join();

/** The statement of {@link takeInventory}. It reads nothing but PostgreSQL's system catalogs. */
export function inventory({ names, schema, words }: Tables): string {
  const rows = Object.entries(COLUMNS).flatMap(([part, columns]) => [
    `('${part}', 'table', '${names(part === 'tools' ? '' : part)}', '{${typesOf(columns)}}'::text[])`,
    ...(INDEXES[part as TablePart] ?? []).map((name) => `('${part}', 'index', '${names(name)}', NULL)`),
  ]);
  const functions = FUNCTIONS.map((name) => `'${names(name)}'`).join();
  const place = schema === undefined ? 'quote_ident(name)' : `'"${schema}".' || quote_ident(name)`;
  return `WITH asked (part, sort, name, columns) AS (VALUES ${rows.join()}),
    candidates AS (
      SELECT asked.*, class.oid, class.relnamespace AS space, class.relkind AS kind, obj_description(class.oid, 'pg_class') AS comment,
        class.oid = to_regclass(${place}) AS is_first,
        array(SELECT attname || ' ' || replace(typname, 'halfvec', 'vector') FROM pg_attribute
          JOIN pg_type ON pg_type.oid = atttypid WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped) AS has,
        class.relpersistence <> 't' AS is_kept
      FROM asked JOIN pg_class AS class ON class.relname = asked.name),
    judged AS (
      SELECT *, sort = 'table' AND kind IN ('r', 'p') AND is_kept AND coalesce(comment LIKE '${TABLE_COMMENT}%', true) AND has @> columns
        AND (has <@ columns OR part IN (${PECULIAR.map((part) => `'${part}'`).join()})) AS is_ours FROM candidates),
    home AS (SELECT coalesce(${
      schema === undefined
        ? `(SELECT space FROM judged WHERE is_ours AND is_first ORDER BY part = 'tools' DESC, part LIMIT 1),
      to_regnamespace(quote_ident(current_schema()))::oid`
        : `to_regnamespace('"${schema}"')::oid`
    }) AS space),
    there AS (
      SELECT asked.part, asked.sort, CASE
          WHEN one.oid IS NOT NULL THEN CASE WHEN one.is_ours OR EXISTS (SELECT FROM pg_index JOIN judged AS own
            ON own.oid = indrelid AND own.is_ours AND own.part = asked.part WHERE indexrelid = one.oid) THEN 'ours' ELSE 'foreign' END
          WHEN type.oid IS NOT NULL THEN 'foreign' ELSE 'missing' END AS state,
        coalesce(CASE one.kind WHEN 'v' THEN 'The view ' WHEN 'm' THEN 'The materialized view ' WHEN 'S' THEN 'The sequence '
            WHEN 'i' THEN 'The index ' WHEN 'I' THEN 'The index ' WHEN 'f' THEN 'The foreign table ' WHEN 'c' THEN 'The type '
            ELSE 'The table ' END || one.oid::regclass, 'The type ' || type.oid::regtype, '') AS what, one.comment
      FROM asked CROSS JOIN home
      LEFT JOIN LATERAL (
        -- In its schema; or before that in the search path, so that it hides it.
        SELECT * FROM judged WHERE judged.part = asked.part AND judged.name = asked.name AND (judged.space = home.space
          OR (is_first AND array_position(current_schemas(true), judged.space::regnamespace::name)
            < array_position(current_schemas(true), home.space::regnamespace::name)))
        ORDER BY judged.space = home.space LIMIT 1) AS one ON true
      LEFT JOIN pg_type AS type ON asked.sort = 'table' AND one.oid IS NULL AND type.typname = asked.name
        AND type.typnamespace = home.space AND type.typcategory <> 'A'
      UNION ALL
      SELECT 'tools', 'function', CASE WHEN prorettype = 'trigger'::regtype AND strpos(prosrc, '${words.split('.').at(-1)}') > 0
        THEN 'ours' ELSE 'foreign' END, 'The function ' || proc.oid::regprocedure, obj_description(proc.oid, 'pg_proc')
      FROM pg_proc AS proc JOIN home ON pronamespace = home.space WHERE pronargs = 0 AND proname IN (${functions})),
    own AS (SELECT judged.* FROM judged JOIN home ON home.space = judged.space WHERE is_ours),
    extras AS (SELECT
      (SELECT count(*) = ${FUNCTIONS.length} FROM pg_trigger JOIN own ON own.oid = tgrelid AND part = 'tools' WHERE tgname IN (${functions})) AS triggers,
      (SELECT atttypmod FROM pg_attribute JOIN own ON own.oid = attrelid AND part = 'vectors'
        WHERE attname = 'vector' AND NOT attisdropped) AS vectors)
    SELECT there.*, coalesce(home.space::regnamespace::text, '') AS schema,
      extras.triggers AS "hasTriggers", extras.vectors AS "vectorLength",
      ${schema === undefined ? 'coalesce(home.space = to_regnamespace(quote_ident(current_schema())), false)' : 'true'} AS "isCurrent",
      (SELECT md5(string_agg(concat_ws(' ', part, sort, state, what, extras), ', ' ORDER BY part, sort, what)) FROM there) AS digest
    FROM there CROSS JOIN home CROSS JOIN extras ORDER BY part, sort, what`;
}
