import fc from 'fast-check';
import { bm25Scorer, type ToolScorer, ToolSearchError, ToolSearchProcessor } from 'mastra-tool-search';
import { type SynonymGroup, toolSynonyms } from 'mastra-tool-search/synonyms';
import { describe, expect, it } from 'vitest';
import { builtInSynonyms, keyedGroups, Synonyms } from '../../../../src/scorers/words/thesaurus/synonyms.ts';
import { stem, words } from '../../../../src/scorers/words/words.ts';
import { document } from '../../../fixtures/tools.ts';
import { tool, toolRecord } from '../../../support/harness.ts';
import { namesOf } from '../../scorer-contract.ts';

const synonymsOf = (groups: readonly SynonymGroup[]): Synonyms => new Synonyms(keyedGroups(groups));

/** start+length: other other */
const found = (groups: readonly SynonymGroup[], text: string): string[] =>
  [...synonymsOf(groups).phrases(words(text))].map(
    ({ start, length, synonyms }) =>
      `${start}+${length}: ${synonyms.map((synonym) => synonym.words.join('_')).join(' ')}`,
  );

const weightsOf = (groups: readonly SynonymGroup[], text: string): number[] =>
  [...synonymsOf(groups).phrases(words(text))].flatMap(({ synonyms }) => synonyms.map(({ weight }) => weight));

const PULLS: readonly SynonymGroup[] = [{ words: ['pr', 'pull request', 'patch'] }];

