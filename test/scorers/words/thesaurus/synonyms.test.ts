import fc from 'fast-check';
import { bm25Scorer } from 'mastra-tool-search';
import { type SynonymGroup, toolSynonyms } from 'mastra-tool-search/synonyms';
import { describe, expect, it } from 'vitest';
import { builtInSynonyms, keyedGroups, Synonyms } from '../../../../src/scorers/words/thesaurus/synonyms.ts';
import { isStopWord, stem, words } from '../../../../src/util/words.ts';
import { document } from '../../../fixtures/tools.ts';
import { describeRefusals } from '../../refusals.ts';
import { ask, namesOf, search } from '../../scorer-contract.ts';

const synonymsOf = (groups: readonly SynonymGroup[]): Synonyms => new Synonyms(keyedGroups(groups));

/** start+length: other other */
const found = (groups: readonly SynonymGroup[], text: string): string =>
  [...synonymsOf(groups).phrases(words(text))]
    .map(({ start, length, synonyms }) => {
      return `${start}+${length}: ${synonyms.map((synonym) => synonym.words.join('_')).join(' ')}`;
    })
    .join();

const weightsOf = (groups: readonly SynonymGroup[], text: string): number[] =>
  [...synonymsOf(groups).phrases(words(text))].flatMap(({ synonyms }) => synonyms.map(({ weight }) => weight));

const PULLS = ['pr', 'pull request', 'patch'];

