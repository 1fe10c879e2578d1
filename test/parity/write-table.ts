// Writes the table of differences into docs/differences.md: `node test/parity/write-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { differencesTable } from './differences.ts';

const page = new URL('../../docs/differences.md', import.meta.url);
const marked = /(?<=<!-- differences:start -->\n)[\s\S]*?(?=<!-- differences:end -->)/;
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(marked, () => `\n${differencesTable()}\n\n`),
);
