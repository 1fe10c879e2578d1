import { expect, it } from 'vitest';
import { asRecord, isRecord } from '../../src/util/record.ts';

class Message {
  readonly role = 'user';
}

it.each([{ a: 1 }, {}, Object.create(null), new Message(), new Map()])('takes an object for a record: %o', (value) => {
  expect(isRecord(value)).toBe(true);
  expect(asRecord(value)).toBe(value);
});

it.each([null, undefined, 'text', 7, ['a'], () => {}])('takes nothing else for one: %o', (value) => {
  expect(isRecord(value)).toBe(false);
  expect(asRecord(value)).toBeUndefined();
});
