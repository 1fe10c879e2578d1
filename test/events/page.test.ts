import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVENTS } from '../../src/events/table.ts';
import { declaredEvents, PAGES, withTable } from './page.ts';

it.each(PAGES)('%s has the tables of the events: node test/events/write-table.ts writes them', (file) => {
  const page = readFileSync(file, 'utf8');
  expect(withTable(page)).toBe(page);
});

it('every event has an entry, and says when it comes', () => {
  expect(declaredEvents().map(({ type }) => type)).toEqual(Object.keys(EVENTS));
  expect(declaredEvents().filter(({ when }) => when === '')).toEqual([]);
});
