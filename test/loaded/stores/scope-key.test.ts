import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeUnits, scopeHash, scopeKey, unescapeUnits } from '../../../src/loaded/stores/store.ts';
import { alikeScopes, oddScopes } from './store-odd-input.ts';

/** Any text at all, halves of surrogate pairs and what looks like an escape among it. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('%', '0', '0', '3', 'a', ':', 's', 'sha256-', '\ud800', '\udc00'))
    .map((parts) => parts.join('')),
);

describe('scopeKey', () => {
  it.each([
    { scope: '["user","thread-1"]', key: '["user","thread-1"]', why: 'it can be read' },
    { scope: 'a b', key: 'a%0020b', why: 'no spaces' },
    {
      scope: 'a:{b}',
      key: 'a%003a%007bb%007d',
      why: 'a prefix ends at a colon, and braces choose a node of a cluster',
    },
    { scope: '100%', key: '100%0025', why: 'what escapes is escaped' },
    { scope: 'ü\ud83e\uddf5', key: '%00fc%d83e%ddf5', why: 'by units of UTF-16' },
    { scope: 'x'.repeat(200), key: 'x'.repeat(200), why: 'as long as keys may be' },
  ])('of $scope is $key: $why', ({ scope, key }) => {
    expect(scopeKey(scope)).toBe(key);
  });

  it('of a longer scope is a hash, which no other scope has for a key', () => {
    const scope = 'x'.repeat(201);
    const key = scopeKey(scope);
    expect(key).toMatch(/^%sha256-[0-9a-f]{64}$/);
    expect(scopeKey(key)).not.toBe(key);
  });

  it('is short, printable and the key of no other scope', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(scopeKey(one)).toMatch(/^[!-9;-z|~]{0,200}$/);
        expect(scopeKey(one) === scopeKey(other)).toBe(one === other);
        expect(scopeHash(one) === scopeHash(other)).toBe(one === other);
      }),
      { numRuns: 2000 },
    );
  });

  it('tells scopes apart that are alike', () => {
    const scopes = new Set([
      ...alikeScopes.flatMap(({ one, other }) => [one, other]),
      ...oddScopes.map((odd) => odd.scope),
    ]);
    expect(new Set([...scopes].map(scopeKey)).size).toBe(scopes.size);
    expect(new Set([...scopes].map(scopeHash)).size).toBe(scopes.size);
  });
});

it('unescapeUnits undoes escapeUnits', () => {
  fc.assert(
    fc.property(text, (original) => {
      for (const pattern of [/[^!-~]|%/g, /[%\0]|\p{Surrogate}/gu]) {
        expect(unescapeUnits(escapeUnits(original, pattern))).toBe(original);
      }
    }),
  );
});
