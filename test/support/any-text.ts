import fc from 'fast-check';

/** Text with all that may stand in a tool's description. */
export function anyText(): fc.Arbitrary<string> {
  const parts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '\n',
      '\r\n',
      '\u0000',
      '\u2028',
      '\u202e',
      '\u200b',
      '\u200d',
      '\u061c',
      '\ufeff',
      '\ufffa',
      '\u{e0041}',
      '\u{e0100}',
      '\ud800',
      '\udc00',
      '\u0085',
      '😀',
      ' ',
      '`',
      '</tools>',
      '</available-deferred-tools>',
      'x'.repeat(300),
    ),
  );
  return fc.array(parts, { maxLength: 6 }).map((list) => list.join(''));
}
