import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packGroups, unpackGroups } from '../../../../src/scorers/words/thesaurus/packed-groups.ts';
import { keyedGroups } from '../../../../src/scorers/words/thesaurus/synonyms.ts';
import { builtInGroups } from '../../../../src/scorers/words/thesaurus/vocabulary.ts';

describe('packed groups', () => {
  it('are the groups of the built-in vocabulary, once they are unpacked, in half the characters', () => {
    const packed = packGroups(builtInGroups());
    expect(unpackGroups(packed)).toEqual(builtInGroups());
    expect(JSON.stringify(packed).length).toBeLessThan(JSON.stringify(builtInGroups()).length / 2);
  });

  it('are any groups of words', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abeginsty'), minLength: 1, maxLength: 9 });
    const member = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
    const group = fc.record({
      words: fc.array(member, { minLength: 1, maxLength: 4 }),
      weight: fc.constantFrom(0.5, 0.8),
      forUnknown: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(group), (groups) => {
        const keyed = keyedGroups(groups);
        expect(unpackGroups(packGroups(keyed))).toEqual(keyed);
      }),
    );
  });
});
