/**
 * Brings the tables to the version of this release. Everything that makes, drops or writes tables asks here first which of
 * them are those of a source, and which only have their names: nothing of anybody else is touched.
 *
 * A table is the source's own when it has the columns that `schema.ts` makes, by name and type, and no comment of anybody
 * else. That holds for tables of releases that wrote no comment, and does not lean on a row of another table.
 *
 * @module
 */
import { cut, ended, messageOf, ToolSearchError } from '../kit.ts';
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
  // Tables of this version may be there without it: nobody else's pass for them.
  const from = hasTools ? VERSION : 0;
  const { meta, vectors } = tables;
  const changes: string[] = [];
  if (stateOf('meta') === 'missing') changes.push(createTable(tables, 'meta'));
  if (!hasTools) {
    if (stamped > 0) changes.push(`DELETE FROM ${meta};`);
    for (const part of ['words', 'tenants'] as const)
      if (stateOf(part) === 'ours') changes.push(`DELETE FROM ${tables[part]};`);
    // They have lost what they refer to.
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

/** Makes all tables of a source, and with vectors the extension pgvector. */
export async function migrateAll({ pool, tables, vectors }: PostgresSettings): Promise<PostgresMigration> {
  if (!vectors) return migrate(pool, tables);
  const dimension = await dimensionOf(vectors);
  // Nothing is made beside tables of somebody else, no extension either.
  await plannedMigration(pool, tables, dimension);
  await ensureExtension(pool);
  return migrate(pool, tables, dimension);
}

/** How many numbers the model's vectors have: as the option says, or as one has. */
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
 * Makes the extension pgvector unless it is there.
 *
 * @throws ToolSearchError `storage-unavailable` where it is not installed, or may not be made.
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

/** Tables that nobody else has by chance: of these, somebody may have added a column. */
const PECULIAR: readonly TablePart[] = ['tools', 'vectors'];
/** The indexes of the tables, and the functions of their triggers. */
const INDEXES: Readonly<Partial<Record<TablePart, readonly string[]>>> = {
  tools: ['by_word', 'by_spelling', 'by_server'],
  vectors: ['by_vector'],
};
const FUNCTIONS = ['count_insert', 'count_update', 'count_delete', 'count_truncate'] as const;

/** What is there under a name that the source needs. */
export interface Seen {
  /** A table of the source, or the one to which an index or a function belongs. */
  readonly part: TablePart;
  readonly sort: 'table' | 'index' | 'function';
  readonly state: 'ours' | 'missing' | 'foreign';
  /** What it is, with its schema; empty where it is missing. */
  readonly what: string;
  readonly comment: string | null;
}

/** What is there of a source. */
export interface Inventory {
  readonly seen: readonly Seen[];
  /** The schema of the tables, as the database quotes it, and whether new tables would come into it. */
  readonly schema: string;
  readonly isCurrent: boolean;
  /** Whether all triggers are there that count. */
  readonly hasTriggers: boolean;
  /** How many numbers the vectors have that are there. */
  readonly vectorLength: number | null;
  /** A hash of all of it, to see whether it has changed since. */
  readonly digest: string;
  stateOf(part: TablePart): Seen['state'];
}

/** What is there under the names of a source. */
export async function takeInventory(session: PostgresSession, tables: Tables): Promise<Inventory> {
  const { rows } = await session.query(inventory(tables));
  const seen = rows as unknown as readonly Seen[];
  const nothing = { schema: '', isCurrent: true, hasTriggers: false, vectorLength: null, digest: '' };
  const stateOf = (part: TablePart): Seen['state'] =>
    seen.find((one) => one.part === part && one.sort === 'table')?.state ?? 'missing';
  return { ...((rows[0] as unknown as Inventory | undefined) ?? nothing), seen, stateOf };
}

/**
 * Refuses tables that only have the names of the source's.
 *
 * @param areNeeded - the tables that are read, written or made.
 * @param doing - what was not done, as "Nothing was …".
 * @throws ToolSearchError `storage-unavailable`
 */
export function refuseForeign(inventory: Inventory, areNeeded: readonly TablePart[], doing: string): void {
  const { seen, stateOf, hasTriggers } = inventory;
  // Indexes come with their table, functions with the triggers.
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

/** Columns with the names of their types alone; `halfvec` counts as `vector`. */
const typesOf = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type.split(' ')[0]}`)
    .join();

/** The statement that sees what is there. It reads PostgreSQL's own catalogs alone. */
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
