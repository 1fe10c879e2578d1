import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownText } from '../../../../src/inspect/page/ui/shown-text.ts';
import { anyText } from '../../../support/any-text.ts';

const hidden = [...'\u0000\u0007\u001b\u007f\u0085\u200b\u200e\u200f\u202a\u202e\u2066\u2069\ufeff\u061c'];

describe('a text of the data', () => {
  it.each([
    ['Send an email.\n\tTo anyone.', 'Send an email.\n\tTo anyone.', 'is plain'],
    ['a\u202eb', 'a\\u{202e}b', 'reorders what is seen'],
    ['a\u200bb\u2060c', 'a\\u{200b}b\\u{2060}c', 'has nothing between its letters'],
    ['a\u0000\u001bb\u0085', 'a\\u{0}\\u{1b}b\\u{85}', 'has control characters'],
    ['\u{e0041}', '\\u{e0041}', 'has tags'],
    ['a\ud800', 'a\\u{d800}', 'has half a character'],
    ['\u2028', '\\u{2028}', 'has a line break that looks like none'],
    ['👩‍💻 ⚠️ Grüße 日本', '👩‍💻 ⚠️ Grüße 日本', 'has emoji and letters of the world'],
    ['a\u200db', 'a\\u{200d}b', 'joins letters as if they were emoji'],
    [
      'Ze\u0301\u0301\u0301\u0301\u0301.',
      'Ze\u0301\u0301\u0301….',
      'has more marks on a letter than a line has room for',
    ],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>', 'is markup, which stays text'],
  ])('%j is shown as %j, as it %s', (text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it('hides nothing, and is shown the same when it is shown again', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const shown = shownText(text);
        expect(hidden.filter((character) => shown.includes(character))).toEqual([]);
        expect(shownText(shown)).toBe(shown);
      }),
    );
  });
});
