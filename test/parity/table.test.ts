import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { differencesTable } from './differences.ts';

it('the table of docs/differences.md is what test/parity/differences.ts says (to update it: node test/parity/write-table.ts)', () => {
  const page = readFileSync(new URL('../../docs/differences.md', import.meta.url), 'utf8');
  expect(page.includes(differencesTable())).toBe(true);
});