describe('synonyms', () => {
  it.each([
    [PULLS, 'patch', '0+1: pr pull_request', 'whichever of the group'],
    [PULLS, 'open a pull request now', '2+2: pr patch', 'a phrase among words'],
    [PULLS, 'pulling requests', '0+2: pr patch', 'another form of each word'],
    [PULLS, 'PRs', '0+1: pull_request patch', 'another form of an abbreviation'],
    [PULLS, 'PR pr', '0+1: pull_request patch,1+1: pull_request patch', 'at each place'],
    [PULLS, 'pull the request', '', 'the phrase is interrupted'],
    [PULLS, 'request pull', '', 'the phrase is turned round'],
    [PULLS, '', '', 'nothing'],
    [PULLS, 'constructor __proto__', '', 'a name out of JavaScript'],
    [['PR', 'pullRequest', 'Merge-Request'], 'pull request', '0+2: pr merge_request', 'any casing, identifiers'],
    [['constructor', 'hasOwnProperty', 'builder'], 'constructor', '0+1: own_property builder', 'out of JavaScript'],
    [['config', 'configs', 'settings'], 'config', '0+1: settings', 'forms of the same word are none'],
    [['pr', '', '...', 'patch'], 'pr', '0+1: patch', 'without letters or digits'],
    [Object.freeze(['pr', 'pull request']), 'pr', '0+1: pull_request', 'the list stays as it is'],
    [[], 'pr', '', 'none at all'],
  ])('%j has for "%s" %j: %s', (members, text, expected) => {
    expect(found([{ words: members }], text)).toBe(expected);
  });

  it('of a word in several groups are those of all, and count 0.8 unless the group says otherwise', () => {
    const groups = [{ words: ['list', 'show'] }, { words: ['list', 'array'], weight: 0.3 }];
    expect(found(groups, 'list')).toBe('0+1: show array');
    expect(weightsOf(groups, 'list')).toEqual([0.8, 0.3]);
  });

  it('are symmetric, with the same weight in both directions', () => {
    const word = fc.constantFrom('heron', 'stork', 'pelican', 'grey heron', 'swan', 'duck', 'goose');
    const members = fc.uniqueArray(word, { minLength: 2, maxLength: 4 });
    const group = fc.record({ words: members, weight: fc.double({ min: 0.01, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(group, { maxLength: 6 }), word, word, (groups, first, second) => {
        const between = (from: string, to: string): number[] =>
          [...synonymsOf(groups).phrases(from.split(' '))]
            .filter(({ start, length }) => start === 0 && length === from.split(' ').length)
            .flatMap((phrase) => phrase.synonyms)
            .filter((synonym) => synonym.words.join(' ') === to)
            .map(({ weight }) => weight);
        const together = groups.filter((entry) => entry.words.includes(first) && entry.words.includes(second));
        expect(between(first, second)).toEqual(first === second ? [] : together.map(({ weight }) => weight));
      }),
    );
  });

  it.each([
    { query: 'point of interest', tool: document('find_sight') },
    { query: 'sight', tool: document('find', 'Lists each point of interest.') },
  ])('of phrases with words that say nothing are found: $query', async ({ query, tool }) => {
    const scorer = bm25Scorer({ synonyms: [{ words: ['sight', 'point of interest'] }] });
    expect(await namesOf(scorer, [tool, document('other', 'Something else.')], query)).toEqual([tool.name]);
  });
});

describe('the option', () => {
  const tools = [document('grant_pto', 'Grants days off.'), document('delete_file', 'Deletes a file.')];

  it('replaces the built-in vocabulary, or extends it where that is spread, whatever becomes of the list', async () => {
    const group = { words: ['pto', 'sabbatical'] };
    const [own, extended] = [bm25Scorer({ synonyms: [group] }), bm25Scorer({ synonyms: [...toolSynonyms, group] })];
    group.words = ['sabbatical', 'file'];
    expect([await namesOf(own, tools, 'sabbatical'), await namesOf(own, tools, 'remove')]).toEqual([['grant_pto'], []]);
    expect(await namesOf(extended, tools, 'sabbatical')).toEqual(['grant_pto']);
    expect(await namesOf(extended, tools, 'remove')).toEqual(['delete_file']);
    expect(await namesOf(bm25Scorer(), tools, 'sabbatical')).toEqual([]);
  });

  const refused: { synonyms: unknown; message: string }[] = [
    { synonyms: { pr: ['pull request'] }, message: '"synonyms"' },
    { synonyms: null, message: '"synonyms"' },
    { synonyms: 'pr', message: '"synonyms" must be a list of groups, e.g. [{ words: ["pto", "vacation"] }]; got "pr"' },
    { synonyms: [['pr', 'pull request']], message: 'an array of 2' },
    { synonyms: [null], message: 'null' },
    { synonyms: [{ weight: 1 }], message: '"synonyms" must be a list of groups, each with a list of words' },
    { synonyms: [{ words: 'pr mr' }], message: '"synonyms"' },
    { synonyms: [{ words: ['pr', 1] }], message: '"synonyms"' },
    { synonyms: [{ words: [], forUnknown: 1 }], message: '"synonyms[].forUnknown" must be true or false; got 1' },
    { synonyms: [{ words: [], weight: 0 }], message: '"synonyms[].weight" must be a number above 0, at most 1; got 0' },
    { synonyms: [{ words: [], weight: 1.01 }], message: 'got 1.01' },
    { synonyms: [{ words: [], weight: Number.NaN }], message: 'got NaN' },
    { synonyms: [{ words: [], weight: '0.5' }], message: 'got "0.5"' },
    { synonyms: [{ words: [], weight: null }], message: 'got null' },
    { synonyms: [{ words: [], weigth: 1 }], message: 'weight' },
  ];
  describeRefusals(refused, ({ synonyms }) => bm25Scorer({ synonyms: synonyms as never }));
});

describe('the built-in vocabulary', () => {
  const hasStopWord = (word: string): boolean => words(word).length > 1 && words(word).some(isStopWord);
  const named = (word: string) => document(`${word.replaceAll(' ', '_')}_thing`);

  // A failure names the groups, or words, as texts.
  it.each<[fault: string, isWrong: (group: readonly string[]) => boolean]>([
    ['that says nothing', (group) => group.length < 2],
    ['that has a word twice', (group) => new Set(group).size !== group.length],
    ['with a word that is none', (group) => group.some((word) => words(word).length === 0)],
    ['with stray separators', (group) => group.some((word) => /[;,_\t\n]|^ | $| {2}/.test(word))],
    ['with capitals', (group) => group.some((word) => word !== word.toLowerCase())],
    ['with loose accents', (group) => group.some((word) => word !== word.normalize('NFC'))],
    [
      'with a phrase that is too long',
      (group) => group.some((word) => /^[ -~]*$/.test(word) && words(word).length > 4),
    ],
  ])('has no group %s', (_, isWrong) => {
    const groups = toolSynonyms.map((group) => group.words);
    expect(groups.filter(isWrong).map((group) => group.join(', '))).toEqual([]);
  });

  it('has no group twice, and weights below that of the word itself', () => {
    const groups = toolSynonyms.map((group) => [...group.words].sort().join(', '));
    expect(groups.filter((group, at) => groups.indexOf(group) !== at)).toEqual([]);
    for (const { weight = 0 } of toolSynonyms) expect(weight > 0 && weight < 1).toBe(true);
  });

  it('is read as groups of a user are', () => {
    const read = synonymsOf(toolSynonyms);
    const keys = toolSynonyms.flatMap((group) => group.words.map((member) => words(member).map(stem).join('_')));
    for (const key of keys) expect(builtInSynonyms().of(key), key).toEqual(read.of(key));
  });

  it('finds a tool named by one word of a group for each other word, and that of the word itself first', async () => {
    const missed: string[] = [];
    for (const { words: all } of toolSynonyms.filter(({ forUnknown }) => !forUnknown)) {
      // Spellings with and without an accent are one word.
      const group = [...new Map(all.map((word) => [words(word).join(' '), word])).values()];
      const documents = group.filter((word) => !hasStopWord(word)).map(named);
      const index = await bm25Scorer().index(documents);
      for (const word of group) {
        const text = hasStopWord(word) ? `please ${word} quickly` : word;
        const [one, other] = await index.search({ text, keywords: text.split(' '), required: [] });
        const isFirst = one?.name === named(word).name && one.score !== other?.score;
        if (!isFirst && !hasStopWord(word)) missed.push(`"${word}" finds ${one?.name}, ${other?.name} first`);
        if ((await ask(index, text)).length < documents.length) missed.push(`"${word}" does not find all`);
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
        const { length } = await namesOf(bm25Scorer(), others.map(named), word);
        if (length < others.length) missed.push(`"${word}" finds ${length} of ${others.join(', ')}`);
      }
    }
    expect(missed).toEqual([]);

    const scorer = bm25Scorer({ synonyms: [{ words: ['tent', 'shelter', 'lean to'], forUnknown: true }] });
    expect(await namesOf(scorer, [document('find_shelter')], 'tents')).toEqual(['find_shelter']);
    expect(await namesOf(scorer, [document('find_shelter'), document('find_tent')], 'tents')).toEqual(['find_tent']);
  });

  it('does not make a tool of what every second word stands for', async () => {
    const documents = [document('send_email'), document('get_weather'), document('list_files')];
    expect(await search(bm25Scorer(), documents, 'xylophone photosynthesis marathon')).toEqual([]);
  });
});