describe('synonyms', () => {
  it.each([
    { text: 'pr', expected: ['0+1: pull_request patch'], why: 'a word' },
    { text: 'patch', expected: ['0+1: pr pull_request'], why: 'whichever of the group' },
    { text: 'open a pull request now', expected: ['2+2: pr patch'], why: 'a phrase among words' },
    { text: 'pull requests', expected: ['0+2: pr patch'], why: 'another form of its last word' },
    { text: 'pulling requests', expected: ['0+2: pr patch'], why: 'another form of each word' },
    { text: 'PRs', expected: ['0+1: pull_request patch'], why: 'another form of an abbreviation' },
    { text: 'PR pr', expected: ['0+1: pull_request patch', '1+1: pull_request patch'], why: 'at each place' },
    { text: 'pull the request', expected: [], why: 'the phrase is interrupted' },
    { text: 'request pull', expected: [], why: 'the phrase is turned round' },
    { text: 'pull', expected: [], why: 'half a phrase' },
    { text: '', expected: [], why: 'nothing' },
    { text: 'constructor __proto__', expected: [], why: 'a name out of JavaScript' },
  ])('of "$text" are $expected: $why', ({ text, expected }) => {
    expect(found(PULLS, text)).toEqual(expected);
  });

  it('may be written in any casing and as identifiers', () => {
    expect(found([{ words: ['PR', 'pullRequest', 'Merge-Request'] }], 'pull request')).toEqual([
      '0+2: pr merge_request',
    ]);
  });

  it('may be names out of JavaScript', () => {
    expect(found([{ words: ['constructor', 'valueOf', 'hasOwnProperty', 'builder'] }], 'constructor')).toEqual([
      '0+1: own_property builder',
    ]);
  });

  it('are not forms of the same word: those are found anyway', () => {
    expect(found([{ words: ['config', 'configs', 'settings'] }], 'config').join()).not.toMatch(/config/);
  });

  it('of a word in several groups are those of all', () => {
    const groups = [{ words: ['list', 'show'] }, { words: ['list', 'array'], weight: 0.3 }];
    expect(found(groups, 'list')).toEqual(['0+1: show array']);
    expect(weightsOf(groups, 'list')).toEqual([0.8, 0.3]);
  });

  it('count 0.8 unless the group says otherwise', () => {
    expect(weightsOf([{ words: ['a1', 'b1'] }, { words: ['c1', 'd1'], weight: 1 }], 'a1 c1')).toEqual([0.8, 1]);
  });

  it('without letters or digits are passed over', () => {
    expect(found([{ words: ['pr', '', '...', 'patch'] }], 'pr')).toEqual(['0+1: patch']);
  });

  it('may be none at all', () => {
    expect(found([], 'pr')).toEqual([]);
    expect(found([{ words: [] }, { words: ['pr'] }], 'pr').join('')).not.toContain('pr');
  });

  it('leave the list as it is', () => {
    const group = Object.freeze({ words: Object.freeze(['pr', 'pull request']) });
    expect(found(Object.freeze([group]), 'pr')).toEqual(['0+1: pull_request']);
  });

  it('are symmetric, with the same weight in both directions', () => {
    const word = fc.constantFrom('heron', 'stork', 'pelican', 'grey heron', 'swan', 'duck', 'goose');
    const group = fc.record({
      words: fc.uniqueArray(word, { minLength: 2, maxLength: 4 }),
      weight: fc.double({ min: 0.01, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(group, { maxLength: 6 }), word, word, (groups, first, second) => {
        const synonyms = synonymsOf(groups);
        const between = (from: string, to: string): number[] =>
          [...synonyms.phrases(from.split(' '))]
            .filter(({ start, length }) => start === 0 && length === from.split(' ').length)
            .flatMap((phrase) => phrase.synonyms)
            .filter((synonym) => synonym.words.join(' ') === to)
            .map(({ weight }) => weight);
        expect(between(first, second)).toEqual(between(second, first));
        const together = groups.filter((entry) => entry.words.includes(first) && entry.words.includes(second));
        expect(between(first, second)).toEqual(first === second ? [] : together.map(({ weight }) => weight));
      }),
    );
  });

  it('of the built-in vocabulary are those of its groups', () => {
    const [builtIn, read] = [builtInSynonyms(), synonymsOf(toolSynonyms)];
    for (const member of toolSynonyms.flatMap((group) => group.words)) {
      const key = words(member).map(stem).join('_');
      expect(builtIn.of(key), member).toEqual(read.of(key));
    }
  });

  const dropped: readonly { query: string; tool: ReturnType<typeof document> }[] = [
    { query: 'point of interest', tool: document('find_sight') },
    { query: 'sight', tool: document('find', 'Lists each point of interest.') },
  ];

  it.each(dropped)('of phrases with words that say nothing are found: $query', async ({ query, tool: entry }) => {
    const scorer = bm25Scorer({ synonyms: [{ words: ['sight', 'point of interest'] }] });
    expect(await namesOf(scorer, [entry, document('other', 'Something else.')], query)).toEqual([entry.name]);
  });
});

const refused: readonly { why: string; synonyms: unknown; option: string; shown: string }[] = [
  { why: 'a record', synonyms: { pr: ['pull request'] }, option: '"synonyms"', shown: 'an object' },
  { why: 'a text', synonyms: 'pr', option: '"synonyms"', shown: '"pr"' },
  { why: 'a list of lists', synonyms: [['pr', 'pull request']], option: '"synonyms"', shown: 'an array of 2' },
  { why: 'a list of texts', synonyms: ['pr'], option: '"synonyms"', shown: '"pr"' },
  { why: 'a group that is null', synonyms: [null], option: '"synonyms"', shown: 'null' },
  { why: 'a group without words', synonyms: [{ weight: 1 }], option: '"synonyms"', shown: 'an object' },
  { why: 'words in one text', synonyms: [{ words: 'pr mr' }], option: '"synonyms"', shown: 'an object' },
  { why: 'a number among words', synonyms: [{ words: ['pr', 1] }], option: '"synonyms"', shown: 'an object' },
  {
    why: 'no answer to a question',
    synonyms: [{ words: [], forUnknown: 1 }],
    option: '"synonyms[].forUnknown"',
    shown: '1',
  },
  { why: 'a weight of nothing', synonyms: [{ words: [], weight: 0 }], option: '"synonyms[].weight"', shown: '0' },
  {
    why: 'more than the word itself',
    synonyms: [{ words: [], weight: 1.01 }],
    option: '"synonyms[].weight"',
    shown: '1.01',
  },
  { why: 'a weight below zero', synonyms: [{ words: [], weight: -0.5 }], option: '"synonyms[].weight"', shown: '-0.5' },
  { why: 'no number', synonyms: [{ words: [], weight: Number.NaN }], option: '"synonyms[].weight"', shown: 'NaN' },
  { why: 'a text', synonyms: [{ words: [], weight: '0.5' }], option: '"synonyms[].weight"', shown: '"0.5"' },
  { why: 'null is not absent', synonyms: [{ words: [], weight: null }], option: '"synonyms[].weight"', shown: 'null' },
];

const tools = () => toolRecord(tool('grant_pto', 'Grants days off.'), tool('delete_file', 'Deletes a file.'));
const search = async (scorer: ToolScorer, query: string): Promise<string[]> =>
  (await new ToolSearchProcessor({ tools: tools(), search: { scorer } }).search(query)).map(({ name }) => name);

describe('the option', () => {
  it.each(refused)('is refused: $why', ({ synonyms, option, shown }) => {
    const make = (): ToolScorer => bm25Scorer({ synonyms: synonyms as never });
    expect(make).toThrow(ToolSearchError);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option' }));
    expect(make).toThrow(option);
    expect(make).toThrow(shown);
  });

  it.each([null, false, 0, ''])('is refused: %j is no list', (synonyms) => {
    expect(() => bm25Scorer({ synonyms: synonyms as never })).toThrow(ToolSearchError);
  });

  it('is not disturbed by what becomes of the list', async () => {
    const group = { words: ['vacation', 'pto'] };
    const scorer = bm25Scorer({ synonyms: [group] });
    group.words = ['vacation', 'file'];
    expect(await search(scorer, 'vacation')).toEqual(['grant_pto']);
  });

  it('replaces the built-in vocabulary', async () => {
    const own = bm25Scorer({ synonyms: [{ words: ['pto', 'vacation'] }] });
    expect(await search(own, 'vacation')).toEqual(['grant_pto']);
    expect(await search(own, 'remove')).toEqual([]);
    expect(await search(bm25Scorer({ synonyms: [] }), 'remove')).toEqual([]);
  });

  it('extends it where the built-in one is spread', async () => {
    const extended = bm25Scorer({ synonyms: [...toolSynonyms, { words: ['pto', 'sabbatical'] }] });
    expect(await search(extended, 'sabbatical')).toEqual(['grant_pto']);
    expect(await search(extended, 'remove')).toEqual(['delete_file']);
    expect(await search(bm25Scorer(), 'sabbatical')).toEqual([]);
    expect(await search(bm25Scorer(), 'remove')).toEqual(['delete_file']);
  });
});
