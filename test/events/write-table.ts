// Writes the tables of events into docs/events.md and docs/troubleshooting.md: `node test/events/write-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { PAGES, withTable } from './page.ts';

for (const page of PAGES) writeFileSync(page, withTable(readFileSync(page, 'utf8')));
