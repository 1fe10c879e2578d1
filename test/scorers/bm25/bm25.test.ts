import fc from 'fast-check';
import { bm25Scorer, type ToolDocument } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/scorers/bm25/settings.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { describeRefusals } from '../refusals.ts';
import { ask, describeScorer, namesOf, rated, search } from '../scorer-contract.ts';
import type { IncrementalIndex } from '../told.ts';
import { turnsDuring } from '../turns.ts';

describeScorer('bm25Scorer', () => bm25Scorer(), { has: ['ranked', 'update', 'restrictedTo'] });

const names = (documents: readonly ToolDocument[], query: string, options = {}) =>
  namesOf(bm25Scorer(options), documents, query);
const first = async (documents: readonly ToolDocument[], query: string) => (await names(documents, query))[0];
const named = (...list: string[]) => list.map((name) => document(name));
const scoresOf = async (documents: readonly ToolDocument[], query: string, options = {}) =>
  Object.fromEntries((await search(bm25Scorer(options), documents, query)).map(({ name, score }) => [name, score]));

const index = (documents: readonly ToolDocument[]) => ({
  explain: async (query: string, name: string) =>
    (await bm25Scorer().index(documents)).explain?.(parseQuery(query), name),
});

describe('fields', () => {
  it.each<[why: string, tool: ToolDocument]>([
    ['a part of the name', document('read_pelican')],
    ['the title', document('read', '', { title: 'Pelican reader' })],
    ['the description', document('read', 'Reads a pelican.')],
    ['the server', document('read', '', { server: 'pelican' })],
    ["a parameter's name", document('read', '', { parameters: [['pelicanName']] })],
    ["a parameter's description", document('read', '', { parameters: [['id', 'Of the pelican']] })],
    ["a parameter's value", document('read', '', { parameters: [['kind', '', 'PELICAN', 'heron']] })],
  ])('find a tool by %s', async (_, tool) => {
    expect(await names([document('write', 'Writes.'), tool], 'pelican')).toEqual([tool.name]);
  });

  it('count in the order name, description, parameter', async () => {
    const described = document('other_tool', 'Something about a pelican.');
    const documents = [document('first_tool', '', { parameters: [['pelican']] }), described, document('pelican_tool')];
    expect(await names(documents, 'pelican')).toEqual(['pelican_tool', 'other_tool', 'first_tool']);
    expect((await names(documents, 'pelican', { boosts: { summary: 50, name: 0.01 } }))[0]).toBe('other_tool');
    expect(await names(documents, 'pelican', { boosts: { parameters: 0 } })).not.toContain('first_tool');
  });

  it('count the keywords and the title of one tool among a thousand like those of one among ten', async () => {
    for (const count of [10, 1_000]) {
      const others = Array.from({ length: count }, (_, n) => document(`list_page_${n}`, 'Lists a page of entries.'));
      const keyworded = document('create_issue', 'Opens something.', { keywords: ['moan'], title: 'Grumble' });
      expect(await first([...others, keyworded], 'moan about a page')).toBe('create_issue');
      expect(await first([...others, keyworded], 'grumble page')).toBe('create_issue');
    }
  });

  it('rank more words of the query before fewer, and rare ones before common ones', async () => {
    expect(await first(named('pelican', 'pelican_heron', 'pelican_heron_stork'), 'stork heron pelican')).toBe(
      'pelican_heron_stork',
    );
    const common = ['alpha', 'beta', 'gamma', 'delta'].map((name) => document(name, 'Reads a bird.'));
    expect(await first([...common, document('omega', 'Reads a pelican.')], 'bird pelican')).toBe('omega');
  });
});

const saying = (says: string, ...list: string[]) => list.map((name) => document(name, says));
const of = (says: Readonly<Record<string, string>>) => Object.entries(says).map(([name, each]) => document(name, each));

