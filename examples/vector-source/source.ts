import { createTool } from '@mastra/core/tools';
import type { SourceCandidate, ToolSource } from 'mastra-tool-search';
import type { Definition } from '../support/services.ts';

/** A PostgreSQL with pgvector. */
export interface Database {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  exec(sql: string): Promise<unknown>;
}

export interface VectorSourceOptions {
  readonly database: Database;
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
  /** Functions cannot be stored. */
  run(name: string, input: Readonly<Record<string, unknown>>): unknown;
}

/** What is less like the query does not belong to it. Which similarity that is depends on the model. */
const LEAST = 0.25;
const COLUMNS = `name, description, "group", ARRAY(SELECT json_object_keys(definition->'inputSchema'->'properties')) AS parameters`;

/** Tools in a vector store alone: found by meaning, and nothing of them in memory. */
export function vectorSource({ database, embed, run }: VectorSourceOptions): ToolSource & {
  /** Writes the tools, in place of all that there were. */
  fill(definitions: readonly Definition[]): Promise<void>;
} {
  const vectorOf = async (text: string): Promise<string> => JSON.stringify((await embed([text]))[0]);

  function toTool({ name, description, inputSchema }: Definition): ReturnType<typeof createTool> {
    return createTool({
      id: name,
      description,
      inputSchema,
      execute: async (input: unknown) => run(name, { ...(input as object) }),
    });
  }

  return {
    name: 'vectors',
    async search({ text, required }, { limit }) {
      if (text === '') return [];
      const { rows } = await database.query(
        `SELECT ${COLUMNS}, 1 - (vector <=> $1) AS score FROM tools
         WHERE 1 - (vector <=> $1) > $2
           AND (SELECT bool_and(strpos(lower(name || ' ' || description), lower(word)) > 0) FROM unnest($3::text[]) AS word)
             IS NOT FALSE
         ORDER BY vector <=> $1, name LIMIT $4`,
        [await vectorOf(text), LEAST, required, limit],
      );
      return rows as SourceCandidate[];
    },
    async get(names) {
      const { rows } = await database.query('SELECT definition FROM tools WHERE name = ANY($1)', [names]);
      const found = (rows as { definition: Definition }[]).map(({ definition }) => definition);
      return Object.fromEntries(found.map((definition) => [definition.name, toTool(definition)]));
    },
    async list(of, { limit }) {
      const [isListed, value] =
        'prefix' in of ? ['starts_with(name, $1)', of.prefix] : ['lower("group") = lower($1)', of.group];
      const { rows } = await database.query(
        `SELECT ${COLUMNS}, 0 AS score FROM tools WHERE ${isListed} ORDER BY name LIMIT $2`,
        [value, limit],
      );
      return rows as SourceCandidate[];
    },
    async fill(definitions) {
      const vectors = await embed(
        definitions.map(({ name, description }) => `${name.replaceAll('_', ' ')}. ${description}`),
      );
      await database.exec(`CREATE EXTENSION IF NOT EXISTS vector;
        DROP TABLE IF EXISTS tools;
        CREATE TABLE tools (name text PRIMARY KEY, description text, "group" text, definition json,
          vector vector(${vectors[0]?.length ?? 1}));`);
      for (const [at, definition] of definitions.entries()) {
        const { name, description, group } = definition;
        const values = [name, description, group, JSON.stringify(definition), JSON.stringify(vectors[at])];
        await database.query('INSERT INTO tools VALUES ($1, $2, $3, $4, $5)', values);
      }
    },
  };
}
