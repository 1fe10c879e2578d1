import fc from 'fast-check';
import { bm25Scorer, ToolSearchError } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import type { IncrementalIndex } from '../../../src/scorers/scorer.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { describeScorer, namesOf, search } from '../scorer-contract.ts';
import { turnsDuring } from '../turns.ts';

describeScorer('bm25Scorer', () => bm25Scorer(), { has: ['ranked', 'update', 'restrictedTo'] });

const names = (documents: Parameters<typeof namesOf>[1], query: string) => namesOf(bm25Scorer(), documents, query);

describe('fields', () => {
  it('count in the order name, description, parameter', async () => {
    const documents = [
      document('first_tool', 'Something else.', { parameters: [['pelican']] }),
      document('other_tool', 'Something about a pelican.'),
      document('pelican_tool', 'Something else.'),
    ];
    expect(await names(documents, 'pelican')).toEqual(['pelican_tool', 'other_tool', 'first_tool']);
  });

  it.each([
    { why: 'a part of the name', tool: document('read_pelican') },
    { why: 'the title', tool: document('read', '', { title: 'Pelican reader' }) },
    { why: 'the description', tool: document('read', 'Reads a pelican.') },
    { why: "a parameter's name", tool: document('read', '', { parameters: [['pelican']] }) },
    { why: "a part of a parameter's name", tool: document('read', '', { parameters: [['pelicanName']] }) },
    { why: "a parameter's description", tool: document('read', '', { parameters: [['id', 'Of the pelican']] }) },
    { why: "a parameter's value", tool: document('read', '', { parameters: [['kind', '', 'PELICAN', 'heron']] }) },
  ])('find a tool by $why', async ({ tool }) => {
    expect(await names([document('write', 'Writes.'), tool], 'pelican')).toEqual(
      ['read_pelican', 'read'].filter((name) => name === tool.name),
    );
  });

  it('rank a name with an article as one without', async () => {
    const documents = [
      document('ASANA_CREATE_TASK_COMMENT', 'Create a comment.'),
      document('ASANA_CREATE_A_TASK', 'Create a task.'),
    ];
    expect((await names(documents, 'create asana task'))[0]).toBe('ASANA_CREATE_A_TASK');
  });

  it('are not asked for a phone number, nor for an article in capitals', async () => {
    const documents = [document('send_sms', 'Send a text message.'), document('read_mail')];
    expect(await names(documents, 'send sms to +15550001111')).toEqual(['send_sms']);
    expect(await names(documents, '+The sms')).toEqual(['send_sms']);
  });

  it('find a tool by its server', async () => {
    expect(await names(catalog, 'filesystem')).toContain('read_file');
  });

  it('rank more words of the query before fewer', async () => {
    const documents = [document('pelican'), document('pelican_heron'), document('pelican_heron_stork')];
    expect((await names(documents, 'stork heron pelican'))[0]).toBe('pelican_heron_stork');
  });

  it('rank rare words before common ones', async () => {
    const documents = ['alpha', 'beta', 'gamma', 'delta'].map((name) => document(`${name}_x`, 'Reads a bird.'));
    const rare = document('omega_x', 'Reads a pelican.');
    expect((await names([...documents, rare], 'bird pelican'))[0]).toBe('omega_x');
  });

  it('rank equal tools by name in code unit order', async () => {
    const documents = ['b_mail', 'a_mail', 'B_mail', 'я_mail', 'Z_mail'].map((name) => document(name, 'Mail.'));
    expect(await names(documents, 'mail')).toEqual(['B_mail', 'Z_mail', 'a_mail', 'b_mail', 'я_mail']);
  });
});

