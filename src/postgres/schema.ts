import { checkOption } from '../errors.ts';
import { FIELDS } from '../kit.ts';

/** At most 40 characters: names of indexes append a suffix, and PostgreSQL allows 63. */
const NAME = /^(?:[A-Za-z_]\w{0,62}\.)?[A-Za-z_]\w{0,39}$/;

/** The names of a source's tables and of what belongs to them, quoted for statements. */
export interface Tables extends Readonly<Record<TablePart, string>> {
  /** The qualified name of an index or function, by its suffix. */
  part(name: string): string;
  /** The quoted name without the schema, as `CREATE INDEX` takes it. */
  bare(name: string): string;
  /** The name without schema and quotes, as the system catalogs store it. */
  names(name: string): string;
  /** The schema that the option names. */
  readonly schema: string | undefined;
}

/**
 * Derives the names of the tables from the option `table`.
 *
 * @throws ToolSearchError `invalid-option`
 */
export function tablesOf(table: unknown): Tables {
  const isName = typeof table === 'string' && NAME.test(table);
  checkOption(
    isName,
    'table',
    table,
    'a name of at most 40 letters, digits and "_", e.g. "tool_search" or "app.tools"',
  );
  const [name = '', schema] = (table as string).split('.').reverse();
  const names = (part: string): string => `${name}${part === '' ? '' : `_${part}`}`;
  const bare = (part: string): string => `"${names(part)}"`;
  const part = (last: string): string => (schema === undefined ? bare(last) : `"${schema}".${bare(last)}`);
  return {
    ...{
      tools: part(''),
      words: part('words'),
      tenants: part('tenants'),
      vectors: part('vectors'),
      meta: part('meta'),
    },
    ...{ part, bare, names, schema },
  };
}

/** The version of the tables that this release reads and writes. */
export const VERSION = 1;

/** The comment of every table begins with this text. */
export const TABLE_COMMENT = 'mastra-tool-search';

/** The tables of a source, by what is in them. */
export type TablePart = 'tools' | 'words' | 'tenants' | 'vectors' | 'meta';

/** The collation C sorts names as JavaScript does, and lets an index serve prefixes. */
const C = 'text COLLATE "C"';

/**
 * The columns of the tables, with PostgreSQL's internal names of types. `definition` and `document` are `json`: `jsonb` would
 * lose the order of parameters and refuse some texts. `words` is a tsvector made in JavaScript: stems with the weights A to D,
 * and a lexeme of the tenant, so that one index serves both.
 */
export const COLUMNS: Readonly<Record<TablePart, Readonly<Record<string, string>>>> = {
  tools: {
    ...{ tenant: C, name: C, hash: 'text', server: C, spelling: C },
    ...{ definition: 'json', document: 'json', lengths: '_int2', words: 'tsvector' },
  },
  words: { tenant: C, word: C, documents: 'int8' },
  tenants: { tenant: C, documents: 'int8', lengths: '_int8' },
  vectors: { tenant: C, name: C, model: 'text', tool: 'text', embedded: 'text', vector: 'vector' },
  meta: { version: 'int4', migrated_at: 'timestamptz DEFAULT now()' },
};

/** The purpose of each table for its comment, its primary key, further clauses, and its fill factor. */
const PARTS: Readonly<
  Record<TablePart, { is: string; key: string; more?: (tables: Tables) => string; room?: number }>
> = {
  tools: { is: 'the tools', key: 'tenant, name' },
  // A low fill factor leaves room on a page for the new version of a changed count.
  words: { is: 'how many tools have a word', key: 'tenant, word', room: 70 },
  tenants: { is: 'what the tools of a tenant sum up to', key: 'tenant', room: 50 },
  vectors: {
    ...{ is: 'the vectors of the tools', key: 'tenant, name' },
    more: ({ tools }) => `, FOREIGN KEY (tenant, name) REFERENCES ${tools} ON DELETE CASCADE`,
  },
  meta: { is: 'the version of its tables', key: 'version' },
};

/** Creates a table if it is missing, with a comment that names the source. */
export function createTable(tables: Tables, part: TablePart, types: Readonly<Record<string, string>> = {}): string {
  const { is, key, more, room } = PARTS[part];
  const columns = Object.entries({ ...COLUMNS[part], ...types }).map(([name, type]) => `${name} ${type} NOT NULL`);
  const table = tables[part];
  return `
  CREATE TABLE IF NOT EXISTS ${table} (${columns.join(', ')}, PRIMARY KEY (${key})${more?.(tables) ?? ''})${room ? ` WITH (fillfactor = ${room})` : ''};
  COMMENT ON TABLE ${table} IS '${TABLE_COMMENT}: ${is}, see postgresSource()';`;
}

/** `words` is stored inline (MAIN), because a search scores the words of hundreds of rows. */
const toolsTable = (tables: Tables): string => `${createTable(tables, 'tools')}
  ALTER TABLE ${tables.tools} ALTER words SET STORAGE MAIN;
  CREATE INDEX ${tables.bare('by_word')} ON ${tables.tools} USING gin (words);
  CREATE INDEX ${tables.bare('by_spelling')} ON ${tables.tools} (tenant, spelling);
  CREATE INDEX ${tables.bare('by_server')} ON ${tables.tools} (tenant, lower(server));`;

/** The rows that a statement changes: an added row counts 1, a removed row -1. */
const ADDED = 'SELECT tenant, lengths, words, 1 AS sign FROM added';
const REMOVED = 'SELECT tenant, lengths, words, -1 AS sign FROM removed';

