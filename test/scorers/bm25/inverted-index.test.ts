import fc from 'fast-check';
import type { ToolDocument } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { rankedIds } from '../../../src/scorers/bm25/bm25.ts';
import { InvertedIndex } from '../../../src/scorers/bm25/inverted-index.ts';
import { DEFAULT_SETTINGS, FIELDS, type Field, type FieldWeights } from '../../../src/scorers/bm25/settings.ts';
import { PROSE, SentenceCounts, sentencesOf, toolWords } from '../../../src/scorers/bm25/tool-words.ts';
import { inverseDocumentFrequency } from '../../../src/scorers/bm25/word-match.ts';
import { bestFirst } from '../../../src/scorers/scorer.ts';
import { isStopWord, MAX_WORD, splitIdentifier, stem, words } from '../../../src/util/words.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { atOnce, stopsOf } from '../at-once.ts';
import { documentLists, type NaiveFields, naiveFields, WORDS } from './naive-fields.ts';

/** The words of the fields of each document that count. */
function fieldWords(documents: readonly ToolDocument[]): NaiveFields[] {
  const sentences = new SentenceCounts();
  for (const entry of documents) sentences.add(sentencesOf(entry));
  return documents.map((entry) => {
    const { fields } = toolWords(entry, sentences.distinctive(sentencesOf(entry)));
    const texts = FIELDS.map((field) => {
      const list = fields[field].map((word) => word.slice(0, MAX_WORD).toLowerCase());
      const most = PROSE.get(field);
      return [field, most === undefined ? list : list.filter((word) => !isStopWord(word)).slice(0, most)];
    });
    return Object.fromEntries(texts) as NaiveFields;
  });
}

const fieldsOf = (entry: ToolDocument): NaiveFields => fieldWords([entry])[0]!;

describe('the fields of tools', () => {
  it('are those that lists and sets would have', () => {
    fc.assert(
      fc.property(documentLists, (documents) => {
        expect(fieldWords(documents)).toEqual(naiveFields(documents));
      }),
    );
    expect(fieldWords(catalog)).toEqual(naiveFields(catalog));
    expect(Object.values(fieldsOf(document(''))).flat()).toEqual([]);
  });

  it.each([
    ['github_create_issue', 'github create issue githubcreate createissue', 'neighbours as one'],
    ['getHTTPUrl', 'get http url gethttp httpurl', 'camelCase and an acronym'],
    ['list_of_all', 'list of all listof ofall', 'every word counts, also small ones'],
    ['CREATE_A_TASK', 'create task createtask', 'articles make no name longer'],
    ['plan_a', 'plan a plana', 'the last word is no article'],
    ['a_mail', 'a mail amail', 'neither is the first'],
    [`${'x'.repeat(60)}_mails_all`, `${'x'.repeat(60)} mails all mailsall`, 'no compound is longer than a word'],
    ['___', '', 'no words'],
  ])('%s has the name "%s": %s', (name, expected) => {
    expect(fieldsOf(document(name)).name.join(' ')).toBe(expected);
    expect(toolWords(document(name), []).name).toEqual(splitIdentifier(name));
  });

  it.each([
    ['Reads birds. Writes fish.', 'reads birds writes fish', '', 'a heading is no sentence'],
    ['Reads all the birds! Writes fish?', 'reads all birds', 'writes fish', 'the first sentence, however it ends'],
    ['Reads all the birds\nWrites fish', 'reads all birds', 'writes fish', 'a line is a sentence'],
    ['Birds.\n\nReads all of them. Writes fish.', 'birds reads all', 'writes fish', 'heading and sentence'],
    ['Reads version 2.1 of api.x.com. More.', 'reads version 2 1 api x com', 'more', 'dots inside words'],
    [
      '查询快递包裹的物流状态以及其他信息。返回结果。',
      '查询 快递 包裹 的 物流 状态 以及 其他 信息',
      '返回 结果',
      'Chinese',
    ],
    ['The of and it.', '', '', 'words that say nothing'],
  ])('"%s" has the summary "%s": %s', (text, summary, rest) => {
    const fields = fieldsOf(document('a', text));
    expect([fields.summary.join(' '), fields.description.join(' ')]).toEqual([summary, rest]);
  });

  it('are keywords, title, server, parameters and what is said of parameters, up to 150 words', () => {
    const entry = document('read', 'Reads the birds of a lake.', {
      title: 'Bird reader of GitHub',
      server: 'gitHub_Server',
      keywords: ['look at herons', 'birdWatching'],
      parameters: [['lakeName', 'Which lake to take', 'Big', 'Small-One'], ['page_size']],
    });
    expect(fieldsOf(entry)).toEqual({
      name: ['read'],
      keywords: ['look', 'at', 'herons', 'bird', 'watching'],
      title: ['bird', 'reader', 'of', 'github'],
      summary: ['reads', 'birds', 'lake'],
      description: [],
      parameters: ['lake', 'name', 'page', 'size'],
      parameterDescriptions: ['lake', 'take', 'big', 'small', 'one'],
      server: ['git', 'hub', 'server'],
    });
    const parameters = Array.from({ length: 3_000 }, (_, n): [string, string] => [`field${n}`, `one${n} two${n}`]);
    const long = fieldsOf(document('a', '', { parameters: [...parameters, ['pelican']] }));
    expect([long.parameters.at(-1), long.parameterDescriptions.length]).toEqual(['pelican', 150]);
  });

  it('lose sentences that more than eight tools say, counting a tool once', () => {
    const tools = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        document(`t${n}`, `Reads all of number${n}.\n${'Ask the user. '.repeat(2)}`),
      );
    expect(fieldWords(tools(8))[3]?.description).toEqual(['ask', 'user', 'ask', 'user']);
    expect(fieldWords(tools(9))[3]).toMatchObject({ summary: ['reads', 'all', 'number3'], description: [] });
    const counts = new SentenceCounts();
    for (let tool = 0; tool < 9; tool++) counts.add(['constructor']);
    expect(counts.distinctive(['constructor', '__proto__', 'toString'])).toEqual(['__proto__', 'toString']);
  });
});

