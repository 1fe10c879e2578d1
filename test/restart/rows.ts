import { CALL_MODE } from './app.ts';
import { COLUMNS, type Column, type Row } from './matrix.ts';

const stores = ['in-memory', 'context', 'redisStore', 'threadStateStore', 'a store of your own', CALL_MODE] as const;

export const rows: readonly Row[] = stores.flatMap((store) =>
  (['Agent', 'DurableAgent'] as const).flatMap((kind) =>
    (['the same', 'a new one'] as const).map((where) => ({ store, kind, process: where })),
  ),
);

/** What works, as the documentation says and the tests check. */
export function works({ store, process: where }: Row, column: Column): boolean {
  // What is kept in a process ends with it.
  return !(store === 'in-memory' && where === 'a new one' && column === 'still loaded');
}

/** The table of docs/restarts.md, line by line. */
export function restartsTable(): string {
  const lines = rows.map((row) => {
    const cells = COLUMNS.map((column) => (works(row, column) ? 'yes' : 'no'));
    return `| ${[row.store, row.kind, row.process, ...cells].join(' | ')} |`;
  });
  return [
    `| store | agent | process | ${COLUMNS.join(' | ')} |`,
    `|${'---|'.repeat(COLUMNS.length + 3)}`,
    ...lines,
  ].join('\n');
}
