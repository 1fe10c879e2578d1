import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../src/search/indexes.ts';
import { document } from '../fixtures/tools.ts';

describe('fingerprint()', () => {
  const entry = document('a', 'Does it.', { keywords: ['b'], parameters: [['c', 'd', 'e']] });

  it('is the same for documents with the same content', () => {
    expect(fingerprint(structuredClone(entry))).toBe(fingerprint(entry));
    expect(fingerprint(entry)).toBe(fingerprint(entry));
    expect(fingerprint(entry).length).toBeGreaterThanOrEqual(43);
  });

  it.each([
    { why: 'name', other: { ...entry, name: 'b' } },
    { why: 'description', other: { ...entry, description: 'Does it' } },
    { why: 'title', other: { ...entry, title: 'T' } },
    { why: 'server', other: { ...entry, server: 's' } },
    { why: 'keywords', other: { ...entry, keywords: ['b', ''] } },
    { why: 'keywords, joined', other: { ...entry, keywords: ['b', 'c'] } },
    { why: 'values', other: { ...entry, parameters: [{ name: 'c', description: 'd', values: ['e', 'f'] }] } },
    { why: 'place of a text', other: { ...entry, description: '', title: 'Does it.' } },
  ])('differs for documents with another $why', ({ other }) => {
    expect(fingerprint(other)).not.toBe(fingerprint(entry));
  });
});
