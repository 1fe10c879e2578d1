import fc from 'fast-check';
import { bm25Scorer, type ToolDocument, ToolSearchError } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/scorers/bm25/settings.ts';
import { SentenceCounts, sentencesOf } from '../../../src/scorers/bm25/tool-words.ts';
import type { IncrementalIndex } from '../../../src/scorers/scorer.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { namesAmong } from '../../../src/scorers/words/query-words.ts';
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

function counted(times: number, ...sentences: string[]): SentenceCounts {
  const all = new SentenceCounts();
  for (let tool = 0; tool < times; tool++) all.add(sentences);
  return all;
}

describe('the sentences of a description', () => {
  it.each([
    { text: '', expected: [], why: 'there is nothing' },
    { text: ' \n ', expected: [], why: 'there is only white space' },
    { text: 'Reads birds', expected: ['Reads birds'], why: 'an end is not needed' },
    {
      text: 'Reads. Writes! Sings? Flies',
      expected: ['Reads.', 'Writes!', 'Sings?', 'Flies'],
      why: 'all these end one',
    },
    { text: 'Version 2.1 of a.b', expected: ['Version 2.1 of a.b'], why: 'a dot inside a word ends none' },
    { text: 'Reads\n\n  - writes \n', expected: ['Reads', '- writes'], why: 'lines are sentences' },
    { text: '查询。返回！好', expected: ['查询。', '返回！', '好'], why: 'Chinese has no space behind the end' },
  ])('"$text" are $expected, as $why', ({ text, expected }) => {
    expect(sentencesOf(document('a', text))).toEqual(expected);
  });
});

describe('what is distinctive', () => {
  it('is what no more than eight tools say', () => {
    expect(counted(8, 'a', 'b').distinctive(['a', 'b'])).toEqual(['a', 'b']);
    expect(counted(9, 'a').distinctive(['a', 'b', 'a'])).toEqual(['b']);
    expect(new SentenceCounts().distinctive(['a'])).toEqual(['a']);
  });

  it('counts a tool once that says it twice', () => {
    expect(counted(5, 'a', 'a').distinctive(['a'])).toEqual(['a']);
  });

  it('knows words out of JavaScript as sentences like any other', () => {
    expect(new SentenceCounts().distinctive(['constructor', '__proto__'])).toEqual(['constructor', '__proto__']);
    expect(counted(9, 'constructor').distinctive(['constructor', '__proto__'])).toEqual(['__proto__']);
  });
});

describe('server', () => {
  const names = (documents: readonly ToolDocument[], query: string): Promise<readonly string[]> =>
    namesOf(bm25Scorer(), documents, query);

  /** Tools of a server, without its name in theirs. */
  const toolsOf = (server: string, instructions?: string, prefix = ''): ToolDocument[] =>
    ['send', 'list', 'remove'].map((verb) =>
      document(`${prefix}${verb}_${server.length}`, `Can ${verb} messages.`, { server, instructions }),
    );

  describe('the server of a tool', () => {
    const documents = [...toolsOf('slack'), ...toolsOf('discord'), ...toolsOf('teams42', undefined, 'x')];

    it('lifts its tools where the query names it', async () => {
      expect((await names(documents, 'send a message in slack'))[0]).toBe('send_5');
      expect((await names(documents, 'send a message in discord'))[0]).toBe('send_7');
    });

    it('tells nothing apart where all tools are of one', async () => {
      const one = [...toolsOf('slack'), document('slack_status', 'Shows slack.', { server: 'slack' })];
      expect((await names(one, 'remove slack messages'))[0]).toBe('remove_5');
    });
  });

  describe('what the server says of all its tools', () => {
    const shop = 'An online shop: parcels, refunds and vouchers.';
    const documents = [
      ...toolsOf('shop', shop),
      ...toolsOf('slack'),
      ...toolsOf('discord'),
      document('find_refund', 'Finds a refund.'),
    ];

    it('finds them', async () => {
      expect(await names(documents, 'vouchers')).toEqual(['list_4', 'send_4', 'remove_4']);
    });

    it('counts less than what a tool itself says', async () => {
      expect(await names(documents, 'refund')).toEqual(['find_refund', 'list_4', 'send_4', 'remove_4']);
    });

    it('tells tools with the same words apart', async () => {
      expect((await names(documents, 'send a message about a parcel'))[0]).toBe('send_4');
    });

    it('does not make a word common: its tools weigh as before', async () => {
      const scoreOf = async (instructions?: string): Promise<number | undefined> => {
        const index = await bm25Scorer().index([
          document('find_refund', 'Finds a refund.'),
          ...toolsOf('shop', instructions),
          ...toolsOf('slack'),
          ...toolsOf('discord'),
        ]);
        return (await index.search(parseQuery('refund')))[0]?.score;
      };
      expect(await scoreOf(shop)).toBe(await scoreOf());
    });

    it('says nothing where it is said of most tools', async () => {
      expect(await names([...toolsOf('shop', shop), document('wave', 'Waves.')], 'vouchers')).toEqual([]);
    });

    it('satisfies no required word', async () => {
      expect(await names(documents, '+vouchers message')).toEqual([]);
    });

    it('is explained', async () => {
      const index = await bm25Scorer().index(documents);
      const query = parseQuery('vouchers');
      expect(await index.explain?.(query, 'send_4')).toMatchObject({
        words: [{ word: 'vouchers', found: '', by: 'server', fields: {} }],
      });
    });
  });
});

