import { bm25Scorer } from 'mastra-tool-search';
import { toolSynonyms } from 'mastra-tool-search/synonyms';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../src/scorers/words/query.ts';
import { isStopWord, stem, words } from '../../../../src/scorers/words/words.ts';
import { document } from '../../../fixtures/tools.ts';
import { search } from '../../scorer-contract.ts';

/** The groups for which something does not hold, as texts: a failure names them. */
const groupsWith = (isWrong: (group: readonly string[]) => boolean): string[] =>
  toolSynonyms.filter((group) => isWrong(group.words)).map((group) => group.words.join(', '));
const wordsWith = (isWrong: (word: string) => boolean): string[] =>
  toolSynonyms.flatMap((group) => group.words.filter(isWrong));

const hasStopWord = (word: string): boolean => words(word).length > 1 && words(word).some(isStopWord);
const nameOf = (word: string): string => word.replaceAll(' ', '_');

describe('the built-in vocabulary', () => {
  it('has no group that says nothing', () => {
    expect(groupsWith((group) => group.length < 2)).toEqual([]);
  });

  it('has no group twice', () => {
    const groups = toolSynonyms.map((group) => [...group.words].sort().join(', '));
    expect(groups.filter((group, at) => groups.indexOf(group) !== at)).toEqual([]);
  });

  it('has no word twice in a group', () => {
    expect(groupsWith((group) => new Set(group).size !== group.length)).toEqual([]);
  });

  it('has no empty words, no stray separators, and none in capitals', () => {
    expect(wordsWith((word) => words(word).length === 0)).toEqual([]);
    expect(wordsWith((word) => /[;,_\t\n]|^ | $| {2}/.test(word))).toEqual([]);
    expect(wordsWith((word) => word !== word.toLowerCase())).toEqual([]);
  });

  it('has no word that is one with an accent less, or written with loose accents', () => {
    expect(wordsWith((word) => word !== word.normalize('NFC'))).toEqual([]);
  });

  it('has no phrase that is too long to be looked for', () => {
    expect(wordsWith((word) => /^[\x20-\x7f]*$/.test(word) && words(word).length > 4)).toEqual([]);
  });

  it('has weights below that of the word itself', () => {
    for (const { weight } of toolSynonyms) {
      expect(weight).toBeGreaterThan(0);
      expect(weight).toBeLessThan(1);
    }
  });

  it('finds a tool for a phrase that has a word which says nothing', async () => {
    const missed: string[] = [];
    for (const { words: group } of toolSynonyms.filter((entry) => entry.words.some(hasStopWord))) {
      const documents = group.filter((word) => !hasStopWord(word)).map((word) => document(`${nameOf(word)}_thing`));
      for (const phrase of group.filter(hasStopWord)) {
        const found = await search(bm25Scorer(), documents, `please ${phrase} quickly`);
        if (found.length < documents.length) missed.push(phrase);
      }
    }
    expect(missed).toEqual([]);
  });

  it('finds a tool by an everyday word only where no tool has that word', async () => {
    const missed: string[] = [];
    for (const { words: group } of toolSynonyms.filter(({ forUnknown }) => forUnknown)) {
      for (const word of group) {
        const others = group.filter((other) => other !== word && !hasStopWord(other));
        // A phrase has the word itself.
        if (others.some((other) => words(other).map(stem).includes(stem(word)))) continue;
        const index = await bm25Scorer().index(others.map((other) => document(`${nameOf(other)}_thing`)));
        const found = await index.search(parseQuery(word));
        if (found.length < others.length) missed.push(`"${word}" finds ${found.length} of ${others.join(', ')}`);
      }
    }
    expect(missed).toEqual([]);

    const synonyms = [{ words: ['tent', 'shelter', 'lean to'], forUnknown: true }];
    const names = async (...documents: string[]) =>
      (
        await search(
          bm25Scorer({ synonyms }),
          documents.map((name) => document(name)),
          'tents',
        )
      ).map(({ name }) => name);
    expect(await names('find_shelter')).toEqual(['find_shelter']);
    expect(await names('find_shelter', 'find_tent')).toEqual(['find_tent']);
  });

  it('finds a tool named by one word of a group for each other word, and that of the word itself first', async () => {
    const missed: string[] = [];
    for (const { words: all } of toolSynonyms.filter(({ forUnknown }) => !forUnknown)) {
      // Spellings with and without an accent are one word.
      const spelled = new Map(all.map((word) => [words(word).join(' '), word]));
      const group = [...spelled.values()].filter((word) => !hasStopWord(word));
      const documents = group.map((word) => document(`${nameOf(word)}_thing`));
      const index = await bm25Scorer().index(documents);
      for (const word of group) {
        const found = await index.search({ text: word, keywords: word.split(' '), required: [] });
        if (found[0]?.name !== `${nameOf(word)}_thing`) missed.push(`"${word}" finds ${found[0]?.name} first`);
        if (found[0] && found[1] && found[0].score === found[1].score) missed.push(`"${word}" ties ${found[1].name}`);
        for (const { name } of documents) {
          if (!found.some((match) => match.name === name)) missed.push(`"${word}" does not find ${name}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });

  it('does not make a tool of what every second word stands for', async () => {
    const documents = [document('send_email'), document('get_weather'), document('list_files')];
    for (const query of ['xylophone', 'photosynthesis', 'marathon']) {
      expect(await search(bm25Scorer(), documents, query)).toEqual([]);
    }
  });
});
