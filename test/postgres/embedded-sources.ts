import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import {
  type PostgresEmbedOptions,
  type PostgresSource,
  type PostgresSourceOptions,
  postgresSource,
} from 'mastra-tool-search/postgres';
import { afterAll, beforeAll } from 'vitest';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { bagOfWords } from '../semantic/embeddings/embedders.ts';
import { tool } from '../support/harness.ts';

export const toTool: PostgresSourceOptions['toTool'] = ({ name, description, group }) => ({
  ...tool(name, description),
  ...(group ? { mcpMetadata: { serverName: group } } : {}),
});

export const byWords: PostgresEmbedOptions = {
  embed: (texts) => texts.map(bagOfWords),
  model: 'bag-of-words',
  minSimilarity: 0,
};

/** A database with pgvector for the suite around it. */
export interface VectorDatabase {
  readonly pool: PGlite;
  /** A source over tables that no other test has. */
  source(embed?: PostgresEmbedOptions, options?: Partial<PostgresSourceOptions>): PostgresSource;
  /** The name of its tables, the last one's without a number. */
  readonly table: string;
  rows(text: string): Promise<Record<string, unknown>[]>;
}

let tables = 0;

export function vectorDatabase(): VectorDatabase {
  let pool: PGlite;
  beforeAll(async () => {
    pool = await PGlite.create({ extensions: { vector } });
  });
  afterAll(() => pool.close());
  return {
    get pool() {
      return pool;
    },
    source: (embed = byWords, options = {}) =>
      postgresSource({ pool, table: `meant_${++tables}`, toTool, embed, ...options }),
    get table() {
      return `meant_${tables}`;
    },
    rows: async (text) => (await pool.query<Record<string, unknown>>(text)).rows,
  };
}

/** The names that a query finds, best first. */
export async function foundBy(source: PostgresSource, text: string, limit = 10): Promise<readonly string[]> {
  return (await source.search(parseQuery(text), { limit })).map(({ name }) => name);
}
