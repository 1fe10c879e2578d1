import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inTable, tableWords, WordTable } from '../../../src/scorers/meaning/word-table.ts';
import { WORD_VECTORS } from '../../../src/scorers/meaning/word-vectors.js';

/** The bytes of a table, as `training` writes them: words, each with its numbers of -8 to 7. */
function packed(rows: ReadonlyMap<string, readonly number[]>): Uint8Array {
  const words = [...rows.keys()].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const vocabulary = Buffer.from(words.join('\n'));
  const dims = [...rows.values()][0]!.length;
  const head = Buffer.alloc(20);
  head.write('MTSE', 'latin1');
  head.writeUInt16LE(1, 4);
  head.writeUInt16LE(dims, 6);
  head.writeUInt32LE(words.length, 8);
  head.writeUInt8(4, 12);
  head.writeUInt32LE(vocabulary.length, 16);
  const numbers = words.flatMap((word) => rows.get(word) as number[]);
  const pairs = Array.from({ length: numbers.length / 2 }, (_, at) => {
    const [low, high] = [numbers[2 * at]! + 8, numbers[2 * at + 1]! + 8];
    return low | (high << 4);
  });
  return Buffer.concat([head, vocabulary, Uint8Array.from(pairs)]);
}

/** What the format says of a word, read without haste from a Map. */
function reference(rows: ReadonlyMap<string, readonly number[]>, word: string): readonly number[] | undefined {
  const entries = spelt(rows, word);
  if (entries.length === 0) return undefined;
  return entries.map((entry) => rows.get(entry)!).reduce((sum, row) => sum.map((value, at) => value + row[at]!));
}

function spelt(rows: ReadonlyMap<string, unknown>, word: string): readonly string[] {
  if (rows.has(word)) return [word];
  const isUnspaced = /[\u3040-\u30ff\u3400-\u9fff]/.test(word);
  const found: string[] = [];
  for (let at = 0; at < word.length; ) {
    let length = Math.min(isUnspaced ? 8 : word.length, word.length - at);
    const entryOf = (): string => `${at > 0 && !isUnspaced ? '##' : ''}${word.slice(at, at + length)}`;
    while (length > 0 && !rows.has(entryOf())) length--;
    if (length > 0) found.push(entryOf());
    else if (!isUnspaced) return [];
    at += Math.max(1, length);
  }
  return found;
}

const ENTRIES = `a ab abc abd b ba bab bc c ca cab ##a ##ab ##abc ##b ##bc ##c ##ca д да дом ##д ##да ##ом 天 天气 气 天气预 報 é`;
const ROWS = new Map(
  ENTRIES.split(' ').map((word, at) => [word, Array.from({ length: 6 }, (_, n) => ((at * 7 + n * 5) % 16) - 8)]),
);
const TABLE = new WordTable(packed(ROWS));

function vectorOf(table: WordTable, word: string): readonly number[] | undefined {
  const sum = new Int32Array(table.dims);
  return table.add(word, sum) ? [...sum] : undefined;
}

describe('a table of word vectors', () => {
  it.each([...ROWS.keys()].filter((word) => !word.startsWith('#')))('has the vector of %s', (word) => {
    expect(vectorOf(TABLE, word)).toEqual(ROWS.get(word));
  });

  it('spells other words with the longest entries from left to right, as the format says', () => {
    const words = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'abcd'), minLength: 1, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'дaом'), minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom(...'天气预報a'), minLength: 1, maxLength: 12 }),
    );
    fc.assert(
      fc.property(words, (word) => {
        expect(vectorOf(TABLE, word)).toEqual(reference(ROWS, word));
      }),
      { numRuns: 2_000 },
    );
  });

  it('adds nothing for a word that it cannot spell, and skips what it does not know in a script without spaces', () => {
    expect(vectorOf(TABLE, 'abz')).toBeUndefined();
    expect(vectorOf(TABLE, '')).toBeUndefined();
    expect(vectorOf(TABLE, '龍天气龍')).toEqual(ROWS.get('天气'));
    expect(vectorOf(TABLE, '龍')).toBeUndefined();
  });

  it('reads bytes that stand within others', () => {
    const bytes = packed(ROWS);
    const within = new Uint8Array(bytes.length + 7);
    within.set(bytes, 3);
    expect(vectorOf(new WordTable(within.subarray(3, 3 + bytes.length)), 'abcab')).toEqual(vectorOf(TABLE, 'abcab'));
  });

  const changed = (at: number, value: number): Uint8Array => {
    const bytes = Uint8Array.from(packed(ROWS));
    bytes[at] = value;
    return bytes;
  };
  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(0), /another format/],
    ['other letters in front', changed(0, 0), /another format/],
    ['another version', changed(4, 2), /another format/],
    ['eight bits a number', changed(12, 8), /another format/],
    ['the half of it', packed(ROWS).subarray(0, -9), /cut off/],
    ['another number of words', changed(8, 3), /another number of words|cut off/],
  ])('refuses what is none: %s', (_, bytes, message) => {
    expect(() => new WordTable(bytes)).toThrow(message);
  });
});

describe('the words of a text', () => {
  const made = (text: string): readonly string[] => tableWords(text).map(inTable).filter(Boolean);

  it.each([
    ['getHTTPServer2x_list-all', ['get', 'http', 'server2x', 'list', 'all']],
    ['Überweisung für Zürich', ['uberweisung', 'fur', 'zurich']],
    ['12 files, 3 года', ['files', 'года']],
    ['天气 forecast', ['天气', 'forecast']],
    ['', []],
  ])('of "%s"', (text, words) => {
    expect(made(text)).toEqual(words);
  });

  it('are the same, whether ASCII is read the short way or as any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abAB19_ -.'), maxLength: 20 }), (text) => {
        // A letter beyond ASCII, in a word of its own.
        expect([...made(text), 'я']).toEqual(made(`${text} я`));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the table of the package', () => {
  const table = new WordTable(Buffer.from(WORD_VECTORS, 'base64'));
  const cosine = (one: string, other: string): number => {
    const [a, b] = [one, other].map((word) => {
      const sum = new Int32Array(table.dims);
      for (const each of tableWords(word)) expect(table.add(inTable(each), sum), each).toBe(true);
      return [...sum];
    }) as [number[], number[]];
    const dot = (x: number[], y: number[]): number => x.reduce((sum, value, at) => sum + value * y[at]!, 0);
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  };

  const NEIGHBOURS: readonly [word: string, near: string][] = [
    ['invoice', 'bill'],
    ['repo', 'repository'],
    ['photo', 'picture'],
    ['delete', 'remove'],
    ['meeting', 'appointment'],
    ['doctor', 'physician'],
    ['song', 'music'],
    ['k8s', 'kubernetes'],
    ['spreadsheet', 'excel'],
  ];

  it('has every word that the training names nearer to the one than to the other', () => {
    const golden = JSON.parse(readFileSync('training/neighbours.json', 'utf8')) as [string, string, string][];
    expect(golden.length).toBeGreaterThan(40);
    expect(golden.filter(([word, near, far]) => cosine(word, near) <= cosine(word, far))).toEqual([]);
  });

  it('has the words of each pair nearer than those of two pairs', () => {
    // Words of one meaning stand for it once.
    const pairs = NEIGHBOURS.slice(0, 9);
    const wrong = pairs.flatMap(([word, near]) =>
      pairs
        .filter(([, other]) => other !== near && cosine(word, other) >= cosine(word, near))
        .map(([, other]) => [word, other]),
    );
    expect(wrong).toEqual([]);
  });
});