const record = <Value>(make: (field: Field) => Value): Readonly<Record<Field, Value>> =>
  Object.fromEntries(FIELDS.map((field) => [field, make(field)])) as Record<Field, Value>;
const NEUTRAL: FieldWeights = record(() => ({ boost: 1, lengthNorm: 0.5 }));

const indexOf = (documents: readonly ToolDocument[], by: FieldWeights = NEUTRAL): InvertedIndex =>
  atOnce(InvertedIndex.build(documents, by));

/** By the name of the document. */
function frequenciesOf(index: InvertedIndex, term: string): ReadonlyMap<string, number> {
  const word = index.find(term);
  const { ids, counts } = word === undefined ? { ids: [], counts: [] } : index.postings(word);
  const found = Array.from(ids, (id, at) => [index.nameOf(id), index.frequency(id, counts[at] ?? 0)] as const);
  return new Map(found.filter(([, frequency]) => frequency > 0));
}

/**
 * boost * tf / (1 - b + b * length / average length), where tf is 15 at most, and the length of a field is the number of
 * its different words, 255 at most.
 */
function naiveFrequency(all: readonly NaiveFields[], id: number, field: Field, term: string, by: FieldWeights) {
  const lengths = all.map((fields) => Math.min(255, new Set(fields[field]).size));
  const average = lengths.reduce((sum, length) => sum + length, 0) / all.length;
  const count = Math.min(15, all[id]?.[field].filter((word) => word === term).length ?? 0);
  const { boost, lengthNorm } = by[field];
  return count === 0 ? 0 : (boost * count) / (1 - lengthNorm + (lengthNorm * (lengths[id] ?? 0)) / average);
}

