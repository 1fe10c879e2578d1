import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeenNames } from '../../src/postgres/seen-names.ts';
import { anyText } from '../support/any-text.ts';

// Half a character has no bytes of its own: names with one are repaired before.
const wellFormed = anyText().map((text) => Buffer.from(text).toString());

it('knows the names that were added, and no others', () => {
  fc.assert(
    fc.property(fc.array(wellFormed), fc.array(wellFormed), (added, others) => {
      const seen = new SeenNames();
      for (const name of added) seen.add(name);
      expect(added.every((name) => seen.has(name))).toBe(true);
      expect(others.filter((name) => seen.has(name) !== added.includes(name))).toEqual([]);
    }),
  );
});

it('still does with tens of thousands of names, each added twice', () => {
  const seen = new SeenNames();
  for (let round = 0; round < 2; round++) for (let at = 0; at < 50_000; at++) seen.add(`tool_${at}`);
  const wrong = Array.from({ length: 100_000 }, (_, at) => at).filter((at) => seen.has(`tool_${at}`) !== at < 50_000);
  expect(wrong).toEqual([]);
});