describe('first', () => {
  const pin = of({ get_weather: 'Weather.', remove_pin: 'Unpins a message.', pin_message: '' });
  const songs = of({ delete_song: 'Delete a song of the library.', play_song: 'Play a song.' });
  const purge = of({ get_weather: 'Weather.', purge_cache: 'Flushes the cache.', get_cache: '' });
  it.each<[query: string, expected: string, documents: readonly ToolDocument[], why: string]>([
    ['get_user', 'get_user', of({ get_user: '', admin: 'Get user. '.repeat(20) }), 'a name, not repetition'],
    ['get user', 'get_user', named('get_user_by_id', 'get_user', 'delete_get_user'), 'a name, not a longer one'],
    ['for_you', 'for_you', [document('for_you', 'Picks.'), ...catalog], 'a name of words that say nothing'],
    ['not', 'not', [document('not', 'Negates.'), ...catalog], 'a name that says nothing'],
    ['GETCURRENTWEATHER', 'get-current-weather', catalog, 'a name in another spelling'],
    ['search', 'search', named('Search', 'search', 'sea_rch'), 'the name that is spelled exactly so'],
    ['create asana task', 'CREATE_A_ASANA_TASK', named('ASANA_CREATE_TASK_X', 'CREATE_A_ASANA_TASK'), 'an article'],
    ['send sms to +15550001111', 'send_sms', named('send_sms', 'read_mail'), 'a phone number is not required'],
    ['translating', 'b', of({ a: 'Translate a text.', b: 'Translating a text.' }), 'the written form'],
    ['heron pelicam', 'dog', of({ cat: 'Pelican.', dog: 'Pelikan heron.' }), 'a word, not a guess'],
    ['list herons 404', 'list_herons', of({ list_404: 'Lists 404.', list_herons: 'Lists.' }), 'a word, not a number'],
    ['create report', 'create_report', saying('Reports.', 'make_report', 'create_report'), 'what was asked for'],
    ['make report', 'make_report', saying('Reports.', 'make_report', 'create_report'), 'what was asked for'],
    ['unpin a message', 'remove_pin', pin, 'what deletes'],
    ['flush the cache', 'purge_cache', purge, 'what deletes'],
    ['hapus berkas', 'delete_berkas', saying('Berkas.', 'delete_berkas', 'open_berkas'), 'an unknown word may delete'],
    ['del Rey song', 'delete_song', songs, 'an abbreviation'],
    ['hear a song by Lana Del Rey', 'play_song', songs, 'no abbreviation in a name'],
  ])('for "%s" is %s', async (query, expected, documents) => {
    expect(await first(documents, query)).toBe(expected);
  });

  it('is the tool that is named, among any accepted names', async () => {
    const part = fc.string({ unit: fc.constantFrom(...'abcdefghij0123'), minLength: 1, maxLength: 6 });
    const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_'));
    // Names with the same letters are one name in two spellings.
    const list = fc.uniqueArray(name, { minLength: 1, maxLength: 12, selector: (text) => text.replaceAll('_', '') });
    const property = fc.asyncProperty(list, async (all) => {
      for (const text of all) expect(await first(named(...all), text)).toBe(text);
    });
    await fc.assert(property, { numRuns: 50 });
  });
});

describe('nothing else', () => {
  it.each<[query: string, expected: readonly string[], documents: readonly ToolDocument[], why: string]>([
    ['farm', ['b'], of({ a: 'A form.', b: 'A farm.', c: 'A forum.' }), 'a known word is no guess'],
    ['what is the xylophone of', [], catalog, 'words that say nothing find nothing'],
    ['+The sms', ['send_sms'], named('send_sms', 'read_mail'), 'an article is not required'],
    ['pr', ['pull_request'], named('pull_tool', 'request_tool', 'pull_request'), 'a phrase needs all its words'],
    ['division', ['division_list'], named('divide_numbers', 'division_list'), 'a noun is no verb'],
    ['kubernetes k8s', ['k8s_list_pods', 'k8s_scale_deployment'], catalog, 'no synonyms'],
    ['erase', [], catalog, 'no synonyms'],
    ['мой', ['a'], of({ a: 'мой', b: 'мои', c: 'が' }), 'marks make other letters'],
    ['が', ['c'], of({ c: 'が', d: 'か' }), 'marks make other letters'],
  ])('is found by "%s" than %j', async (query, expected, documents, why) => {
    const options = why === 'no synonyms' || why.startsWith('marks') ? { synonyms: [] } : {};
    expect(await names(documents, query, options)).toEqual(expected);
  });

  it('and nothing by a query without words', async () => {
    const index = await bm25Scorer().index(catalog);
    for (const text of ['', '+']) expect(await index.search({ text, keywords: [], required: [] })).toEqual([]);
  });
});