/** Tools whose descriptions answer all queries alike, and of whose names no query says anything. */
const documents = ['one', 'one_two', 'one_two_three'].map((name) =>
  document(`${name}_stranger`, 'Blue herons, grey wombats, red pelicans.'),
);

/** The scores of the tools, each as a share of the first one's. */
async function sharesFor(query: string, list: readonly ToolDocument[] = documents): Promise<readonly number[]> {
  const found = await (await bm25Scorer().index(list)).search(parseQuery(query));
  const scores = new Map(found.map(({ name, score }) => [name, score]));
  const first = scores.get(list[0]?.name ?? '') ?? 0;
  return list.map(({ name }) => (scores.get(name) ?? 0) / first);
}

describe('a short query', () => {
  const { stranger } = DEFAULT_SETTINGS;

  it.each(['herons', 'blue herons', 'grey wombats pelicans', 'blue herons grey wombats'])(
    'lowers a tool by each word of its name that "%s" does not ask for',
    async (query) => {
      const [, second, third] = await sharesFor(query);
      expect(second).toBeCloseTo((1 + 2 * stranger) / (1 + 3 * stranger), 9);
      expect(third).toBeCloseTo((1 + 2 * stranger) / (1 + 4 * stranger), 9);
    },
  );

  it('does not count stop words', async () => {
    expect((await sharesFor('the blue herons and the grey wombats'))[1]).toBeLessThan(1);
  });

  it('is one of at most four words: longer ones tell a task, in other words than names', async () => {
    expect(await sharesFor('blue herons grey wombats pelicans')).toEqual([1, 1, 1]);
  });

  it('counts no word of a name for which it has a synonym', async () => {
    const list = ['red_image_stranger', 'red_heron_stranger'].map((name) => document(name, 'Photographs of wombats.'));
    const [image = 0, heron = 0] = await sharesFor('picture', [...list]);
    expect(heron).toBeLessThan(image);
  });
});

describe('long queries', () => {
  const names = (query: string) => namesOf(bm25Scorer(), catalog, query);

  const AROUND = [
    'Hi there! As I told Maria on Tuesday, the review was moved to 10:30, since the people of the weather office had no time.',
    'Our partners are tired of waiting, and nobody in the Lisbon office knows why it takes so long. My number is 48213.',
  ];

  describe('a long query', () => {
    it.each([
      { request: 'rename a folder', found: 'move_file' },
      { request: 'cancel a meeting event', found: 'calendarDeleteEvent' },
      { request: 'comment on an issue', found: 'github_add_issue_comment' },
      { request: 'scale the deployment', found: 'k8s_scale_deployment' },
    ])('finds $found for the sentence that asks for it: $request', async ({ request, found }) => {
      const [before, after] = AROUND;
      for (const query of [
        `${before} Could you please ${request}? ${after}`,
        `${before} ${after} I need to ${request}.`,
        `${request}. ${before} ${after}`,
      ]) {
        expect((await names(query))[0], query).toBe(found);
      }
    });

    it('finds the tools of several sentences', async () => {
      const query =
        'Look up the exchange rate of euros in dollars for our report. Then translate the text of the summary into French, as it is for Paris. Finally transfer the money to the bank account of our customer.';
      expect([...(await names(query)).slice(0, 3)].sort()).toEqual([
        'bank_transfer',
        'currency-convert',
        'translateText',
      ]);
    });

    it('finds what one sentence of many words asks for by all of them', async () => {
      const documents = [document('read_heron', 'Reads a heron.'), document('paint_stork', 'Paints a stork in oil.')];
      const query =
        'paint one stork with bright oil colours beside blue water under grey clouds near green trees above brown stones';
      expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe('paint_stork');
    });

    it('counts a number for less than a word', async () => {
      const documents = [document('list_404', 'Lists 404 pages.'), document('list_herons', 'Lists herons and others.')];
      expect((await namesOf(bm25Scorer(), documents, 'list herons 404'))[0]).toBe('list_herons');
    });
  });
});

