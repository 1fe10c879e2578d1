import { checkOption, FIELDS } from '../kit.ts';

/** At most 40 characters: PostgreSQL has 63 for the name of an index, which is longer. */
const NAME = /^(?:[A-Za-z_]\w{0,62}\.)?[A-Za-z_]\w{0,39}$/;

/** The names of a source's tables and of what belongs to them, quoted for statements. */
export interface Tables {
  /** The tools. */
  readonly tools: string;
  /** How many documents of a tenant have a word. */
  readonly words: string;
  /** What all documents of a tenant sum up to. */
  readonly tenants: string;
  /** The vectors of the tools; there with the option `embed` alone. */
  readonly vectors: string;
  /** The version of all these. */
  readonly meta: string;
  /** The name of an index or function of theirs, by its last part. */
  part(name: string): string;
  /** The same without the schema, as in `CREATE INDEX`. */
  bare(name: string): string;
  /** The same, as the database keeps it. */
  names(name: string): string;
  /** The schema that the option names. */
  readonly schema: string | undefined;
}

/**
 * The tables by the option `table`.
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

/** The comment of the tables begins so. */
export const TABLE_COMMENT = 'mastra-tool-search';

/** Says in the database whose a table is. */
export const comment = (table: string, what: string): string =>
  `COMMENT ON TABLE ${table} IS '${TABLE_COMMENT}: ${what}, see postgresSource()';`;

/*
 * Texts have the collation "C": names compare as in JavaScript, and an index serves words and names that begin alike.
 * `definition` and `document` are `json`, which keeps the order of fields, and any text: the order of parameters counts.
 * `words` is written here, not by PostgreSQL: stems with the weights A to D, and a lexeme of the tenant, so that one index
 * serves both. A search weighs the words of hundreds of rows: they are kept with the row.
 */
const toolsTable = ({ tools }: Tables): string => `
  CREATE TABLE ${tools} (
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    hash text NOT NULL,
    server text COLLATE "C" NOT NULL,
    spelling text COLLATE "C" NOT NULL,
    definition json NOT NULL,
    document json NOT NULL,
    lengths smallint[] NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (tenant, name)
  );
  ALTER TABLE ${tools} ALTER words SET STORAGE MAIN;
  ${comment(tools, 'the tools')}`;

const indexes = ({ tools, bare }: Tables): string => `
  CREATE INDEX ${bare('by_word')} ON ${tools} USING gin (words);
  CREATE INDEX ${bare('by_spelling')} ON ${tools} (tenant, spelling);
  CREATE INDEX ${bare('by_server')} ON ${tools} (tenant, lower(server));`;

/* Room on the pages, so that a changed count stays on its page. */
const countTables = ({ words, tenants }: Tables): string => `
  CREATE TABLE IF NOT EXISTS ${words} (
    tenant text COLLATE "C" NOT NULL,
    word text COLLATE "C" NOT NULL,
    documents bigint NOT NULL,
    PRIMARY KEY (tenant, word)
  ) WITH (fillfactor = 70);
  CREATE TABLE IF NOT EXISTS ${tenants} (
    tenant text COLLATE "C" PRIMARY KEY,
    documents bigint NOT NULL,
    lengths bigint[] NOT NULL
  ) WITH (fillfactor = 50);
  ${comment(words, 'how many tools have a word')}
  ${comment(tenants, 'what the tools of a tenant sum up to')}`;

/** The changes of a statement: a row that comes counts 1, one that goes -1. */
const ADDED = 'SELECT tenant, lengths, words, 1 AS sign FROM added';
const REMOVED = 'SELECT tenant, lengths, words, -1 AS sign FROM removed';

/** What happens to the table, what the trigger sees of it, and whether rows may go. */
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

/** A list with a term for each field of a document. */
const forFields = (term: (place: number) => string): string =>
  `ARRAY[${FIELDS.map((_, at) => term(at + 1)).join(', ')}]`;

/**
 * The triggers that keep the counts right, whatever writes. The tenant's own row comes first: who changes it locks it, so
 * that two writers of a tenant wait for each other there, and nowhere else. Functions may be there already: they outlive
 * tables that were dropped.
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

/** The counts, and what keeps them, made anew of the tools that are there. */
export const countAnew = (tables: Tables): string => {
  const { tools, words, tenants } = tables;
  return `
  LOCK TABLE ${tools} IN SHARE ROW EXCLUSIVE MODE;${countTables(tables)}${triggers(tables)}
  DELETE FROM ${words};
  DELETE FROM ${tenants};
  INSERT INTO ${tenants} (tenant, documents, lengths)
    SELECT tenant, count(*), ${forFields((at) => `coalesce(sum(lengths[${at}]), 0)`)} FROM ${tools} GROUP BY tenant;
  INSERT INTO ${words} (tenant, word, documents) SELECT tenant, word, count(*)
    FROM ${tools} AS kept, unnest(tsvector_to_array(kept.words)) AS word GROUP BY tenant, word;`;
};

/** The statements that bring the tables to each version from the one before it. */
export const STEPS: readonly ((tables: Tables) => string)[] = [
  (tables) => toolsTable(tables) + indexes(tables) + countTables(tables) + triggers(tables),
];

/** The most numbers of four bytes that an index takes; of more, each has two bytes. */
const MAX_SINGLE = 2_000;

/** The type of the column for vectors of a length. */
export function vectorType(dimension: number): 'vector' | 'halfvec' {
  return dimension <= MAX_SINGLE ? 'vector' : 'halfvec';
}

/** Makes the table of the vectors. One for vectors of another length goes first: nothing of it is of use any more. */
export function vectorsTable({ tools, vectors, bare }: Tables, dimension: number): string {
  const type = vectorType(dimension);
  return `DECLARE length_before integer;
  BEGIN
    SELECT atttypmod INTO length_before FROM pg_attribute
      WHERE attrelid = to_regclass('${vectors}') AND attname = 'vector' AND NOT attisdropped;
    IF length_before <> ${dimension} THEN
      DROP TABLE ${vectors};
    END IF;
    IF length_before IS DISTINCT FROM ${dimension} THEN
      CREATE TABLE ${vectors} (
        tenant text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        model text NOT NULL,
        tool text NOT NULL,
        embedded text NOT NULL,
        vector ${type}(${dimension}) NOT NULL,
        PRIMARY KEY (tenant, name),
        FOREIGN KEY (tenant, name) REFERENCES ${tools} ON DELETE CASCADE
      );
      CREATE INDEX ${bare('by_vector')} ON ${vectors} USING hnsw (vector ${type}_cosine_ops);
      ${comment(vectors, 'the vectors of the tools')}
    END IF;
  END;`;
}