it('lets others have their turn while a large catalog is indexed, and while it changes', async () => {
  const tools = (count: number, start = 0) =>
    Array.from({ length: count }, (_, n) => document(`tool_${start + n}`, `Reads number${start + n}.`));
  let index: IncrementalIndex | undefined;
  expect(await turnsDuring(async () => (index = await bm25Scorer().index(tools(1_000))))).toBeGreaterThan(30);
  expect(await turnsDuring(() => index?.update?.(tools(150, 1_000), []))).toBeGreaterThan(2);
});

const refused: { boosts: unknown; message: string }[] = [
  { boosts: { name: -1 }, message: '"boosts.name" must be a number of at least 0; got -1.' },
  { boosts: { title: Number.NaN }, message: '"boosts.title"' },
  { boosts: { parameters: '2' }, message: '"boosts.parameters"' },
  { boosts: { summary: null }, message: '"boosts.summary"' },
  { boosts: { names: 2 }, message: 'Did you mean "boosts.name"?' },
  { boosts: { body: 2 }, message: 'There are only name, keywords, title' },
  { boosts: 5, message: '"boosts" must be an object of numbers; got 5.' },
];
describeRefusals(refused, ({ boosts }) => bm25Scorer({ boosts: boosts as never }));

describe('servers', () => {
  /** Tools of a server, without its name in theirs. */
  const toolsOf = (server: string, instructions?: string): ToolDocument[] =>
    ['send', 'list', 'remove'].map((verb) =>
      document(`${verb}_${server.length}`, `Can ${verb} messages.`, { server, instructions }),
    );
  const shop = 'An online shop: parcels, refunds and vouchers.';
  const refund = document('find_refund', 'Finds a refund.');
  const documents = [...toolsOf('shop', shop), ...toolsOf('slack'), ...toolsOf('discord'), refund];

  it.each<[query: string, expected: string[], why: string]>([
    ['send a message in slack', ['send_5'], 'whose server the query names'],
    ['send a message in discord', ['send_7'], 'whose server the query names'],
    ['vouchers', ['list_4', 'send_4', 'remove_4'], 'of which the server says so'],
    ['refund', ['find_refund', 'list_4', 'send_4', 'remove_4'], 'that say it themselves, first'],
    ['send a message about a parcel', ['send_4'], 'with the same words that are told apart so'],
  ])('"%s" finds %j: tools %s', async (query, expected) => {
    expect((await names(documents, query)).slice(0, expected.length)).toEqual(expected);
  });

  it('tell nothing apart where most tools are of one, and satisfy no required word', async () => {
    const one = [...toolsOf('slack'), document('slack_status', 'Shows slack.', { server: 'slack' })];
    expect(await first(one, 'remove slack messages')).toBe('remove_5');
    expect(await names([...toolsOf('shop', shop), document('wave', 'Waves.')], 'vouchers')).toEqual([]);
    expect(await names(documents, '+vouchers message')).toEqual([]);
  });

  it('make no word common, and are explained', async () => {
    const without = [...toolsOf('shop'), ...documents.slice(3)];
    const [told, plain] = [await scoresOf(documents, 'refund'), await scoresOf(without, 'refund')];
    expect(told['find_refund']).toBe(plain['find_refund']);
    const index = await bm25Scorer().index(documents);
    const words = [{ word: 'vouchers', found: '', by: 'server', fields: {} }];
    expect(await index.explain?.(parseQuery('vouchers'), 'send_4')).toMatchObject({ words });
  });
});

