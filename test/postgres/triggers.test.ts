import fc from 'fast-check';
import { expect, it } from 'vitest';
import { migrate } from '../../src/postgres/migrate.ts';
import { tablesOf } from '../../src/postgres/schema.ts';
import { countsOf } from './counts.ts';
import { describeDatabases } from './databases.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
const row = fc.record({
  tenant: fc.constantFrom('', 'a', 'b'),
  name: fc.constantFrom('one', 'two', 'three', 'four'),
  words: fc.subarray(WORDS),
  length: fc.nat(255),
});
/** What other clients may do to the table. */
const statement = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), rows: fc.array(row, { maxLength: 6 }) }),
  fc.record({ kind: fc.constant('upsert' as const), rows: fc.array(row, { maxLength: 6 }) }),
  fc.record({
    kind: fc.constant('update' as const),
    tenant: row.map(({ tenant }) => tenant),
    words: fc.subarray(WORDS),
  }),
  fc.record({ kind: fc.constant('move' as const), name: row.map(({ name }) => name), to: fc.constantFrom('c', 'd') }),
  fc.record({ kind: fc.constant('delete' as const), name: row.map(({ name }) => name) }),
  fc.record({ kind: fc.constant('truncate' as const) }),
);
interface Row {
  readonly tenant: string;
  readonly name: string;
  readonly words: readonly string[];
  readonly length: number;
}
type Statement =
  | { kind: 'insert' | 'upsert'; rows: readonly Row[] }
  | { kind: 'update'; tenant: string; words: readonly string[] }
  | { kind: 'move'; name: string; to: string }
  | { kind: 'delete'; name: string }
  | { kind: 'truncate' };

describeDatabases('the counts of words and tenants', (database) => {
  it('are right after whatever statements, whoever writes them', async () => {
    const table = database.freshTable();
    await migrate(database.pool, tablesOf(table));
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), async (statements) => {
        await database.rows(`TRUNCATE ${table}`);
        for (const each of statements) {
          // A row that moves may find its place taken.
          await database.rows(...textOf(table, each)).catch((error) => expect(error.code).toBe('23505'));
        }
        const { kept, counted } = await countsOf(database, table);
        expect(kept).toEqual(counted);
      }),
      { numRuns: 30 },
    );
  });

  it('are right after ten writers at once, and after one that takes its changes back', async () => {
    const table = database.freshTable();
    await migrate(database.pool, tablesOf(table));
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => {
        const rows = [0, 1].map((tenant) => ({ tenant: `${tenant}`, name: `tool_${at}`, words: WORDS, length: at }));
        return database.rows(...textOf(table, { kind: 'insert', rows: at % 2 === 0 ? rows : rows.reverse() }));
      }),
    );
    await expect(
      database.rows(`DO $$ BEGIN DELETE FROM ${table}; RAISE EXCEPTION 'taken back'; END $$`),
    ).rejects.toThrow('taken back');
    const { kept, counted } = await countsOf(database, table);
    expect(kept).toEqual(counted);
    expect(await database.rows(`SELECT count(*)::int AS count FROM ${table}`)).toEqual([{ count: 20 }]);
  });
});

function textOf(table: string, statement: Statement): [text: string, values?: unknown[]] {
  switch (statement.kind) {
    case 'insert':
    case 'upsert': {
      const { rows, kind } = statement;
      const distinct = [...new Map(rows.map((each) => [`${each.tenant} ${each.name}`, each])).values()];
      const values = distinct.map(
        ({ tenant, name, words, length }) =>
          `('${tenant}', '${name}', '', '', '', '{}', '{}', '{${length},0,0,0,0,0,0,1}'::smallint[], '${words.join(' ')}'::tsvector)`,
      );
      const source = values.length > 0 ? `VALUES ${values.join(', ')}` : `SELECT * FROM ${table} WHERE false`;
      const conflict =
        kind === 'insert'
          ? 'DO NOTHING'
          : '(tenant, name) DO UPDATE SET words = excluded.words, lengths = excluded.lengths';
      return [
        `INSERT INTO ${table} (tenant, name, hash, server, spelling, definition, document, lengths, words) ${source} ON CONFLICT ${conflict}`,
      ];
    }
    case 'update':
      return [
        `UPDATE ${table} SET words = $1::tsvector WHERE tenant = $2`,
        [statement.words.join(' '), statement.tenant],
      ];
    case 'move':
      return [`UPDATE ${table} SET tenant = $1 || tenant, name = name WHERE name = $2`, [statement.to, statement.name]];
    case 'delete':
      return [`DELETE FROM ${table} WHERE name = $1`, [statement.name]];
    case 'truncate':
      return [`TRUNCATE ${table}`];
  }
}
