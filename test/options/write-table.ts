// Writes the tables of options into docs/options.md: `node test/options/write-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './page.ts';

const page = new URL('../../docs/options.md', import.meta.url);
writeFileSync(page, withTables(readFileSync(page, 'utf8')));
