/**
 * Which tables are those of a source, and which only have their names. Everything that makes, drops or writes tables asks
 * here first: nothing of anybody else is touched.
 *
 * A table is the source's own when it has the columns that `schema.ts` makes, by name and type, and no comment of anybody
 * else. That holds for tables of releases that wrote no comment, and does not lean on a row of another table.
 *
 * @module
 */
import { cut, ToolSearchError } from '../kit.ts';
import type { PostgresSession } from './client.ts';
import type { Tables } from './tables.ts';

/** The comment of the tables begins so. */
export const TABLE_COMMENT = 'mastra-tool-search';

/** The tables of a source, by what is in them. */
export type TablePart = 'tools' | 'words' | 'tenants' | 'vectors' | 'meta';

/** Columns with PostgreSQL's names of their types; `halfvec` counts as `vector`. */
const COLUMNS: Readonly<Record<TablePart, readonly string[]>> = {
  tools: [
    ...['tenant text', 'name text', 'hash text', 'server text', 'spelling text'],
    ...['definition json', 'document json', 'lengths _int2', 'words tsvector'],
  ],
  words: ['tenant text', 'word text', 'documents int8'],
  tenants: ['tenant text', 'documents int8', 'lengths _int8'],
  vectors: ['tenant text', 'name text', 'model text', 'tool text', 'embedded text', 'vector vector'],
  meta: ['version int4', 'migrated_at timestamptz'],
};
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
  /** A hash of all of it, to see whether it has changed since. */
  readonly digest: string;
  stateOf(part: TablePart): Seen['state'];
}

/** What is there under the names of a source. */
export async function takeInventory(session: PostgresSession, tables: Tables): Promise<Inventory> {
  const { rows } = await session.query(inventory(tables));
  const seen = rows as unknown as readonly Seen[];
  const [{ schema = '', isCurrent = true, hasTriggers = false, digest = '' } = {}] = rows as unknown as Inventory[];
  const stateOf = (part: TablePart): Seen['state'] =>
    seen.find((one) => one.part === part && one.sort === 'table')?.state ?? 'missing';
  return { seen, schema, isCurrent, hasTriggers, digest, stateOf };
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

/** The statement that sees what is there. It reads PostgreSQL's own catalogs alone. */
export function inventory({ names, schema, words }: Tables): string {
  const rows = Object.entries(COLUMNS).flatMap(([part, columns]) => [
    `('${part}', 'table', '${names(part === 'tools' ? '' : part)}', '{${columns.join()}}'::text[])`,
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
    triggers AS (SELECT count(*) = ${FUNCTIONS.length} AS are_there FROM pg_trigger
      JOIN judged ON judged.oid = tgrelid AND judged.part = 'tools' AND judged.is_ours JOIN home ON home.space = judged.space
      WHERE tgname IN (${functions}))
    SELECT there.*, coalesce(home.space::regnamespace::text, '') AS schema, coalesce(triggers.are_there, false) AS "hasTriggers",
      ${schema === undefined ? 'coalesce(home.space = to_regnamespace(quote_ident(current_schema())), false)' : 'true'} AS "isCurrent",
      (SELECT md5(string_agg(concat_ws(' ', part, sort, state, what, triggers.are_there), ', ' ORDER BY part, sort, what)) FROM there) AS digest
    FROM there CROSS JOIN home CROSS JOIN triggers ORDER BY part, sort, what`;
}
