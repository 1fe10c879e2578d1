// Writes the table of what works into docs/restarts.md: `node test/restart/write-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { restartsTable } from './rows.ts';

const page = new URL('../../docs/restarts.md', import.meta.url);
const marked = /(?<=<!-- restarts:start -->\n)[\s\S]*?(?=<!-- restarts:end -->)/;
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(marked, () => `\n${restartsTable()}\n\n`),
);
