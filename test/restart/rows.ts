import { CALL_MODE } from './app.ts';
import { COLUMNS, type Column, type Row } from './matrix.ts';

const stores = ['in-memory', 'context', 'redisStore', 'threadStateStore', 'a store of your own', CALL_MODE] as const;

export const rows: readonly Row[] = stores.flatMap((store) =>
  (['Agent', 'DurableAgent'] as const).flatMap((kind) =>
    (['the same', 'a new one'] as const).map((where) => ({ store, kind, process: where })),
  ),
);

/** What works, as the documentation says and the tests check: the same for an Agent and a DurableAgent. */
export function works({ store, process: where }: Omit<Row, 'kind'>, column: Column): boolean {
  // What is kept in a process ends with it.
  return !(store === 'in-memory' && where === 'a new one' && column === 'still loaded');
}

/** The table of docs/restarts.md, line by line. */
export function restartsTable(): string {
  const lines = stores.flatMap((store) => {
    const [same, anew] = (['the same', 'a new one'] as const).map((where) =>
      COLUMNS.map((column) => (works({ store, process: where }, column) ? 'yes' : 'no')).join(' | '),
    );
    return same === anew
      ? [`| ${store} | any | ${same} |`]
      : [`| ${store} | the same | ${same} |`, `| ${store} | a new one | ${anew} |`];
  });
  return [`| store | process | ${COLUMNS.join(' | ')} |`, `|${'---|'.repeat(COLUMNS.length + 2)}`, ...lines].join('\n');
}
