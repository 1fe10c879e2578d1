/** Two scopes that a careless store takes for one. */
export const alikeScopes: readonly { readonly why: string; readonly one: string; readonly other: string }[] = [
  { why: 'case', one: 'Thread', other: 'thread' },
  { why: 'a space at the end', one: 'thread', other: 'thread ' },
  { why: 'a line break at the end', one: 'thread', other: 'thread\n' },
  { why: 'composed and decomposed letters', one: 'caf\u00e9', other: 'cafe\u0301' },
  { why: 'a prefix', one: 'thread', other: 'thread:1' },
  { why: 'a glob', one: '*', other: 'thread-2' },
  { why: 'a pattern of SQL', one: 'thread_3', other: 'thread-3' },
  { why: 'another pattern of SQL', one: '%', other: 'thread-4' },
  { why: 'where the separator stands', one: '["a:b","c"]', other: '["a","b:c"]' },
  { why: 'an escaped character', one: 'a%20b', other: 'a b' },
  { why: 'a leading zero', one: '1', other: '01' },
  { why: 'which half of a surrogate pair', one: '\ud800', other: '\ud801' },
  { why: 'half a surrogate pair and its replacement', one: '\udc00', other: '\ufffd' },
  { why: 'an escape of its own', one: 'a:b', other: 'a%003ab' },
  {
    why: 'half a surrogate pair in 10,000 characters',
    one: `${'x'.repeat(9999)}\ud800`,
    other: `${'x'.repeat(9999)}\ud801`,
  },
  { why: 'the last of 10,000 characters', one: `${'x'.repeat(9999)}a`, other: `${'x'.repeat(9999)}b` },
];

export const oddScopes: readonly { readonly why: string; readonly scope: string }[] = [
  { why: 'other scripts and emoji', scope: '["用户","スレッド 🧵"]' },
  { why: '10 KB', scope: 'x'.repeat(10_240) },
  { why: 'line breaks and tabs', scope: 'a\nb\r\nc\td' },
  { why: '__proto__', scope: '__proto__' },
  { why: 'constructor', scope: 'constructor' },
  { why: 'a path', scope: '../../etc/passwd' },
  { why: 'the end of a statement', scope: `'; DROP TABLE scopes; --"` },
  { why: 'only spaces', scope: '   ' },
  { why: 'a null character', scope: 'a\0b' },
  { why: 'half a surrogate pair', scope: 'a\ud800b' },
];

/** Names in an order that an object's keys, a sort or a separator would not keep. */
export const oddNames: readonly string[] = [
  ...['__proto__', 'constructor', 'toString', 'a,b', 'a b', 'a\nb', '"a"', '["a"]', "'", '10', '2', '01', 'Ä', 'ä'],
  ...['工具', '🧵', 'x'.repeat(1000), '*', '%', '\\', 'null', 'undefined', ' a', 'a', 'A'],
  ...['ttl', '-0', 'a%0041', 'a\0b', '\\u0000', '\ud800', '\udc00', '\ufffd', ''],
];