describe('the frequencies of a term', () => {
  const term = fc.constantFrom(...WORDS.flatMap(words), 'heronstork', 'herons');
  const lengthNorm = fc.double({ min: 0, max: 1, noNaN: true });
  const boost = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 5, noNaN: true }));
  const weights = fc.record(record(() => fc.record({ boost, lengthNorm }))) as unknown as fc.Arbitrary<FieldWeights>;

  it('are those of BM25F, computed naively, by field and in all', () => {
    fc.assert(
      fc.property(documentLists, weights, term, (documents, by, wanted) => {
        const index = indexOf(documents, by);
        const found = frequenciesOf(index, wanted);
        const all = naiveFields(documents);
        for (const [id, { name }] of documents.entries()) {
          const expected = FIELDS.map((field) => [field, naiveFrequency(all, id, field, wanted, by)] as const);
          const having = expected.filter(([, frequency]) => frequency > 0);
          const close = having.map(([field, frequency]) => [field, expect.closeTo(frequency, 9)]);
          expect(index.fieldsOf(index.idOf(name) ?? -1, wanted)).toEqual(Object.fromEntries(close));
          expect(found.has(name)).toBe(having.length > 0);
          expect(found.get(name) ?? 0).toBeCloseTo(
            having.reduce((sum, [, frequency]) => sum + frequency, 0),
            9,
          );
        }
        const isThere = all.some((fields) => Object.values(fields).flat().includes(wanted));
        expect(index.find(wanted) !== undefined).toBe(isThere);
      }),
      { numRuns: 200 },
    );
  });

  it.each(['pelican', '', 'hero', 'heron stork', 'toString', 'the'])(
    'are none of "%s", which no document has',
    (wanted) => {
      const index = indexOf([document('heron_stork', 'The one.')]);
      expect([index.find(wanted), index.fieldsOf(0, wanted)]).toEqual([undefined, {}]);
      expect(frequenciesOf(indexOf([]), wanted).size).toBe(0);
    },
  );

  it('count a word of a field 15 times at most, and none of them for another field', () => {
    const many = (count: number) => document('a', `${'heron '.repeat(count)}.`, { title: 'Heron' });
    const counted = (count: number) => indexOf([many(count)]).fieldsOf(0, 'heron');
    expect([counted(14), counted(16)]).toEqual([
      { summary: 14, title: 1 },
      { summary: 15, title: 1 },
    ]);
  });
});

describe('an index', () => {
  it('can be interrupted while it is built', () => {
    const documents = Array.from({ length: 1_000 }, (_, n) => document(`tool_${n}`, `Reads number${n}.`));
    expect(stopsOf(InvertedIndex.build(documents, NEUTRAL))).toBeGreaterThanOrEqual(2 * Math.floor(1_000 / 64));
  });

  it.each([
    { word: 'translate', forms: ['translating', 'translations'], why: 'those that there are, by the alphabet' },
    { word: 'translations', forms: ['translations', 'translating'], why: 'the word itself comes first' },
    { word: 'swan', forms: [], why: 'there is none' },
  ])('has the forms $forms of "$word": $why', ({ word, forms }) => {
    const documents = [document('b', 'Translations, and a heron.'), document('translating')];
    for (const list of [documents, documents.toReversed()]) {
      const index = indexOf(list);
      expect(index.formsOf(stem(word), word).map((form) => index.words[form])).toEqual(forms);
    }
  });

  it('knows names by number and numbers by name, and the stems of names, each once, without articles', () => {
    const names = ['list_all_files', 'listFilesFile', '___', 'send_a_file', 'constructor'];
    const index = indexOf(names.map((name) => document(name)));
    expect([index.tools, index.nameOf(4), index.nameOf(7)]).toEqual([5, 'constructor', '']);
    expect(['constructor', 'file', '__proto__'].map((name) => index.idOf(name))).toEqual([4, undefined, undefined]);
    expect([...index.nameSizes]).toEqual([3, 2, 0, 2, 1]);
    const byRoot = ['list', 'file', 'all', 'a', 'swan'].map((root) => index.namedBy(root));
    expect(byRoot).toEqual([[0, 1], [0, 1, 3], [0], [], []]);
  });
});

it('tells more of a term the fewer documents have it', () => {
  const values = [0, 1, 2, 10, 50, 100].map((count) => inverseDocumentFrequency(count, 100));
  expect(values).toEqual(values.toSorted((one, other) => other - one));
  for (const value of values) expect(value).toBeGreaterThan(0);
});

