import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStopWord } from '../../../src/query/stop-words.ts';
import { splitIdentifier, words } from '../../../src/query/words.ts';
import { NumberList } from '../../../src/scorers/bm25/number-list.ts';
import { TextReader } from '../../../src/scorers/bm25/text-reader.ts';
import { WordNumbers } from '../../../src/scorers/bm25/word-numbers.ts';

/** What was read, as words again. */
function textsOf(reader: TextReader, list: NumberList): string[] {
  return [...list.toArray()].map((number) => reader.numbers.words[number] ?? '?');
}

function read(text: string, onlyContent = false): string[] {
  const [reader, list] = [new TextReader(new WordNumbers()), new NumberList()];
  reader.readTexts([text], list, onlyContent);
  return textsOf(reader, list);
}

function readIdentifier(name: string): string[] {
  const [reader, list] = [new TextReader(new WordNumbers()), new NumberList()];
  reader.readIdentifier(name, list);
  return textsOf(reader, list);
}

const piece = fc.oneof(
  fc.constantFrom('the', 'The', 'AND', 'of', 'getWeather', 'getHTTPUrl', 'HTTPServer', 'XMLHttpRequest', 'aB', 'ABc'),
  fc.constantFrom('k8s', 's3', 'base64Encode', '2026', 'v2Users', '0x1F', 'Zürich', 'ÜBERWEISUNG', 'créer', 'ﬁle'),
  fc.constantFrom('快递', '查询快递包裹', 'カタカナ', '한국어', 'พยากรณ์อากาศ', 'погода', 'ΟΔΟΣ', 'मौसम', 'İ', 'ß', '½'),
  fc.constantFrom('📧', '👩‍👩‍👧', '—', '“x”', '\ud800', '\u0000', '_', '__proto__', 'constructor'),
  fc.constantFrom('x'.repeat(63), 'Y'.repeat(70), 'aB'.repeat(40), `a${'𐌰'.repeat(40)}`, `${'x'.repeat(64)}Y`),
  fc.string({ unit: fc.constantFrom(...'abXYZ01_ -.'), maxLength: 12 }),
);
const oddPiece = fc.oneof(piece, fc.constant('\u0308'), fc.string({ unit: 'grapheme', maxLength: 6 }));

const end = fc.constantFrom('', ' ', '_', '-', '.', '\n');
const textOf = (pieces: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(fc.tuple(pieces, end), { maxLength: 12 }).map((list) => list.map((both) => both.join('')).join(''));
const texts = textOf(oddPiece);

describe('words read as numbers', () => {
  it('are those that words() finds, of one text after the other', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), (all) => {
        const [reader, list] = [new TextReader(new WordNumbers()), new NumberList()];
        for (const text of all) reader.readTexts([text], list);
        expect(textsOf(reader, list)).toEqual(all.flatMap(words));
        expect(reader.numbers.words).toEqual([...new Set(all.flatMap(words))]);
      }),
      { numRuns: 500 },
    );
  });

  it('of several texts are those of each, plain ones first', () => {
    fc.assert(
      // Marks without a letter, and scripts that nobody uses for tools, may end otherwise beside a script without spaces.
      fc.property(fc.array(textOf(piece), { maxLength: 5 }), fc.boolean(), (all, onlyContent) => {
        const [reader, list] = [new TextReader(new WordNumbers()), new NumberList()];
        reader.readTexts(all, list, onlyContent);
        const expected = all.flatMap(words).filter((word) => !onlyContent || !isStopWord(word));
        expect(textsOf(reader, list).sort()).toEqual(expected.sort());
      }),
      { numRuns: 500 },
    );
    const [reader, list] = [new TextReader(new WordNumbers()), new NumberList()];
    reader.readTexts(['Zürich', 'heron', '', '快递', 'stork'], list);
    expect(textsOf(reader, list)).toEqual(['heron', 'stork', 'zurich', '快递']);
  });

  it('are those that splitIdentifier() finds', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), (names) => {
        const [reader, list] = [new TextReader(new WordNumbers()), new NumberList()];
        for (const name of names) reader.readIdentifier(name, list);
        expect(textsOf(reader, list)).toEqual(names.flatMap(splitIdentifier));
      }),
      { numRuns: 500 },
    );
  });

  it('are without those that say nothing, where only content is wanted', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(read(text, true)).toEqual(words(text).filter((word) => !isStopWord(word)));
      }),
    );
    expect(read('The weather of A city, and Zürich', true)).toEqual(['weather', 'city', 'zurich']);
    expect(read('of the', true)).toEqual([]);
    expect(read('The weather of')).toEqual(['the', 'weather', 'of']);
  });

  it.each([
    { why: 'the end of the text that counts falls between two words', text: 'word '.repeat(4_001) },
    { why: 'it falls inside a word', text: `x${'word '.repeat(4_000)}words` },
    { why: 'every letter is a word', text: 'aB'.repeat(12_000) },
    { why: 'there is no break', text: 'x'.repeat(30_000) },
    { why: 'there is more beyond ASCII', text: `${'Zürich '.repeat(4_000)}end` },
    { why: 'there are no spaces', text: '快递包裹'.repeat(6_000) },
  ])('of a long text are the same: $why', ({ text }) => {
    expect(read(text)).toEqual(words(text));
    expect(readIdentifier(text)).toEqual(splitIdentifier(text));
    expect(read(text).length).toBeGreaterThan(0);
  });
});

