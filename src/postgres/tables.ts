import { checkOption } from '../kit.ts';

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