const others = ['get_weather', 'send_email', 'list_birds', 'translate_text', 'update_calendar'].map((name) =>
  document(name, `${name.replace('_', ' ')}.`),
);

describe('what deletes comes first for a query that means so in other words', () => {
  it.each([
    { query: 'revoke an api key', deleting: 'delete_api_key', says: 'Revokes an API key.', other: 'create_api_key' },
    { query: 'unpin a message', deleting: 'remove_pin', says: 'Unpins a message.', other: 'pin_message' },
    {
      ...{ query: 'detach the policy from the role', deleting: 'remove_role_policy' },
      ...{ says: 'Detaches a policy from a role.', other: 'get_role_policy' },
    },
    { query: 'unlike the post', deleting: 'delete_like', says: 'Unlikes a post.', other: 'get_post' },
    { query: 'unfollow a user', deleting: 'delete_follow', says: 'Unfollows a user.', other: 'get_user' },
    { query: 'flush the cache', deleting: 'purge_cache', says: 'Flushes the cache.', other: 'get_cache' },
  ])('"$query": $deleting', async ({ query, deleting, says, other }) => {
    const documents = [...others, document(deleting, says), document(other, `${other.replaceAll('_', ' ')}.`)];
    expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe(deleting);
  });

  it.each(['hapus berkas', 'xyzzy berkas'])(
    'does not fall behind where nothing is known of a word: "%s"',
    async (query) => {
      const documents = [document('delete_berkas', 'Berkas.'), document('open_berkas', 'Berkas.')];
      expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe('delete_berkas');
    },
  );
});

const KNOWN = new Set(['play', 'songs', 'del', 'google', 'doc', 'create', 'max', 'send', 'to']);

describe('the short words of a name', () => {
  it.each([
    { query: 'play songs of Lana Del Rey', names: ['lana', 'del', 'rey'], why: 'two of three are unknown' },
    {
      query: 'Play Lana Del Rey songs',
      names: ['lana', 'del', 'rey'],
      why: 'the first word of a query is not looked at',
    },
    { query: 'send mail to Max Mustermann', names: ['max'], why: 'a longer word means what it says' },
    { query: 'create a Google Doc', names: [], why: 'all are known' },
    { query: 'Lana Del Rey', names: [], why: 'titles are written so as a whole' },
    { query: 'play lana del rey', names: [], why: 'nothing tells that it is one' },
    { query: 'Del the songs', names: [], why: 'it stands alone' },
    { query: 'play DEL REY', names: [], why: 'abbreviations are written so' },
    { query: '', names: [], why: 'there are no words' },
  ])('are $names in "$query": $why', ({ query, names }) => {
    expect([...namesAmong(parseQuery(query).keywords, (word) => KNOWN.has(word))]).toEqual(names);
  });

  it('are no abbreviations', async () => {
    const documents = [document('delete_song', 'Delete a song of the library.'), document('play_song', 'Play a song.')];
    const names = (query: string) => namesOf(bm25Scorer(), documents, query);
    expect(await names('del Rey song')).toEqual(['delete_song', 'play_song']);
    expect(await names('hear a song by Lana Del Rey')).toEqual(['play_song', 'delete_song']);
  });
});
