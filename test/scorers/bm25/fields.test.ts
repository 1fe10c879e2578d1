import fc from 'fast-check';
import { bm25Scorer, type ToolDocument } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { FIELDS, type Field } from '../../../src/scorers/bm25/settings.ts';
import { PROSE, SentenceCounts, sentencesOf, toolWords } from '../../../src/scorers/bm25/tool-words.ts';
import { isStopWord, MAX_WORD } from '../../../src/scorers/words/words.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { namesOf } from '../scorer-contract.ts';
import { documentLists, naiveFields } from './naive-fields.ts';

type FieldTexts = Readonly<Record<Field, readonly string[]>>;

/** The words of the fields of each document that count. */
function fieldWords(documents: readonly ToolDocument[]): FieldTexts[] {
  const sentences = new SentenceCounts();
  for (const entry of documents) sentences.add(sentencesOf(entry));
  return documents.map((entry) => {
    const { fields } = toolWords(entry, sentences.distinctive(sentencesOf(entry)));
    const texts = FIELDS.map((field) => {
      const list = fields[field].map((word) => word.slice(0, MAX_WORD).toLowerCase());
      const most = PROSE.get(field);
      return [field, most === undefined ? list : list.filter((word) => !isStopWord(word)).slice(0, most)];
    });
    return Object.fromEntries(texts) as FieldTexts;
  });
}

const fieldsOf = (entry: ToolDocument): FieldTexts => fieldWords([entry])[0]!;
const textOf = (entry: ToolDocument): [string, string] => {
  const { summary, description } = fieldsOf(entry);
  return [summary.join(' '), description.join(' ')];
};

