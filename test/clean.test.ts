import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as prompts from '../src/prompts.ts';
import { anyText } from './support/any-text.ts';

describe('clean', () => {
  it.each([
    { text: 'plain', max: 10, line: 'plain', why: 'nothing to do' },
    { text: '  a\n\nb\t', max: 10, line: 'a b', why: 'one space for a run of control characters' },
    { text: 'a \n b', max: 10, line: 'a   b', why: 'spaces stay as they are' },
    { text: 'a\u200bb', max: 10, line: 'a\u200bb', why: 'joiners belong to scripts and emoji' },
    { text: '\u0000\u0007', max: 10, line: '', why: 'nothing is left' },
    { text: 'abcdefghijk', max: 10, line: 'abcdefg...', why: 'cut' },
    { text: 'abcdef😀hijk', max: 10, line: 'abcdef...', why: 'no half character' },
    { text: '日本語のツール説明文です', max: 10, line: '日本語のツール...', why: 'other scripts' },
  ])('makes $line of $text: $why', ({ text, max, line }) => {
    expect(prompts.clean(text, max)).toBe(line);
  });

  it('makes one line of bounded length, without control characters', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 4, max: 200 }), (text, max) => {
        const line = prompts.clean(text, max);
        expect(line.length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\p{Control}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        expect(line).toBe(line.trim());
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 4, max: 200 }), (text, max) => {
        const line = prompts.clean(text, max);
        expect(prompts.clean(line, max)).toBe(line);
      }),
    );
  });

  it('leaves short clean text as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]([a-z0-9 ]{0,100}[a-z0-9])?$/), (text) => {
        expect(prompts.clean(text, 110)).toBe(text);
      }),
    );
  });

  it('halves no character at its end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('😀', 'a', '\n'), maxLength: 60 }),
        fc.integer({ min: 30, max: 40 }),
        (text, max) => {
          expect(prompts.clean(text, max)).not.toMatch(/\p{Surrogate}/u);
        },
      ),
    );
  });

  it('halves no character behind many control characters', () => {
    expect(prompts.clean(`a${'\n'.repeat(38)}😀`, 10)).not.toMatch(/\p{Surrogate}/u);
  });

  it('shows that something is cut behind many control characters', () => {
    expect(prompts.clean(`a${'\n'.repeat(100)}b`, 10)).toMatch(/^a( b|\.\.\.)$/);
  });
});
