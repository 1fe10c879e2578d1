import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, STEMS, stem } from '../../../src/scorers/words/words.ts';

describe('the stem', () => {
  it.each([
    { forms: ['translate', 'translates', 'translating', 'translation', 'translations'], why: 'verb and noun' },
    { forms: ['issue', 'issues'], why: 'plural' },
    { forms: ['query', 'queries'], why: 'plural in -ies' },
    { forms: ['schedule', 'scheduled', 'scheduling'], why: 'a silent e' },
    { forms: ['commit', 'commits', 'committed', 'committing'], why: 'a doubled letter' },
  ])('is the same for $forms: $why', ({ forms }) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    { forms: ['add', 'adds', 'added', 'adding'], why: 'an exception: added is no ad' },
    { forms: ['index', 'indexes', 'indices'], why: 'an exception: an irregular plural' },
    { forms: ['analysis', 'analyses'], why: 'an exception: another one' },
    { forms: ['customer', 'customers'], why: 'an exception and its plural' },
  ])('is the same for $forms: $why', ({ forms }) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    ['email', 'mail'],
    ['create', 'delete'],
    ['open', 'close'],
    ['list', 'listen'],
    ['file', 'filter'],
    ['news', 'new'],
    ['general', 'generate'],
    ['generic', 'generate'],
    ['marketing', 'market'],
    ['university', 'universe'],
    ['customer', 'custom'],
    ['organization', 'organize'],
    ['author', 'authorize'],
    ['conversion', 'conversation'],
    ['activity', 'activate'],
    ['presentation', 'present'],
    ['settings', 'set'],
    ['canvas', 'canva'],
    ['indicator', 'indices'],
  ])('differs for %s and %s', (first, second) => {
    expect(stem(first)).not.toBe(stem(second));
  });

  it.each([
    { word: 'k8s', why: 'digits' },
    { word: 's3', why: 'short' },
    { word: 'as', why: 'short' },
    { word: 'überweisungen', why: 'not English' },
    { word: 'задачи', why: 'another alphabet' },
    { word: '快递', why: 'no alphabet' },
    { word: 'aed', why: 'a currency, of which no single letter is the stem' },
    { word: '', why: 'nothing' },
  ])('leaves "$word" as it is: $why', ({ word }) => {
    expect(stem(word)).toBe(word);
  });

  it('of a word that every object has as a key is a stem like any other', () => {
    expect(stem('constructors')).toBe(stem('constructor'));
    expect(stem('constructor')).toMatch(/^construct/);
  });

  it('is the same each time, also after very many other words', () => {
    const before = stem('translations');
    for (let n = 0; n < 60_000; n++) stem(`w${n.toString(26).replace(/\d/g, 'x')}`);
    expect(stem('translations')).toBe(before);
  });

  it('of an exception is the same after very many other words', () => {
    for (let n = 0; n < 60_000; n++) stem(`x${n.toString(26).replace(/\d/g, 'x')}`);
    expect(stem('news')).toBe('news');
  });

  it('of the first word of a group of exceptions is that word, and no other word has two', () => {
    const roots = new Set(STEMS.map(([, root]) => root));
    for (const root of roots) expect(stem(root)).toBe(stem(stem(root)));
    expect(new Set(STEMS.map(([word]) => word)).size).toBe(STEMS.length);
  });

  it('begins as the word does', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    for (const word of [...short, ...STEMS.map(([exception]) => exception)]) {
      if (!word.startsWith(beginningOf(stem(word)))) expect.fail(`${word} has the stem ${stem(word)}`);
    }
    const end = fc.constantFrom(
      'ing',
      'ed',
      'eed',
      'ies',
      'sses',
      'es',
      's',
      'y',
      'ly',
      'ational',
      'izer',
      'ement',
      'e',
    );
    const begin = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(begin, fc.array(end, { maxLength: 3 }), (first, rest) => {
        const word = first + rest.join('');
        expect(word.startsWith(beginningOf(stem(word)))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never empty, and hardly longer than the word', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aeiousnglty'), minLength: 1, maxLength: 12 }), (word) => {
        expect(stem(word)).not.toBe('');
        expect(stem(word).length).toBeLessThanOrEqual(word.length + 1);
      }),
    );
  });
});
