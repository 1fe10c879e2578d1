import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { documented, optionsIn, withTables } from './page.ts';

it('docs/options.md has the tables of the options: node test/options/write-table.ts writes them', () => {
  const page = readFileSync('docs/options.md', 'utf8');
  expect(withTables(page)).toBe(page);
});

it('every option has a row, or belongs to one that has', () => {
  const rows = optionsIn().filter(({ option }) => option.topic);
  const isTold = (path: string): boolean =>
    rows.some((row) => row.path === path || row.path.startsWith(`${path}.`) || path.startsWith(`${row.path}.`));
  expect(optionsIn().filter(({ path }) => !isTold(path))).toEqual([]);
});

it.each(optionsIn().filter(({ option }) => option.topic))('the docstring of $path tells its default', (row) => {
  const docs = documented(row.path);
  expect(docs?.help).not.toBe('');
  const { default: value } = row.option;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  const shown = typeof value === 'string' ? `'${value}'` : `${value}`;
  if (isPlain) expect(docs?.default.replaceAll('_', '')).toMatch(new RegExp(`^${shown}(?!\\w)`));
});