describe('the number of a word', () => {
  it('is counted as the words come', () => {
    const reader = new TextReader(new WordNumbers());
    expect(['heron', 'stork', 'heron', 'swan'].map((word) => reader.numberOf(word))).toEqual([0, 1, 0, 2]);
  });

  it('is found without giving one to a new word', () => {
    const reader = new TextReader(new WordNumbers());
    for (const word of ['costarring', 'heron']) reader.numberOf(word);
    // The second has the same hash as a word that is there.
    expect(['heron', 'liquid', 'stork', '', '__proto__'].map((word) => reader.numbers.find(word))).toEqual([
      1,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(reader.numbers.words).toEqual(['costarring', 'heron']);
  });

  it('is the same in any casing', () => {
    const [reader, list] = [new TextReader(new WordNumbers()), new NumberList()];
    reader.readTexts(['Heron HERON heron'], list);
    expect([...list.toArray()]).toEqual([0, 0, 0]);
    expect(reader.numbers.words).toEqual(['heron']);
  });

  it('stays, however many words come', () => {
    const reader = new TextReader(new WordNumbers());
    const all = Array.from({ length: 20_000 }, (_, n) => `word${n.toString(36)}`);
    // Before, between and after the table grows.
    for (const [number, word] of all.entries()) expect(reader.numberOf(word)).toBe(number);
    for (const [number, word] of all.entries()) expect(reader.numbers.find(word)).toBe(number);
    const list = new NumberList();
    for (const word of all) reader.readTexts([word.toUpperCase()], list);
    expect([...list.toArray()]).toEqual([...all.keys()]);
    expect(reader.numbers.words).toEqual(all);
  });

  it.each([
    ['costarring', 'liquid'],
    ['declinate', 'macallums'],
    ['altarages', 'zinkes'],
  ])('tells %s from %s, which have the same hash', (first, second) => {
    const reader = new TextReader(new WordNumbers());
    expect([first, second, first, second].map((word) => reader.numberOf(word))).toEqual([0, 1, 0, 1]);
  });

  it('is that of two words written as one', () => {
    const all = ['heron', 'stork', 'Ω鶴', 'é', 'x'];
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.constantFrom(...all), fc.boolean(), (first, second, isKnown) => {
        const reader = new TextReader(new WordNumbers());
        for (const word of all) reader.numberOf(word);
        const known = isKnown ? reader.numberOf(first + second) : undefined;
        const compound = reader.compoundOf(reader.numberOf(first), reader.numberOf(second));
        expect(reader.numbers.words[compound]).toBe(first + second);
        expect(compound).toBe(known ?? reader.numbers.find(first + second));
        expect(new Set(reader.numbers.words).size).toBe(reader.numbers.words.length);
      }),
    );
  });

  it.each(['__proto__', 'constructor', 'toString', ''])('may be that of "%s"', (word) => {
    const reader = new TextReader(new WordNumbers());
    expect([reader.numberOf('other'), reader.numberOf(word), reader.numberOf(word)]).toEqual([0, 1, 1]);
  });
});
