import { expect, it } from 'vitest';
import { ToolSearchProcessor } from '../../src/index.ts';
import { readUse } from '../../src/learning/uses.ts';
import type { LearnedUse } from '../../src/loaded/stores/learning-store.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { contextOf, KEY, learnedStore, storeOf } from './learned-store.ts';

const good = { use: 'abcdef.abcd.report_two', usedAt: 5 };
const contents: Readonly<Record<string, unknown>> = {
  'a use that is null': { key: KEY, uses: [null] },
  'a use that is a text': { key: KEY, uses: ['abc', good] },
  'times that are none': {
    key: KEY,
    uses: [
      { use: good.use, usedAt: Number.NaN },
      { use: good.use, usedAt: '5' },
    ],
  },
  'a time beyond the end': { key: KEY, uses: [{ use: good.use, usedAt: 8.64e15 }] },
  'a symbol': { key: KEY, uses: [{ use: Symbol('x'), usedAt: 1 }] },
  'names of Object.prototype': { key: KEY, uses: [{ use: 'abcdef.abcd.__proto__', usedAt: Date.now() }] },
  'a huge key': { key: 'k'.repeat(1_000_000), uses: [good] },
  'an empty key': { key: '', uses: [good] },
  'no words': { key: KEY, uses: [{ use: '.abcd.report_two', usedAt: Date.now() }] },
  'a number': 5,
  zero: 0,
  'an empty text': '',
  false: false,
  NaN: Number.NaN,
  'zero as a bigint': 0n,
  null: null,
};

const tools = toolRecord(tool('report_one', 'Weather report.'), tool('report_two', 'Weather report.'));
/** The results of two searches in a row, over a store whose every scope has this. */
async function foundOver(learned: unknown) {
  const processor = new ToolSearchProcessor({ tools, learning: { store: storeOf(learned) } });
  const search = () => processor.search('weather report', { requestContext: contextOf('ann'), explain: true });
  return [await search(), await search()];
}
const learnedUses = async () => (await learnedStore('weather report', 'report_two').read(''))?.uses ?? [];
const lifted = { name: 'report_two', byUse: expect.any(Number) };

it.each(Object.keys(contents))('searches go on where a store returns %s', async (which) => {
  const found = await foundOver(contents[which]);
  expect(found.flat().map(({ byUse }) => byUse)).toEqual(Array(4).fill(undefined));
});

/** A list that counts what is read of it. */
function countingList(length: number, at: (place: number) => unknown): { readonly list: unknown[]; read: number } {
  const counter = { list: [] as unknown[], read: 0 };
  counter.list = new Proxy(new Array(length), {
    has: (_, key) => key !== 'constructor',
    get(target, key, receiver) {
      if (typeof key !== 'string' || !/^\d+$/.test(key)) return Reflect.get(target, key, receiver);
      counter.read += 1;
      return at(Number(key));
    },
  });
  return counter;
}

it('of a million uses the last 10,000 are read, once, and count', async () => {
  const uses = await learnedUses();
  const first = 1_000_000 - uses.length;
  const others: LearnedUse = { use: 'abcdef.abcd.report_one', usedAt: 1 };
  const counter = countingList(1_000_000, (place) => (place < first ? others : uses[place - first]));
  const [found] = await foundOver({ key: KEY, uses: counter.list });
  expect(found?.[0]).toMatchObject(lifted);
  expect(counter.read).toBe(10_000);
});

it('what cannot be read among the uses is passed over', async () => {
  const throwing = {
    get use(): string {
      throw new Error('no');
    },
    usedAt: 1,
  };
  const uses = [throwing, null, { use: 'x'.repeat(1_000_000), usedAt: 1 }, ...(await learnedUses()), []];
  const [found] = await foundOver({ key: KEY, uses });
  expect(found?.[0]).toMatchObject(lifted);
});

it('a use that is longer than a store may be given is none, and a word counts once', () => {
  expect(readUse({ use: `${'abcdef'.repeat(10_000)}.abcd.report`, usedAt: 1 })).toBeUndefined();
  expect(readUse({ use: 'abcdefabcdef.abcd.report', usedAt: 1 })?.words).toEqual(['abcdef']);
});
