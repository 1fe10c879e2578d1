import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { declaredEvents, EVENTS, PAGES, withTable } from './page.ts';

it.each(PAGES)('%s has its table of the events: node test/events/write-table.ts writes it', (file) => {
  const page = readFileSync(file, 'utf8');
  expect(withTable(page)).toBe(page);
});

it('every fault in the log says what to do about it', () => {
  const told = declaredEvents().flatMap(({ type, cause, remedy }) => (cause && remedy ? [type] : []));
  const logged = Object.entries(EVENTS).flatMap(([type, entry]) => ('warns' in entry ? type : []));
  // What the pages about them say.
  expect(logged.filter((type) => !told.includes(type))).toEqual(['preselect', 'native-off']);
});

it('every event has an entry, and says when it comes', () => {
  expect(declaredEvents().map(({ type }) => type)).toEqual(Object.keys(EVENTS));
  expect(declaredEvents().filter(({ when }) => when === '')).toEqual([]);
});