describe('the name', () => {
  it.each([
    { name: 'github_create_issue', words: 'github create issue githubcreate createissue', why: 'neighbours as one' },
    { name: 'createIssue', words: 'create issue createissue', why: 'camelCase' },
    { name: 'send-email', words: 'send email sendemail', why: 'hyphens' },
    { name: 'search', words: 'search', why: 'one word has no neighbour' },
    { name: 'getHTTPUrl', words: 'get http url gethttp httpurl', why: 'an acronym' },
    { name: 'list_of_all', words: 'list of all listof ofall', why: 'every word counts, also small ones' },
    { name: 'CREATE_A_TASK', words: 'create task createtask', why: 'articles make no name longer' },
    { name: 'plan_a', words: 'plan a plana', why: 'the last word is no article' },
    { name: 'a_mail', words: 'a mail amail', why: 'neither is the first' },
    { name: '___', words: '', why: 'no words' },
  ])('$name has the words "$words": $why', ({ name, words }) => {
    expect(fieldsOf(document(name)).name.join(' ')).toBe(words);
  });

  it('has one compound less than words', () => {
    const part = fc.string({ unit: fc.constantFrom(...'bcd'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (list) => {
        const joined = fieldsOf(document(list.join('_'))).name.slice(list.length);
        expect(joined).toHaveLength(list.length - 1);
        for (const [at, word] of joined.entries()) expect(word).toBe(`${list[at]}${list[at + 1]}`);
      }),
    );
  });

  it('has no compound that is longer than a word', () => {
    const [long, short] = ['x'.repeat(60), 'y'.repeat(5)];
    expect(fieldsOf(document(`${long}_${short}_${short}`)).name).toEqual([long, short, short, short + short]);
  });

  it('has its words alone as well, without the compounds', () => {
    for (const [name, words] of [
      ['list_all_files', ['list', 'all', 'files']],
      ['Send', ['send']],
    ] as const) {
      expect(toolWords(document(name), []).name).toEqual(words);
    }
  });
});

describe('the description', () => {
  it.each([
    {
      text: 'Reads birds. Writes fish.',
      summary: 'reads birds writes fish',
      rest: '',
      why: 'a heading is no sentence',
    },
    {
      text: 'Reads all the birds. Writes fish.',
      summary: 'reads all birds',
      rest: 'writes fish',
      why: 'the first sentence',
    },
    {
      text: 'Reads all the birds! Writes fish?',
      summary: 'reads all birds',
      rest: 'writes fish',
      why: 'however it ends',
    },
    {
      text: 'Reads all the birds\nWrites fish',
      summary: 'reads all birds',
      rest: 'writes fish',
      why: 'a line is a sentence',
    },
    {
      text: 'Birds.\n\nReads all of them. Writes fish.',
      summary: 'birds reads all',
      rest: 'writes fish',
      why: 'heading and sentence',
    },
    {
      text: 'Reads version 2.1 of api.example.com now. More.',
      summary: 'reads version 2 1 api example com now',
      rest: 'more',
      why: 'dots inside words',
    },
    { text: 'Reads all the birds', summary: 'reads all birds', rest: '', why: 'one without an end' },
    {
      text: '查询快递包裹的物流状态以及其他信息。 返回结果。',
      summary: '查询 快递 包裹 的 物流 状态 以及 其他 信息',
      rest: '返回 结果',
      why: 'another full stop',
    },
    { text: '', summary: '', rest: '', why: 'nothing' },
    { text: 'The of and it.', summary: '', rest: '', why: 'words that say nothing' },
  ])('"$text" is divided after "$summary": $why', ({ text, summary, rest }) => {
    expect(textOf(document('a', text))).toEqual([summary, rest]);
  });

  it('is divided where Chinese ends a sentence', () => {
    expect(textOf(document('a', '查询快递包裹的物流状态以及其他信息。返回结果。'))[1]).toBe('返回 结果');
  });

  it('loses what more than eight tools say', () => {
    const shared = 'Ask the user before you call this tool.';
    const toolsWith = (count: number) =>
      Array.from({ length: count }, (_, n) => document(`t${n}`, `Reads the birds of number${n}.\n${shared}`));
    const restOf = (documents: readonly ToolDocument[]) =>
      fieldWords(documents).map((words) => words.description.join(' '));
    expect(new Set(restOf(toolsWith(8)))).toEqual(new Set(['ask user before call tool']));
    expect(new Set(restOf(toolsWith(9)))).toEqual(new Set(['']));
    expect(fieldWords(toolsWith(9))[3]?.summary.join(' ')).toBe('reads birds number3');
  });

  it('counts a tool once that says it twice', () => {
    const documents = Array.from({ length: 5 }, (_, n) => document(`t${n}`, 'Reads birds often. Reads birds often.'));
    expect(fieldWords(documents)[0]?.summary).toEqual(['reads', 'birds', 'often']);
  });

  it('that is the same everywhere does not find everything', async () => {
    const documents = Array.from({ length: 20 }, (_, n) =>
      document(`t${n}_pelican`, `Reads a bird. Costs a credit of the plan.`),
    );
    expect(await namesOf(bm25Scorer({ synonyms: [] }), [...documents, document('credit_card')], 'credit')).toEqual([
      'credit_card',
    ]);
  });
});

describe('the other fields', () => {
  it('are keywords, title, parameters and what is said of parameters', () => {
    const entry = document('read', 'Reads the birds of a lake.', {
      title: 'Bird reader of GitHub',
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
      server: [],
    });
  });

  it.each([
    { name: 'list', server: 'github', expected: 'github', why: 'a word' },
    { name: 'github_list', server: 'github', expected: 'github', why: 'whether the name has it or not' },
    { name: 'list', server: 'gitHub_Server', expected: 'git hub server', why: 'taken apart as an identifier' },
    { name: 'list', server: '', expected: '', why: 'none is known' },
  ])('have the server "$server" in a field of its own: $why', ({ name, server, expected }) => {
    const { title, server: found } = fieldsOf(document(name, '', { server, title: 'Lists' }));
    expect([title.join(' '), found.join(' ')]).toEqual(['lists', expected]);
  });

  it('of many parameters are read to the last one', () => {
    const parameters = Array.from({ length: 3_000 }, (_, n): [string] => [`fieldname${n}`]);
    expect(fieldsOf(document('a', '', { parameters: [...parameters, ['pelican']] })).parameters.at(-1)).toBe('pelican');
  });

  it('have no more than 150 words of parameters', () => {
    const parameters = Array.from({ length: 100 }, (_, n): [string, string] => [`p${n}`, `one${n} two${n} three${n}`]);
    expect(fieldsOf(document('a', '', { parameters })).parameterDescriptions).toHaveLength(150);
  });

  it('are there for every tool, in order, empty where there is nothing', () => {
    const [empty] = fieldWords([document('')]);
    expect(Object.keys(empty ?? {}).sort()).toEqual([...FIELDS].sort());
    expect(Object.values(empty ?? {}).flat()).toEqual([]);
    expect(fieldWords(catalog)).toHaveLength(catalog.length);
  });

  it('are those that lists and sets would have', () => {
    fc.assert(
      fc.property(documentLists, (documents) => {
        expect(fieldWords(documents)).toEqual(naiveFields(documents));
      }),
    );
    expect(fieldWords(catalog)).toEqual(naiveFields(catalog));
  });

  it('of a tool do not depend on the others, boilerplate aside', () => {
    fc.assert(
      fc.property(fc.subarray([...catalog], { minLength: 1, maxLength: 8 }), (documents) => {
        expect(fieldWords(documents)).toEqual(documents.map(fieldsOf));
      }),
    );
  });
});
