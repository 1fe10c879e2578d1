import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean } from '../../src/util/text.ts';
import { anyText } from '../support/any-text.ts';

describe('clean', () => {
  it.each([
    { text: 'plain', max: 10, line: 'plain', why: 'nothing to do' },
    { text: '  a\n\nb\t', max: 10, line: 'a b', why: 'one space for a run of control characters' },
    { text: 'a \n b', max: 10, line: 'a   b', why: 'spaces stay as they are' },
    { text: 'a\u200bb\u2060c\ufeffd', max: 10, line: 'abcd', why: 'nothing of no width' },
    { text: '\u200ea\u200fb\u061c\u2066c\u202e', max: 10, line: 'abc', why: 'no marks of direction' },
    { text: 'a\u{e0001}\u{e0068}\u{e0069}\u{e007f}b', max: 10, line: 'ab', why: 'no tag characters' },
    { text: 'a\u{e0100}\u{e01ef}\ufe0fb', max: 10, line: 'ab', why: 'no variation selectors, which can carry text' },
    { text: 'a\ud83db\ude00c', max: 10, line: 'abc', why: 'no half characters' },
    { text: 'a\ud83d\u200b\ude00b', max: 10, line: 'ab', why: 'no halves that meet afterwards' },
    { text: 'a\u200b\n\u200b\nb', max: 10, line: 'a b', why: 'one space for breaks with nothing between them' },
    { text: 'naïve e\u0301te\u0301', max: 20, line: 'naïve e\u0301te\u0301', why: 'accents of both kinds' },
    { text: 'שלום مرحبا', max: 20, line: 'שלום مرحبا', why: 'scripts from right to left' },
    { text: '👍🏽 🇫🇷', max: 20, line: '👍🏽 🇫🇷', why: 'skin tones and flags' },
    { text: '👩‍💻', max: 20, line: '👩💻', why: 'joined emoji in their parts' },
    { text: '\u0000\u0007', max: 10, line: '', why: 'nothing is left' },
    { text: 'abcdefghijk', max: 10, line: 'abcdefg...', why: 'cut' },
    { text: 'abcdef😀hijk', max: 10, line: 'abcdef...', why: 'no half character' },
    { text: '日本語のツール説明文です', max: 10, line: '日本語のツール...', why: 'other scripts' },
  ])('makes "$line" of "$text": $why', ({ text, max, line }) => {
    expect(clean(text, max)).toBe(line);
  });

  it('makes one line of bounded length, without control characters', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 4, max: 200 }), (text, max) => {
        const line = clean(text, max);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\p{Control}\u2028\u2029\ufff9-\ufffb]/u);
        expect(line).not.toMatch(/[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u);
        expect(line).not.toMatch(/\p{Surrogate}/u);
        expect(line).toBe(line.trim());
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 4, max: 200 }), (text, max) => {
        const line = clean(text, max);
        expect(clean(line, max)).toBe(line);
      }),
    );
  });

  it('leaves a short and clean text as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]([a-z0-9 ]{0,100}[a-z0-9])?$/), (text) => {
        expect(clean(text, 110)).toBe(text);
      }),
    );
  });

  it('never cuts within a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('😀', 'a', '\n'), maxLength: 60 }),
        fc.integer({ min: 30, max: 40 }),
        (text, max) => {
          expect(clean(text, max)).not.toMatch(/\p{Surrogate}/u);
        },
      ),
    );
  });

  it('never cuts within a character behind many control characters', () => {
    expect(clean(`a${'\n'.repeat(38)}😀`, 10)).not.toMatch(/\p{Surrogate}/u);
  });

  it('marks a cut behind many control characters', () => {
    expect(clean(`a${'\n'.repeat(100)}b`, 10)).toMatch(/^a( b|\.\.\.)$/);
  });
});
