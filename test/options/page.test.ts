import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { documented, optionsIn, rowsOf, withTables } from './page.ts';

const page = readFileSync('docs/options.md', 'utf8');
const rows = rowsOf(page);

it('docs/options.md has the tables of the options: node test/options/write-table.ts writes them', () => {
  expect(withTables(page)).toBe(page);
});

it('every option has a row, named in the marker above its table, or belongs to one that has', () => {
  const isTold = (path: string): boolean =>
    rows.some((row) => row === path || row.startsWith(`${path}.`) || path.startsWith(`${row}.`));
  expect(optionsIn().filter(({ path }) => !isTold(path))).toEqual([]);
  expect(new Set(rows).size).toBe(rows.length);
});

it.each(rows)('%s is an option, and its docstring tells its default', (path) => {
  const docs = documented(path);
  expect(docs?.help).not.toBe('');
  const value = optionsIn().find((each) => each.path === path)?.option.default;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  const shown = typeof value === 'string' ? `'${value}'` : `${value}`;
  const told = typeof value === 'number' ? docs?.default.replaceAll('_', '') : docs?.default;
  if (isPlain) expect(told).toMatch(new RegExp(`^${shown}(?!\\w)`));
});
