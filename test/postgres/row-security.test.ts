import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PostgresPool } from '../../src/postgres/client.ts';
import { type PostgresSource, postgresSource } from '../../src/postgres/postgres-source.ts';
import { parseQuery } from '../../src/scorers/words/query.ts';

/** The statements of the page. */
const page = readFileSync(new URL('../../docs/postgres-source.md', import.meta.url), 'utf8');
const POLICIES = /```sql\n(.*?)```/s.exec(page)?.[1] ?? '';

let database: PGlite;
let source: PostgresSource;
/** Whom the database takes the reader for, whatever the source asks for. */
let known = '';

beforeAll(async () => {
  database = await PGlite.create();
  const readPool: PostgresPool = {
    query: (text, values) =>
      database.transaction(async (session) => {
        await session.query(`SELECT set_config('role', 'tool_reader', true), set_config('app.tenant', $1, true)`, [
          known,
        ]);
        return session.query<Record<string, unknown>>(text, values);
      }),
  };
  source = postgresSource({
    pool: database,
    readPool,
    tenant: ({ requestContext }) => requestContext?.get('tenant') as string,
    toTool: ({ description, inputSchema }) => ({ description, inputSchema }),
  });
  await source.migrate();
  await database.exec(POLICIES);
  for (const tenant of ['acme', 'other']) {
    await source.sync([{ name: `send_${tenant}_mail`, description: `Sends a mail of ${tenant}.` }], { tenant });
  }
});
afterAll(() => database.close());

const requestOf = (tenant: string) => ({ requestContext: new Map([['tenant', tenant]]) as never, limit: 10 });
const query = parseQuery('send mail') as Parameters<PostgresSource['search']>[0];

it('lets a reader see the tools of its tenant', async () => {
  known = 'acme';
  expect((await source.search(query, requestOf('acme'))).map(({ name }) => name)).toEqual(['send_acme_mail']);
  expect(Object.keys(await source.get(['send_acme_mail'], requestOf('acme')))).toEqual(['send_acme_mail']);
});

it('lets no reader see those of another one, even where the source asks for them', async () => {
  known = 'acme';
  expect(await source.search(query, requestOf('other'))).toEqual([]);
  expect(await source.get(['send_other_mail'], requestOf('other'))).toEqual({});
});

it('lets nobody see anything whom the database does not know', async () => {
  known = '';
  expect(await source.search(query, requestOf('acme'))).toEqual([]);
});

it('lets a reader write nothing', async () => {
  const reading = database.transaction(async (session) => {
    await session.query(`SELECT set_config('role', 'tool_reader', true), set_config('app.tenant', 'acme', true)`);
    await session.query('DELETE FROM tool_search');
  });
  await expect(reading).rejects.toThrow('permission denied');
});
