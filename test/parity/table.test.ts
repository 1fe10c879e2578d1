import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { differencesTable } from './differences.ts';

it('is what the README shows (to update it: node test/parity/write-table.ts)', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme.includes(differencesTable())).toBe(true);
});
