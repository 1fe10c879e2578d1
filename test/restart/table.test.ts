import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { restartsTable } from './rows.ts';

it('the table of docs/restarts.md is what works() says (to update it: node test/restart/write-table.ts)', () => {
  const page = readFileSync(new URL('../../docs/restarts.md', import.meta.url), 'utf8');
  expect(page.includes(restartsTable())).toBe(true);
});
