// Writes the table of events into docs/events.md: `node test/events/write-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { withTable } from './page.ts';

const page = new URL('../../docs/events.md', import.meta.url);
writeFileSync(page, withTable(readFileSync(page, 'utf8')));
