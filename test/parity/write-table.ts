// Writes the table of differences into the README: `node test/parity/write-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { differencesTable } from './differences.ts';

const readme = new URL('../../README.md', import.meta.url);
const marked = /(?<=<!-- differences:start -->\n)[\s\S]*?(?=<!-- differences:end -->)/;
writeFileSync(
  readme,
  readFileSync(readme, 'utf8').replace(marked, () => `\n${differencesTable()}\n\n`),
);