describe('a query that is a name', () => {
  it('beats a tool whose description repeats the words', async () => {
    const documents = [document('get_user', 'Reads.'), document('admin', 'Get user get user. '.repeat(20))];
    expect((await names(documents, 'get_user'))[0]).toBe('get_user');
  });

  it('beats longer names that begin with it', async () => {
    const documents = ['get_user', 'get_user_by_id', 'get_user_groups', 'delete_get_user'].map((name) =>
      document(name),
    );
    expect((await names(documents, 'get user'))[0]).toBe('get_user');
    expect((await names([...documents].reverse(), 'getUser'))[0]).toBe('get_user');
  });

  it('may be one word that says nothing elsewhere', async () => {
    expect((await names([document('for_you', 'Picks.'), ...catalog], 'for_you'))[0]).toBe('for_you');
    expect((await names([document('not', 'Negates.'), ...catalog], 'not'))[0]).toBe('not');
  });

  it('is found among any accepted names', async () => {
    const part = fc.string({ unit: fc.constantFrom(...'abcdefghij0123'), minLength: 1, maxLength: 6 });
    const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_'));
    // Names with the same letters are one name in two spellings; see below.
    const list = fc.uniqueArray(name, { minLength: 1, maxLength: 12, selector: (text) => text.replaceAll('_', '') });
    await fc.assert(
      fc.asyncProperty(list, async (all) => {
        for (const text of all)
          expect(
            (
              await names(
                all.map((id) => document(id)),
                text,
              )
            )[0],
          ).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it.each(['GetCurrentWeather', 'GETCURRENTWEATHER', 'getcurrentweather'])(
    'finds get-current-weather as %s',
    async (query) => {
      expect((await names(catalog, query))[0]).toBe('get-current-weather');
    },
  );

  it('prefers the tool that is spelled exactly so', async () => {
    const documents = [document('Search'), document('search'), document('sea_rch')];
    expect((await names(documents, 'search'))[0]).toBe('search');
  });
});

describe('words', () => {
  it('match in other forms, the form that is written first', async () => {
    const documents = [document('a', 'Translate a text.'), document('b', 'Translating a text.')];
    expect(await names(documents, 'translating')).toEqual(['b', 'a']);
    expect(await names(documents, 'translate')).toEqual(['a', 'b']);
  });

  it('that the catalog has are not taken for others', async () => {
    const documents = [document('a', 'Opens a form.'), document('b', 'Opens a farm.'), document('c', 'Opens a forum.')];
    expect(await names(documents, 'farm')).toEqual(['b']);
  });

  it('that the catalog does not have never beat words that it has', async () => {
    const documents = [document('cat_tool', 'Pelican.'), document('dog_tool', 'Pelikan heron.')];
    expect((await names(documents, 'heron pelicam'))[0]).toBe('dog_tool');
  });

  it('that say nothing do not find everything', async () => {
    expect(await names(catalog, 'what is the xylophone of')).toEqual([]);
  });
});

it('counts the keywords and the title of one tool among a thousand like those of one among ten', async () => {
  for (const count of [10, 1_000]) {
    const others = Array.from({ length: count }, (_, n) => document(`list_page_${n}`, 'Lists a page of entries.'));
    const keyworded = document('create_issue', 'Opens something.', { keywords: ['moan'], title: 'Grumble' });
    const found = await names([...others, keyworded], 'moan about a page');
    expect(found[0], `keyword among ${count}`).toBe('create_issue');
    expect((await names([...others, keyworded], 'grumble page'))[0], `title among ${count}`).toBe('create_issue');
  }
});

describe('boosts', () => {
  const documents = [document('pelican_tool', 'Birds.'), document('other_tool', 'A pelican.')];

  it('turn the order of the fields', async () => {
    expect((await namesOf(bm25Scorer({ boosts: { summary: 50, name: 0.01 } }), documents, 'pelican'))[0]).toBe(
      'other_tool',
    );
  });

  it('leave the others as they are', async () => {
    const same = bm25Scorer({ boosts: {} });
    expect(await search(same, catalog, 'create issue')).toEqual(await search(bm25Scorer(), catalog, 'create issue'));
  });

  it('of 0 leave a field out', async () => {
    const scorer = bm25Scorer({ boosts: { parameters: 0 } });
    expect(await namesOf(scorer, [document('read', '', { parameters: [['pelican']] })], 'pelican')).toEqual([]);
  });

  it.each([
    { why: 'less than nothing', boosts: { name: -1 }, option: 'name', shown: '-1' },
    { why: 'not a number', boosts: { title: Number.NaN }, option: 'title', shown: 'NaN' },
    { why: 'no end', boosts: { description: Number.POSITIVE_INFINITY }, option: 'description', shown: 'Infinity' },
    { why: 'a text', boosts: { parameters: '2' }, option: 'parameters', shown: '2' },
    { why: 'null', boosts: { parameterDescriptions: null }, option: 'parameterDescriptions', shown: 'null' },
    { why: 'no such field', boosts: { names: 2 }, option: 'names', shown: 'Did you mean "boosts.name"?' },
    { why: 'no such field', boosts: { body: 2 }, option: 'body', shown: 'There are only name, keywords, title' },
  ])('refuse $option $shown: $why', ({ boosts, option, shown }) => {
    const make = () => bm25Scorer({ boosts: boosts as never });
    expect(make).toThrow(ToolSearchError);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option' }));
    expect(make).toThrow(`"boosts.${option}"`);
    expect(make).toThrow(shown);
  });
});

it('answers a query without words with nothing', async () => {
  const index = await bm25Scorer().index(catalog);
  expect(await index.search({ text: '', keywords: [], required: [] })).toEqual([]);
  expect(await index.search({ text: '+', keywords: [], required: [] })).toEqual([]);
});

it('lets others have their turn while a large catalog is indexed, and while it changes', async () => {
  const tools = (count: number, start = 0) =>
    Array.from({ length: count }, (_, n) => document(`tool_${start + n}`, `Reads number${start + n}.`));
  let index: IncrementalIndex | undefined;
  expect(await turnsDuring(async () => (index = await bm25Scorer().index(tools(1_000))))).toBeGreaterThan(30);
  expect(await turnsDuring(() => index?.update?.(tools(150, 1_000), []))).toBeGreaterThan(2);
});
