import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitIdentifier, words } from '../../../src/scorers/words/words.ts';

/** Words of scripts that write with spaces, and what stands between them. */
const spaced = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom('getWeather', 'GitHub', 'HTTPUrl', 'k8s', '2026', 'Zürich', 'ŒUVRE', 'погода', 'ΟΔΟΣ', 'मौसम'),
        fc.constantFrom('שלום', 'مرحبا', 'x'.repeat(70), 'ÜBER'.repeat(20), '½', 'ﬁle', 'İstanbul', 'ß'),
        fc.string({ unit: fc.constantFrom(...'aBcXyZ019äÖéжЩ'), minLength: 1, maxLength: 8 }),
      ),
      fc.constantFrom(' ', ', ', '_', '-', '. ', '\n', '📧', '—'),
    ),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.map(([word, end]) => word + end).join(''));

describe('a text of several scripts', () => {
  it('has the words that its parts have, each script by its own rules', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        const alone = words(text);
        const split = splitIdentifier(text);
        for (const other of ['快', '電車', 'อากาศ', '한국어']) {
          expect(words(`${other} ${text}`)).toEqual([...words(other), ...alone]);
          expect(words(`${text} ${other}`)).toEqual([...alone, ...words(other)]);
          expect(splitIdentifier(`${text} ${other}`)).toEqual([...split, ...splitIdentifier(other)]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    { text: 'call getWeather 快递', expected: ['call', 'get', 'weather', '快递'], why: 'an identifier beside Chinese' },
    { text: 'GitHub 快递 v2', expected: ['github', '快递', 'v2'], why: 'a word with a capital inside beside Chinese' },
    { text: '快递API查询', expected: ['快递', 'api', '查询'], why: 'letters between signs' },
    { text: 'ΟΔΟΣ ΣΑΣ', expected: ['οδος', 'σας'], why: 'the last letter of each Greek word, not of the text' },
    { text: 'ÜBER_ŒUVRE', expected: ['uber', 'œuvre'], why: 'capitals beyond ASCII' },
  ])('has the words $expected in "$text": $why', ({ text, expected }) => {
    expect(words(text)).toEqual(expected);
  });

  it.each(['—', '→', '…', '“', '’', '•', '✅', '📧', '👩‍💻', '©', '\u00a0', '─', '\u200b'])(
    'has words on both sides of %s, in English and beside other letters',
    (sign) => {
      for (const text of [`send${sign}mail`, `send ${sign} mail`]) {
        expect([words(text), splitIdentifier(text)]).toEqual([
          ['send', 'mail'],
          ['send', 'mail'],
        ]);
        expect([words(`${text} я`), splitIdentifier(`${text} я`)]).toEqual([
          ['send', 'mail', 'я'],
          ['send', 'mail', 'я'],
        ]);
      }
    },
  );

  it.each([
    { text: '⚠️Deletes', word: 'deletes' },
    { text: '⚠️Löscht', word: 'loscht' },
  ])('has the word right behind a coloured sign: $text', ({ text, word }) => {
    expect(words(text)).toEqual([word]);
  });

  it('has words of bounded length in every script', () => {
    const long = ['x', 'ä', 'ж', '快', 'อ', '𐌰'].map((letter) => letter.repeat(500)).join(' ');
    expect(words(long).length).toBeGreaterThanOrEqual(6);
    for (const word of [...words(long), ...splitIdentifier(long)]) expect(word.length).toBeLessThanOrEqual(64);
  });
});
