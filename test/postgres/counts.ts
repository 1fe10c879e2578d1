import type { Database } from './databases.ts';

/** What the triggers have counted, and what they should have: counted from the tools alone. */
export interface Counts {
  readonly kept: unknown;
  readonly counted: unknown;
}

export async function countsOf({ rows }: Pick<Database, 'rows'>, table: string): Promise<Counts> {
  const words = `SELECT tenant, word, documents::int FROM ${table}_words ORDER BY 1, 2`;
  const tenants = `SELECT tenant, documents::int, lengths FROM ${table}_tenants ORDER BY 1`;
  const countedWords = `
    SELECT tenant, word, count(*)::int AS documents FROM ${table}, unnest(tsvector_to_array(words)) AS word
    GROUP BY 1, 2 ORDER BY tenant, word COLLATE "C"`;
  const sums = Array.from({ length: 8 }, (_, at) => `coalesce(sum(lengths[${at + 1}]), 0)`).join(', ');
  const countedTenants = `
    SELECT tenant, count(*)::int AS documents, ARRAY[${sums}]::bigint[] AS lengths FROM ${table} GROUP BY 1 ORDER BY 1`;
  const plain = (found: unknown): unknown =>
    JSON.parse(
      JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value)).replaceAll(
        /"(-?\d+)"/g,
        '$1',
      ),
    );
  return {
    kept: plain([await rows(words), await rows(tenants)]),
    counted: plain([await rows(countedWords), await rows(countedTenants)]),
  };
}
