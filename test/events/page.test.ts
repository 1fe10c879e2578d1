import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVENTS } from '../../src/events/table.ts';
import { declaredEvents, withTable } from './page.ts';

it('docs/events.md has the table of the events: node test/events/write-table.ts writes it', () => {
  const page = readFileSync('docs/events.md', 'utf8');
  expect(withTable(page)).toBe(page);
});

it('docs/troubleshooting.md says what to do about every fault in the log', () => {
  const [, rows = ''] = readFileSync('docs/troubleshooting.md', 'utf8').split('| Event |');
  const told = Array.from(rows.matchAll(/^\| `([\w-]+)` \|/gm), ([, type = '']) => type);
  expect(Object.keys(EVENTS)).toEqual(expect.arrayContaining(told));
  const logged = Object.entries(EVENTS).flatMap(([type, entry]) => ('warns' in entry ? type : []));
  // What the pages about them say.
  expect(logged.filter((type) => !told.includes(type))).toEqual(['preselect', 'native-off']);
});

it('every event has an entry, and says when it comes', () => {
  expect(declaredEvents().map(({ type }) => type)).toEqual(Object.keys(EVENTS));
  expect(declaredEvents().filter(({ when }) => when === '')).toEqual([]);
});
