import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regexFor } from '../../src/util/text.ts';
import { regexesInSource, regexOf } from '../support/regexes.ts';

const SOURCES = [
  String.raw`[\p{L}\p{N}]`,
  String.raw`^[^\p{L}\p{M}\p{N}_]+`,
  String.raw`[\p{L}\p{M}\p{N}_+#]`,
  String.raw`^[^\p{L}\p{N}]*\+`,
  String.raw`.{1,100}(?![\p{L}\p{N}])|.{1,100}`,
];

describe('an expression for a text', () => {
  it.each(SOURCES)('finds in plain ASCII what Unicode finds: %s', (source) => {
    const expression = regexFor(source, 'gsu');
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 150 }), (text) => {
        expect(text.match(expression(text))).toEqual(text.match(new RegExp(source, 'gsu')));
      }),
    );
  });

  it.each(['über', '天气', 'naïve +x', '－+a'])('is that of Unicode for another text: %s', (text) => {
    expect(regexFor(String.raw`[\p{L}\p{N}]+`, 'gu')(text)).toEqual(/[\p{L}\p{N}]+/gu);
  });

  it('is in the table above as it is written in src', () => {
    const written = new Set(regexesInSource().map(({ text }) => text));
    for (const source of SOURCES) {
      const flags = ['u', 'gsu'].find((some) => written.has(`/${source}/${some}`));
      expect(flags, source).toBeDefined();
      expect(regexOf(`/${source}/${flags}`).source).toBe(source);
    }
  });
});