describe("a name without its server's", () => {
  const others = named('home_turn_off', 'home_turn_light', 'github_list_issues', 'github_get_team', 'github_list_me');

  it.each([
    ['get me', 'github_get_me'],
    ['get_me', 'github_get_me'],
    ['call getMe now', 'github_get_me'],
    ['who am I?', 'github_get_me'],
    ['turn on', 'home_turn_on'],
  ])('finds the tool, though its words say nothing: %s', async (query, tool) => {
    const documents = [...others, ...named('github_get_me', 'home_turn_on')];
    const [best, next] = await search(bm25Scorer(), documents, query);
    expect(best?.name).toBe(tool);
    expect(best?.score).toBeGreaterThan(next?.score ?? 0);
    expect((await rated(await bm25Scorer().index(documents), query)).confidences[0]).toBe(0.99);
    expect((await index(documents).explain(query, tool))?.isNamed).toBe(true);
  });

  it('is read by what a tool says of its server, where no other name begins so', async () => {
    const documents = [...others, document('octo_get_me', '', { server: 'octo' }), document('cat_get_me')];
    expect((await index(documents).explain('get me', 'octo_get_me'))?.isNamed).toBe(true);
    expect((await index(documents).explain('get me', 'cat_get_me'))?.isNamed).toBe(false);
  });

  it('is no beginning with a verb, and no name of one word', async () => {
    const documents = named('get_issue_comments', 'get_team_comments', 'github_search', 'github_get');
    expect((await index(documents).explain('issue comments', 'get_issue_comments'))?.isNamed).toBe(false);
    expect((await index(documents).explain('search', 'github_search'))?.isNamed).toBe(false);
  });

  it('is not sure where several servers have it', async () => {
    const documents = [...others, ...named('gitlab_get_me', 'gitlab_list_issues', 'github_get_me')];
    const { names: found, confidences } = await rated(await bm25Scorer().index(documents), 'get me');
    expect(found.slice(0, 2)).toEqual(['github_get_me', 'gitlab_get_me']);
    expect(confidences[0]).toBeLessThan(0.99);
  });
});

describe('a question', () => {
  const { questionReads, questionChanges } = DEFAULT_SETTINGS;
  const documents = ['get_pelican', 'create_pelican', 'zoo_pelican'].map((name) => document(name, 'A bird.'));
  /** The scores of the tools that read and change, as shares of the third's. */
  const factors = async (query: string) => {
    const scores = await scoresOf(documents, query, { boosts: { description: 0, summary: 0 } });
    return ['get_pelican', 'create_pelican'].map((name) => (scores[name] ?? 0) / (scores['zoo_pelican'] ?? 1));
  };

  it.each([
    'which pelican?',
    'Hi, is there any pelican',
    'how many of my pelicans',
    'welche pelican',
    'what pelican is it',
  ])('asks to read: %s', async (query) => {
    const [reading, changing, other] = await factors(query);
    expect((reading ?? 0) / (other ?? 1)).toBeCloseTo(questionReads, 6);
    expect((changing ?? 0) / (other ?? 1)).toBeCloseTo(questionChanges, 6);
  });

  it.each(['can you do the pelican', 'how to do a pelican', 'could you please do my pelican', 'pelican'])(
    'is no request: %s',
    async (query) => {
      const [reading, changing] = await factors(query);
      expect(reading).toBeCloseTo(1, 6);
      expect(changing).toBeCloseTo(1, 6);
    },
  );

  it('finds what reads before what changes', async () => {
    const tickets = named('linear_create_issue', 'linear_search_issues', 'linear_list_teams');
    expect(await first(tickets, 'any linear issue that mentions the login')).toBe('linear_search_issues');
  });
});

