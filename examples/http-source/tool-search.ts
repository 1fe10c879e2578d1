// What the service knows: tools in SQLite, ranked by its full-text search (FTS5).
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Definition } from '../support/services.ts';

export interface Candidate {
  readonly name: string;
  readonly description: string;
  readonly score: number;
  readonly group?: string;
  readonly parameters: readonly string[];
}

const COLUMNS = 'name, description, "group", definition';
/** The name counts most. Less is better. */
const RANK = 'bm25(tools, 3, 1, 2, 0.5)';
/** A tool that the query names comes before all others. */
const NAMED = 1_000;
/** More words are no query. */
const MAX_WORDS = 100;

export class ToolSearch {
  readonly #database = new DatabaseSync(':memory:');

  constructor(definitions: readonly Definition[]) {
    this.#database.exec(`CREATE VIRTUAL TABLE tools USING fts5(
      name, description, "group", parameters, definition UNINDEXED, tokenize = 'porter unicode61')`);
    this.fill(definitions);
  }

  /** Writes the tools, in place of all that there were. */
  fill(definitions: readonly Definition[]): void {
    this.#database.exec('DELETE FROM tools');
    const insert = this.#database.prepare('INSERT INTO tools VALUES (?, ?, ?, ?, ?)');
    for (const definition of definitions) {
      const { name, description, group, inputSchema } = definition;
      const parameters = Object.keys(inputSchema.properties ?? {}).join(' ');
      insert.run(name, description, group ?? '', parameters, JSON.stringify(definition));
    }
  }

  search(keywords: readonly string[], required: readonly string[], limit: number): readonly Candidate[] {
    if (keywords.length === 0) return [];
    const asked = [...new Set(keywords)].slice(0, MAX_WORDS);
    const quoted = (word: string): string => `"${word.replaceAll('\0', ' ').replaceAll('"', '""')}"`;
    const words = [`(${asked.map(quoted).join(' OR ')})`, ...required.map(quoted)].join(' AND ');
    const score = `${NAMED} * (name IN (SELECT value FROM json_each(?1))) - ${RANK}`;
    return this.#candidates(
      `SELECT ${COLUMNS}, ${score} AS score FROM tools WHERE tools MATCH ?2 ORDER BY score DESC, name LIMIT ?3`,
      ...[JSON.stringify(keywords), words, limit],
    );
  }

  withPrefix(prefix: string, limit: number): readonly Candidate[] {
    const isListed = 'substr(name, 1, length(?1)) = ?1';
    return this.#candidates(`SELECT ${COLUMNS} FROM tools WHERE ${isListed} ORDER BY name LIMIT ?2`, prefix, limit);
  }

  inGroup(group: string, limit: number): readonly Candidate[] {
    const isListed = `"group" <> '' AND lower("group") = lower(?1)`;
    return this.#candidates(`SELECT ${COLUMNS} FROM tools WHERE ${isListed} ORDER BY name LIMIT ?2`, group, limit);
  }

  definitions(names: readonly string[]): readonly Definition[] {
    const sql = 'SELECT definition FROM tools WHERE name IN (SELECT value FROM json_each(?))';
    return this.#all(sql, JSON.stringify(names)).map(({ definition }) => JSON.parse(String(definition)) as Definition);
  }

  close(): void {
    this.#database.close();
  }

  #all(sql: string, ...values: SQLInputValue[]): readonly Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values);
  }

  #candidates(sql: string, ...values: SQLInputValue[]): readonly Candidate[] {
    return this.#all(sql, ...values).map(({ name, description, group, definition, score }) => {
      const { inputSchema } = JSON.parse(String(definition)) as Definition;
      const parameters = Object.keys(inputSchema.properties ?? {});
      const candidate = { name: String(name), description: String(description), score: Number(score ?? 0), parameters };
      return group === '' ? candidate : { ...candidate, group: String(group) };
    });
  }
}