/** The event, the transition tables of its trigger, and whether counts may drop to 0. */
const CHANGES = [
  { event: 'INSERT', sees: 'NEW TABLE AS added', changes: ADDED, mayGo: false },
  {
    event: 'UPDATE',
    sees: 'OLD TABLE AS removed NEW TABLE AS added',
    changes: `${ADDED} UNION ALL ${REMOVED}`,
    mayGo: true,
  },
  { event: 'DELETE', sees: 'OLD TABLE AS removed', changes: REMOVED, mayGo: true },
] as const;

/** An SQL array with one term for each field of a document. */
const forFields = (term: (place: number) => string): string =>
  `ARRAY[${FIELDS.map((_, at) => term(at + 1)).join(', ')}]`;

/**
 * Triggers that keep the counts right for every writer. They update the tenant's row first, and its lock makes two writers of a
 * tenant wait for each other there, and nowhere else. Functions may exist already, because they outlive dropped tables.
 */
const triggers = (tables: Tables): string => {
  const { tools, words, tenants, part, bare } = tables;
  const counting = CHANGES.map(({ event, sees, changes, mayGo }) => {
    const name = `count_${event.toLowerCase()}`;
    const gone = `
      DELETE FROM ${words} AS kept USING
        (SELECT DISTINCT tenant, word FROM removed, unnest(tsvector_to_array(words)) AS word) AS gone
        WHERE kept.tenant = gone.tenant AND kept.word = gone.word AND kept.documents <= 0;
      DELETE FROM ${tenants} AS kept WHERE kept.documents <= 0 AND kept.tenant IN (SELECT tenant FROM removed);`;
    return `
  CREATE OR REPLACE FUNCTION ${part(name)}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $count$
    BEGIN
      INSERT INTO ${tenants} AS kept (tenant, documents, lengths)
        SELECT tenant, sum(sign), ${forFields((at) => `coalesce(sum(sign * lengths[${at}]), 0)`)}
        FROM (${changes}) AS change GROUP BY tenant ORDER BY tenant
        ON CONFLICT (tenant) DO UPDATE SET documents = kept.documents + excluded.documents,
          lengths = ${forFields((at) => `kept.lengths[${at}] + excluded.lengths[${at}]`)};
      INSERT INTO ${words} AS kept (tenant, word, documents)
        SELECT tenant, word, sum(sign) FROM (${changes}) AS change, unnest(tsvector_to_array(change.words)) AS word
        GROUP BY tenant, word HAVING sum(sign) <> 0 ORDER BY tenant, word
        ON CONFLICT (tenant, word) DO UPDATE SET documents = kept.documents + excluded.documents;${mayGo ? gone : ''}
      RETURN NULL;
    END $count$;
  DROP TRIGGER IF EXISTS ${bare(name)} ON ${tools};
  CREATE TRIGGER ${bare(name)} AFTER ${event} ON ${tools} REFERENCING ${sees}
    FOR EACH STATEMENT EXECUTE FUNCTION ${part(name)}();`;
  });
  return `${counting.join('')}
  CREATE OR REPLACE FUNCTION ${part('count_truncate')}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $count$
    BEGIN
      DELETE FROM ${words};
      DELETE FROM ${tenants};
      RETURN NULL;
    END $count$;
  DROP TRIGGER IF EXISTS ${bare('count_truncate')} ON ${tools};
  CREATE TRIGGER ${bare('count_truncate')} AFTER TRUNCATE ON ${tools}
    FOR EACH STATEMENT EXECUTE FUNCTION ${part('count_truncate')}();`;
};

/** Recreates the triggers, and counts the stored tools again. */
export const countAnew = (tables: Tables): string => {
  const { tools, words, tenants } = tables;
  return `
  LOCK TABLE ${tools} IN SHARE ROW EXCLUSIVE MODE;${createTable(tables, 'words')}${createTable(tables, 'tenants')}${triggers(tables)}
  DELETE FROM ${words};
  DELETE FROM ${tenants};
  INSERT INTO ${tenants} (tenant, documents, lengths)
    SELECT tenant, count(*), ${forFields((at) => `coalesce(sum(lengths[${at}]), 0)`)} FROM ${tools} GROUP BY tenant;
  INSERT INTO ${words} (tenant, word, documents) SELECT tenant, word, count(*)
    FROM ${tools} AS kept, unnest(tsvector_to_array(kept.words)) AS word GROUP BY tenant, word;`;
};

/** Creates the tables of {@link VERSION} without that of vectors. */
export const createTables = (tables: Tables): string =>
  toolsTable(tables) + createTable(tables, 'words') + createTable(tables, 'tenants') + triggers(tables);

/** The longest vector of 4-byte numbers that an index takes; longer ones have 2-byte numbers (`halfvec`). */
const MAX_SINGLE = 2_000;

/** The type of the column for vectors of a length. */
export function vectorType(dimension: number): 'vector' | 'halfvec' {
  return dimension <= MAX_SINGLE ? 'vector' : 'halfvec';
}

/** Recreates the table of vectors, because vectors of another length are useless. */
export function vectorsTable(tables: Tables, dimension: number): string {
  const type = vectorType(dimension);
  return `DROP TABLE IF EXISTS ${tables.vectors};
  ${createTable(tables, 'vectors', { vector: `${type}(${dimension})` })}
  CREATE INDEX ${tables.bare('by_vector')} ON ${tables.vectors} USING hnsw (vector ${type}_cosine_ops);`;
}