describe('the name of a server', () => {
  const { namedServer } = DEFAULT_SETTINGS;
  const told = (name: string, server: string) => document(name, 'A heron.', { server });
  /** The score of the first tool as a share of the second's, where no field but the description counts. */
  const lift = async (documents: readonly ToolDocument[], query: string) => {
    const scores = await scoresOf(documents, query, { boosts: { server: 0, name: 0 } });
    return (scores[documents[0]?.name ?? ''] ?? 0) / (scores[documents[1]?.name ?? ''] ?? 1);
  };

  it('lifts its tools, as it is told or as the beginning of their names', async () => {
    expect(await lift([told('take_one', 'Linear MCP'), told('take_two', 'asana')], 'linear heron')).toBeCloseTo(
      namedServer,
      6,
    );
    expect(await lift([told('take_one', 'Google Maps'), told('take_two', 'asana')], 'google maps heron')).toBeCloseTo(
      namedServer,
      6,
    );
    const [one, two, three] = ['linear_take', 'asana_take', 'linear_make'].map((name) => document(name, 'A heron.'));
    expect(await lift([one!, two!, three!], 'linear heron')).toBeGreaterThan(namedServer);
  });

  it('lifts none where tools of others have it in their names', async () => {
    const documents = [told('take_one', 'linear'), told('take_two', 'asana'), told('linear_three', 'asana')];
    expect(await lift(documents, 'linear heron')).toBeCloseTo(1, 6);
  });
});

describe('a long query', () => {
  const before =
    'Hi there! As I told Maria on Tuesday, the review was moved to 10:30, since the people of the weather office had no time.';
  const after = 'Our partners are tired of waiting, and nobody in the Lisbon office knows why. My number is 48213.';

  it.each([
    ['rename a folder', 'move_file'],
    ['cancel a meeting event', 'calendarDeleteEvent'],
    ['comment on an issue', 'github_add_issue_comment'],
    ['scale the deployment', 'k8s_scale_deployment'],
  ])('is found by the sentence that asks for something: %s', async (request, found) => {
    const [asked, last] = [`Could you please ${request}?`, `I need to ${request}.`];
    for (const query of [
      `${before} ${asked} ${after}`,
      `${before} ${after} ${last}`,
      `${request}. ${before} ${after}`,
    ]) {
      expect(await first(catalog, query), query).toBe(found);
    }
  });

  it('finds the tools of several sentences, and those of one sentence by all of its words', async () => {
    const query =
      'Look up the exchange rate of euros in dollars for our report. Then translate the text of the summary into French, as it is for Paris. Finally transfer the money to the bank account of our customer.';
    const three = ['bank_transfer', 'currency-convert', 'translateText'];
    expect((await names(catalog, query)).slice(0, 3).sort()).toEqual(three);
    const documents = [document('read_heron', 'Reads a heron.'), document('paint_stork', 'Paints a stork in oil.')];
    const one =
      'paint one stork with bright oil colours beside blue water under grey clouds near green trees above brown stones';
    expect(await first(documents, one)).toBe('paint_stork');
  });
});

describe('the vocabulary', () => {
  it.each([
    ['prs', 'github_merge_pull_request', 'the plural of an abbreviation of two words'],
    ['kubernetes', 'k8s_list_pods', 'the long form'],
    ['dir', 'list_directory', 'a short form'],
    ['postgresql', 'postgres_query', 'a spelling'],
    ['merge the pr', 'github_merge_pull_request', 'the word beside the abbreviation decides'],
    ['new ticket', 'jira_create_ticket', 'new is create'],
    ['erase an event', 'calendarDeleteEvent', 'erase is delete'],
    ['dispatch an e-mail', 'send_email', 'verb and spelling'],
    ['repo hook', 'github_create_webhook', 'two short forms'],
    ['db tables', 'postgres_list_tables', 'the unknown one does not harm'],
    ['exchange money', 'currency-convert', 'what one asks for'],
    ['Wetter Vorhersage', 'get-weather-forecast', 'German'],
    ['Termin löschen', 'calendarDeleteEvent', 'German'],
    ['crear evento', 'calendarCreateEvent', 'Spanish'],
    ['créer un événement', 'calendarCreateEvent', 'French'],
    ['creer un evenement', 'calendarCreateEvent', 'French without accents'],
    ['cre\u0301er un e\u0301ve\u0301nement', 'calendarCreateEvent', 'French, accents apart'],
    ['прогноз погоды', 'get-weather-forecast', 'Russian'],
    ['读取文件', 'read_file', 'Chinese, two words'],
    ['メールを送る', 'send_email', 'Japanese'],
    ['날씨 예보', 'get-weather-forecast', 'Korean'],
  ])('finds for "%s" %s first: %s', async (query, found) => {
    expect(await first(catalog, query)).toBe(found);
  });

  it('satisfies a required word by what is nearly the same, not by what is related', async () => {
    const requests = ['github_create_pull_request', 'github_merge_pull_request'];
    expect(await names(catalog, '+repo create')).not.toEqual([]);
    expect(await names(catalog, '+pr create')).toEqual(requests);
    expect(await names(catalog, '+erase event')).toEqual([]);
  });

  it('finds tools in their own language, with and without accents, before any translation', async () => {
    const documents = of({ reunion_crear: 'Crea una reunión.', meeting_create: 'Creates a meeting.' });
    for (const query of ['crear reunión', 'CREAR REUNION']) {
      expect(await names(documents, query)).toEqual(['reunion_crear', 'meeting_create']);
    }
  });

  it.each([
    ['count rows in a table', 'execute_sql'],
    ['show running pods', 'kubectl_get'],
    ['news online about Mars', 'websearch'],
    ['open a web page', 'webbrowser'],
    ['run a script', 'execute_command'],
  ])('knows that a generic tool serves "%s": %s', async (query, expected) => {
    const generic = of({
      execute_sql: 'Execute SQL queries',
      kubectl_get: 'Run kubectl get',
      websearch: 'Run a Google search',
      webbrowser: 'Browse a URL',
      execute_command: 'Execute a shell command',
      list_directory: 'List a directory',
      get_file_info: 'Get metadata of a file: its size, the number of its rows',
    });
    expect(await first(generic, query)).toBe(expected);
  });
});

