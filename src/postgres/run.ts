import { hash } from 'node:crypto';
import { unlessAborted } from '../kit.ts';
import type { PostgresPool } from './client.ts';

/** Runs a statement, and returns its rows. */
export type RunStatement = <Row>(
  text: string,
  values: readonly unknown[],
  abortSignal?: AbortSignal,
) => Promise<readonly Row[]>;

/** What a `Pool` of pg takes, and PGlite does not: a statement that each connection prepares once, under its name. */
interface NamedQuery {
  query(config: { name: string; text: string; values: unknown[] }): PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/**
 * Runs statements of a pool, prepared where it is one of pg.
 *
 * @param prepares - false for a pooler that does not keep prepared statements, such as an old PgBouncer.
 */
export function runOver(pool: PostgresPool, prepares: boolean): RunStatement {
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    const known = names.get(text);
    if (known !== undefined) return known;
    const name = `tool_search_${hash('sha256', text, 'hex').slice(0, 16)}`;
    names.set(text, name);
    return name;
  };
  const isNamed = prepares && 'totalCount' in pool;
  const query = (text: string, values: unknown[]): PromiseLike<{ readonly rows: readonly unknown[] }> =>
    isNamed ? (pool as unknown as NamedQuery).query({ name: nameOf(text), text, values }) : pool.query(text, values);
  return async <Row>(text: string, values: readonly unknown[], abortSignal?: AbortSignal): Promise<readonly Row[]> => {
    abortSignal?.throwIfAborted();
    const answer = await unlessAborted((async () => query(text, [...values]))(), abortSignal);
    abortSignal?.throwIfAborted();
    return (answer?.rows ?? []) as readonly Row[];
  };
}
