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
const LEAST = 0.3;
const COLUMNS = 'name, description, "group", definition';

/** Tools in a vector store alone: found by meaning, and nothing of them in memory. */
export function vectorSource({ database, embed, run }: VectorSourceOptions): ToolSource & {
  /** Writes the tools, in place of all that there were. */
  fill(definitions: readonly Definition[]): Promise<void>;
} {
  function toTool({ name, description, inputSchema }: Definition): ReturnType<typeof createTool> {
    return createTool({
      id: name,
      description,
      inputSchema,
      execute: async (input: unknown) => run(name, { ...(input as object) }),
    });
  }

  async function candidates(sql: string, values: unknown[]): Promise<readonly SourceCandidate[]> {
    const { rows } = await database.query(sql, values);
    return (rows as readonly Row[]).map(({ name, description, group, definition, score = 0 }) => {
      const parameters = Object.keys(definition.inputSchema.properties ?? {});
      return { name, description, score, parameters, ...(group === null ? {} : { group }) };
    });
  }

  return {
    name: 'vectors',
    async search({ keywords, required }, { limit }) {
      if (keywords.length === 0) return [];
      const [vector] = await embed([storable(keywords.join(' '))]);
      // A tool that the query names comes before all others.
      return candidates(
        `SELECT ${COLUMNS}, score FROM tools,
           LATERAL (SELECT CASE WHEN name = ANY($2) THEN 2 ELSE 1 - (vector <=> $1) END AS score) AS likeness
         WHERE score > $3
           AND (SELECT bool_and(strpos(lower(name || ' ' || description), lower(word)) > 0) FROM unnest($4::text[]) AS word)
             IS NOT FALSE
         ORDER BY score DESC, name LIMIT $5`,
        [JSON.stringify(vector), keywords.map(storable), LEAST, required.map(storable), limit],
      );
    },
    async get(names) {
      const { rows } = await database.query('SELECT definition FROM tools WHERE name = ANY($1)', [
        names.filter(isStorable),
      ]);
      const found = (rows as readonly Row[]).map(({ definition }) => definition);
      return Object.fromEntries(found.map((definition) => [definition.name, toTool(definition)]));
    },
    list: (of, { limit }) =>
      'prefix' in of
        ? candidates(`SELECT ${COLUMNS} FROM tools WHERE starts_with(name, $1) ORDER BY name LIMIT $2`, [
            of.prefix,
            limit,
          ])
        : candidates(`SELECT ${COLUMNS} FROM tools WHERE lower("group") = lower($1) ORDER BY name LIMIT $2`, [
            of.group,
            limit,
          ]),
    async fill(definitions) {
      const texts = definitions.map(({ name, description }) => `${name.replaceAll('_', ' ')}. ${description}`);
      const vectors = texts.length > 0 ? await embed(texts) : [];
      await database.exec(`CREATE EXTENSION IF NOT EXISTS vector;
        DROP TABLE IF EXISTS tools;
        CREATE TABLE tools (name text PRIMARY KEY, description text, "group" text, definition json,
          vector vector);`);
      for (const [at, definition] of definitions.entries()) {
        const { name, description, group } = definition;
        const values = [name, description, group ?? null, JSON.stringify(definition), JSON.stringify(vectors[at])];
        await database.query('INSERT INTO tools VALUES ($1, $2, $3, $4, $5)', values);
      }
    },
  };
}

interface Row extends Pick<Definition, 'name' | 'description'> {
  readonly group: string | null;
  readonly definition: Definition;
  readonly score?: number;
}

/** A text without what PostgreSQL has in none: zero bytes, and halves of characters. */
function storable(text: string): string {
  return text.replaceAll(/[\0\ud800-\udfff]/gu, ' ');
}

function isStorable(text: string): boolean {
  return storable(text) === text;
}