describe('a synonym', () => {
  const weight = fc.double({ min: 0.01, max: 1, noNaN: true });
  const field = fc.constantFrom('name', 'description', 'title', 'keywords', 'parameters');
  const holding = (id: string, where: string, text: string) =>
    where === 'name'
      ? document(`${id}_${text.replaceAll(' ', '_')}`)
      : document(id, where === 'description' ? `Something with a ${text} inside.` : '', {
          title: where === 'title' ? text : '',
          keywords: where === 'keywords' ? [text] : [],
          parameters: where === 'parameters' ? [[text.replaceAll(' ', '_')]] : [],
        });

  it('never scores above the same hit by the word itself', async () => {
    const birds = fc.constantFrom('heron', 'stork', 'pelican', 'grey goose', 'swan');
    const pairs = fc.uniqueArray(birds, { minLength: 2, maxLength: 2 });
    const property = fc.asyncProperty(
      pairs,
      weight,
      field,
      fc.nat(4),
      async ([word = '', other = ''], share, at, more) => {
        const own = Array.from({ length: more + 1 }, (_, n) => holding(`own${n}`, at, word));
        const alike = Array.from({ length: 5 - more }, (_, n) => holding(`alike${n}`, at, other));
        const scorer = bm25Scorer({ synonyms: [{ words: [word, other], weight: share }] });
        const matches = await search(scorer, [...own, ...alike], word);
        expect(matches).toHaveLength(6);
        const scores = (start: string) => matches.flatMap(({ name, score }) => (name.startsWith(start) ? [score] : []));
        // With a weight of 1 they are equal, as far as figures are.
        expect(Math.max(...scores('alike'))).toBeLessThanOrEqual(Math.min(...scores('own')) * (1 + 1e-12));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('by a rare word counts no more than the common word that was asked for', async () => {
    const numbered = (start: string) => named(...Array.from({ length: 30 }, (_, n) => `${start}_n${n}`));
    const found = await names([...named('enumerate_things'), ...numbered('list'), ...numbered('other')], 'list');
    expect([found.length, found.at(-1)]).toEqual([31, 'enumerate_things']);
  });

  it('does not hide what was asked for: the words themselves still match what they matched', async () => {
    const common = 'create issue pull request repo message channel file event weather ticket list get search email';
    const word = fc.constantFrom(...common.split(' '));
    const member = fc.array(word, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(' '));
    const group = fc.record({ words: fc.uniqueArray(member, { minLength: 2, maxLength: 4 }), weight });
    const query = fc
      .array(fc.tuple(word, fc.constantFrom('', '', '', '+')), { minLength: 1, maxLength: 4 })
      .map((list) => list.map(([text, sign]) => `${sign}${text}`).join(' '));
    const property = fc.asyncProperty(fc.array(group, { maxLength: 4 }), query, async (synonyms, text) => {
      const found = new Set(await names(catalog, text, { synonyms }));
      for (const name of await names(catalog, text, { synonyms: [] })) expect(found).toContain(name);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

describe('tools for one thing', () => {
  // Of the same length, and with the same words but for the verb.
  const verbs = ['read', 'make', 'edit', 'drop', 'copy', 'stop'];
  const documents = saying('Of a customer.', ...verbs.map((verb) => `shop_${verb}_invoice`));

  it.each([
    ['look up an invoice', 'read'],
    ['enumerate the invoice of a customer', 'read'],
    ['register the invoice of a customer', 'make'],
    ['patch the invoice of a customer', 'edit'],
    ['discard the invoice of a customer', 'drop'],
    ['transfer the invoice of a customer', 'copy'],
    ['suspend the invoice of a customer', 'stop'],
    ['Rechnung löschen', 'drop'],
  ])('are told apart by the verb of "%s": %s, also where that came later', async (query, verb) => {
    expect(await first(documents, query)).toBe(`shop_${verb}_invoice`);
    const index: IncrementalIndex = await bm25Scorer().index(documents.slice(1));
    expect((await ask(await index.update?.(documents.slice(0, 1), []), query))[0]).toBe(`shop_${verb}_invoice`);
  });

  it('keep their order where the query has no verb, but for the one that deletes', async () => {
    const { shop_drop_invoice, ...rest } = await scoresOf(documents, 'invoice of a customer');
    const [score = 0, ...same] = new Set(Object.values(rest));
    expect(same).toEqual([]);
    expect(shop_drop_invoice).toBeCloseTo(score / 2);
  });

  // The other tool is of another kind too: of two that are equal, the alphabet prefers this one.
  it.each(['delete that invoice', 'get rid of that invoice', 'cancel that invoice', 'delte that invoice'])(
    'keep what deletes for "%s"',
    async (query) => {
      const known = saying('Invoices.', 'shop_delete_invoice', 'shop_edit_invoice');
      expect(await first(known, query)).toBe('shop_delete_invoice');
    },
  );

  it('gain and lose a tenth, half for deleting unasked, and nothing where the name has no verb', async () => {
    // Neither word of the query is in a name: the verb alone makes the difference.
    const ledgers = saying('Wombats.', ...['show', 'edit', 'drop', 'blue'].map((verb) => `shop_${verb}_ledger`));
    const scores = await scoresOf(ledgers, 'enumerate wombats', { synonyms: [] });
    const share = (verb: string) => (scores[`shop_${verb}_ledger`] ?? 0) / (scores['shop_blue_ledger'] ?? 0);
    expect(['show', 'edit', 'drop'].map(share)).toEqual([1.1, 0.9, 0.5].map((value) => expect.closeTo(value)));
  });
});

it('of a tool that has a word in two forms, the explanation names the one that was written', async () => {
  const [both, other] = [document('read_heron', 'Reads a bird.'), document('parcel', 'Reads a parcel.')];
  const before: IncrementalIndex = await bm25Scorer().index([document('heron'), other]);
  const updated = before.update?.([both], ['heron']);
  for (const index of [bm25Scorer().index([both, other]), bm25Scorer().index([other, both]), updated]) {
    const explained = await (await index)?.explain?.(parseQuery('read'), 'read_heron');
    expect(explained).toMatchObject({ words: [{ found: 'read', by: 'word' }] });
  }
});

describe('an unknown word', () => {
  const birds = named('heron', 'pelican', 'penguin', 'stork', 'swallow', 'swan', 'sparrow', '鶴');

  it.each<[word: string, found: readonly string[], why: string]>([
    ['pelic', ['pelican'], 'a word begins so'],
    ['sw', [], 'two letters say too little'],
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
  ])('finds by "%s" %j: %s', async (word, found) => {
    expect(await names(birds, word, { synonyms: [] })).toEqual(found);
    expect(await names(birds.toReversed(), word, { synonyms: [] })).toEqual(found);
  });
});
