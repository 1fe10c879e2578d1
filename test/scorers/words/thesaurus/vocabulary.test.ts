import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { toolSynonyms } from 'mastra-tool-search/synonyms';
import { describe, expect, it } from 'vitest';
import { stem } from '../../../../src/scorers/words/stem.ts';
import { builtInGroups, builtInSynonyms } from '../../../../src/scorers/words/thesaurus/built-in.ts';
import { keyedGroups, Synonyms } from '../../../../src/scorers/words/thesaurus/synonyms.ts';
import { words } from '../../../../src/scorers/words/words.ts';
import { FILE, vocabularyModule } from './build.ts';

describe('the generated vocabulary', () => {
  it('is current: if not, run npm run build:thesaurus', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(vocabularyModule());
  });

  it('has the words and stems of each group of toolSynonyms', () => {
    expect(builtInGroups()).toEqual(keyedGroups(toolSynonyms));
  });

  const read = new Synonyms(keyedGroups(toolSynonyms));
  const members = toolSynonyms.flatMap((group) => group.words);

  it('gives each word and phrase the synonyms that toolSynonyms give it', () => {
    for (const member of members) {
      const list = words(member);
      expect([...builtInSynonyms().phrases(list)]).toEqual([...read.phrases(list)]);
      expect(list.map((word) => builtInSynonyms().has(word))).toEqual(list.map((word) => read.has(word)));
    }
  });

  it('gives them among other words, too, and in other forms', () => {
    const part = fc.oneof(fc.constantFrom(...members), fc.constantFrom(...members.map(stem)), fc.string());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const list = words(parts.join(' '));
        expect([...builtInSynonyms().phrases(list)]).toEqual([...read.phrases(list)]);
      }),
    );
  });
});