describe('guesses', () => {
  const guessed = (known: Iterable<string>, word: string): readonly string[] =>
    atOnce(InvertedIndex.build([document('___', '', { keywords: [...known] })], DEFAULT_SETTINGS.fields)).guesses(word);
  const BIRDS = ['heron', 'pelican', 'penguin', 'pen', 'stork', 'swallow', 'swan', 'sparrow', '鶴'];

  it.each<[word: string, found: string[], why: string]>([
    ['pen', ['pen', 'penguin'], 'both begin so'],
    ['sw', [], 'two letters say too little'],
    ['', [], 'nothing says nothing'],
    ['heorn', ['heron'], 'neighbours are swapped in a short word'],
    ['storck', ['stork'], 'a letter too many'],
    ['sorkt', [], 'two faults in a short word'],
    ['sparrrwo', ['sparrow'], 'two faults in a long word'],
    ['swon', ['swan'], 'four letters are enough for a fault'],
    ['sen', [], 'three letters are not'],
    ['xenguin', ['penguin'], 'the first letter is wrong'],
    ['ehron', ['heron'], 'the first two are swapped'],
    ['hheron', ['heron'], 'the first is doubled'],
    ['xheron', ['heron'], 'a letter too many in front'],
    ['enguin', ['penguin'], 'the first letter is missing'],
    ['albatross', [], 'nothing is near'],
  ])('at "%s" are %j: %s', (word, found) => {
    expect(guessed(BIRDS, word)).toEqual(found);
  });

  it('at the beginning of known words are the first eight of them', () => {
    const few = fc.constantFrom(...'ab');
    const list = fc.uniqueArray(fc.string({ unit: few, minLength: 1, maxLength: 6 }), { maxLength: 40 });
    fc.assert(
      fc.property(list, fc.string({ unit: few, minLength: 3, maxLength: 4 }), (known, word) => {
        const longer = known.filter((candidate) => candidate.startsWith(word)).sort();
        fc.pre(longer.length > 0);
        expect(guessed(known, word)).toEqual(longer.slice(0, 8));
      }),
    );
    const many = Array.from({ length: 1_000 }, (_, n) => `pelican${n}`);
    expect(guessed(many, 'pelicamm').length).toBeLessThanOrEqual(8);
  });

  /** Whether one insertion, deletion, replacement or swap of neighbours makes the other word. */
  function differsByOne(a: string, b: string): boolean {
    for (let at = 0; at <= a.length; at++) {
      const [before, after] = [a.slice(0, at), a.slice(at)];
      if (before + after.slice(1) === b) return true;
      if (after.length > 1 && `${before}${after[1]}${after[0]}${after.slice(2)}` === b) return true;
      const isNear = (letter: string) => [after, after.slice(1)].some((rest) => before + letter + rest === b);
      if ([...'abcd'].some(isNear)) return true;
    }
    return false;
  }

  it('at a word of four to seven letters are those that differ by one, in whatever order words came', () => {
    const letters = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...'abcd'), minLength, maxLength });
    fc.assert(
      fc.property(fc.uniqueArray(letters(1, 9), { maxLength: 25 }), letters(4, 7), (known, word) => {
        fc.pre(!known.some((candidate) => candidate.startsWith(word)));
        const found = guessed(known, word);
        for (const guess of found) expect(known.includes(guess) && differsByOne(word, guess)).toBe(true);
        // The first letter is taken to be right here; what happens else stands in the table above.
        const near = known.filter((candidate) => candidate[0] === word[0] && differsByOne(word, candidate));
        if (near.length <= 3) expect(found).toEqual(expect.arrayContaining(near));
        expect(guessed(known.toReversed(), word)).toEqual(found);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the places of scores, best first', () => {
  const score = fc.oneof(fc.constantFrom(0.5, 1, 2), fc.double({ min: 0.01, max: 3, noNaN: true }));
  const name = fc.string({ unit: fc.constantFrom(...'abBZя_'), minLength: 1, maxLength: 4 });
  const matches = fc.uniqueArray(fc.record({ name, score }), { maxLength: 40, selector: (match) => match.name });

  it('are in the order of a sort, ties by name in code units, as far as they are taken', () => {
    fc.assert(
      fc.property(matches, fc.nat(10), (list, count) => {
        const scores = Float64Array.from(list, (match) => match.score);
        const places = () => rankedIds([...list.keys()], scores, (place) => list[place]?.name ?? '?');
        const sorted = list.toSorted((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
        expect(bestFirst([...list])).toEqual(sorted);
        expect(Array.from(places(), (place) => list[place])).toEqual(sorted);
        const taken: unknown[] = [];
        for (const place of places()) if (taken.push(list[place]) > count) break;
        expect(taken).toEqual(sorted.slice(0, count + 1));
      }),
      { numRuns: 300 },
    );
  });

  it('need no name where the scores differ', () => {
    const scores = Float64Array.from({ length: 10_000 }, (_, place) => (place * 7_919) % 10_007);
    const [first = -1] = rankedIds([...scores.keys()], scores, (place) => expect.fail(`asked for ${place}`));
    expect(scores[first]).toBe(Math.max(...scores));
  });
});
