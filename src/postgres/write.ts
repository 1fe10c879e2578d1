import type { PostgresSession } from './client.ts';
import type { Tables } from './tables.ts';

/** A row of the tools, but for its tenant. */
export interface ToolRow {
  readonly name: string;
  readonly hash: string;
  readonly server: string;
  readonly spelling: string;
  /** JSON. */
  readonly definition: string;
  /** JSON. */
  readonly document: string;
  readonly lengths: readonly number[];
  /** The literal of a tsvector. */
  readonly words: string;
}

/** Columns beside the tenant, with their types. */
const COLUMNS: Readonly<Record<keyof ToolRow, string>> = {
  name: 'text',
  hash: 'text',
  server: 'text',
  spelling: 'text',
  definition: 'json',
  document: 'json',
  lengths: 'smallint[]',
  words: 'tsvector',
};
const NAMES = Object.keys(COLUMNS) as readonly (keyof ToolRow)[];

/** PostgreSQL's codes for a deadlock, and for a change of another transaction in between. */
const AGAIN: ReadonlySet<unknown> = new Set(['40P01', '40001']);
/** Attempts for a batch that meets other writers. */
const ATTEMPTS = 5;

/** Compares and writes the tools of a tenant. Each call is one statement: it happens wholly or not at all. */
export class TenantWriter {
  readonly #session: PostgresSession;
  readonly #tools: string;
  readonly #tenant: string;
  readonly #upsert: string;

  constructor(session: PostgresSession, { tools }: Tables, tenant: string) {
    this.#session = session;
    this.#tools = tools;
    this.#tenant = tenant;
    const lists = NAMES.map((_, at) => `$${at + 2}::text[]`).join(', ');
    const values = NAMES.map((name) => `given.${name}::${COLUMNS[name]}`).join(', ');
    const changes = NAMES.slice(1).map((name) => `${name} = excluded.${name}`);
    this.#upsert = `INSERT INTO ${tools} (tenant, ${NAMES.join(', ')})
      SELECT $1, ${values} FROM unnest(${lists}) AS given (${NAMES.join(', ')})
      ON CONFLICT (tenant, name) DO UPDATE SET ${changes.join(', ')}`;
  }

  /** The places of the tools that are not there, and of those that are others there. */
  async changed(tools: readonly Pick<ToolRow, 'name' | 'hash'>[]): Promise<{ added: number[]; updated: number[] }> {
    const rows = await this.#query(
      `SELECT (at - 1)::int AS at, kept.hash IS NULL AS new
      FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (name, hash, at)
      LEFT JOIN ${this.#tools} AS kept ON kept.tenant = $1 AND kept.name = given.name
      WHERE kept.hash IS DISTINCT FROM given.hash ORDER BY at`,
      [tools.map(({ name }) => name), tools.map(({ hash }) => hash)],
    );
    const places = (isNew: boolean): number[] => rows.filter((row) => row['new'] === isNew).map(({ at }) => Number(at));
    return { added: places(true), updated: places(false) };
  }

  /** Adds rows, and replaces those of the same name. */
  async put(rows: readonly ToolRow[]): Promise<void> {
    const values = NAMES.map((name) =>
      rows.map((row) => (name === 'lengths' ? `{${row.lengths.join(',')}}` : row[name])),
    );
    await this.#query(this.#upsert, values);
  }

  /** Names behind this one, in their order. */
  async namesAfter(name: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#query(
      `SELECT name FROM ${this.#tools} WHERE tenant = $1 AND name > $2 ORDER BY name LIMIT $3`,
      [name, limit],
    );
    return rows.map((row) => String(row['name']));
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.#query(`DELETE FROM ${this.#tools} WHERE tenant = $1 AND name = ANY ($2::text[])`, [names]);
  }

  async #query(text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#session.query(text, [this.#tenant, ...values])).rows;
      } catch (error) {
        if (attempt === ATTEMPTS || !AGAIN.has((error as { code?: unknown }).code)) throw error;
      }
    }
  }
}
