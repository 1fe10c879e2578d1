import { hash } from 'node:crypto';
import { bm25Scorer, type FeatureExplanation, type ToolDocument, wordsAndMeaningScorer } from 'mastra-tool-search';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FEATURE_NAMES } from '../../../src/scorers/meaning/features.ts';
import { SHA256, WORD_VECTORS } from '../../../src/scorers/meaning/word-vectors.js';
import type { IncrementalIndex, MatchExplanation } from '../../../src/scorers/scorer.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { describeRefusals } from '../refusals.ts';
import { describeScorer, namesOf, search } from '../scorer-contract.ts';

const WORD_VECTORS_FILE = '../../../src/scorers/meaning/word-vectors.js';

describeScorer('wordsAndMeaningScorer()', () => wordsAndMeaningScorer(), {
  has: ['ranked', 'update', 'restrictedTo'],
  runs: 4,
});

const names = (documents: readonly ToolDocument[], query: string) => namesOf(wordsAndMeaningScorer(), documents, query);
const first = async (documents: readonly ToolDocument[], query: string) => (await names(documents, query))[0];
const indexOf = async (documents: readonly ToolDocument[]): Promise<IncrementalIndex> =>
  wordsAndMeaningScorer().index(documents);

/** None of them has a word of the queries below. */
const office: readonly ToolDocument[] = [
  document('create_invoice', 'Issue an invoice to a customer.'),
  document('get_weather', 'Current conditions and forecast.'),
  document('list_repositories', 'Repositories of an account.'),
  document('send_message', 'Post text to a channel.'),
  document('find_photos', 'Search the album.'),
  document('schedule_meeting', 'Put an event into the calendar.'),
  document('reset_password', 'Set other credentials for an account.'),
];

describe('meaning', () => {
  it.each([
    ['pay our suppliers', 'create_invoice'],
    ['umbrella', 'get_weather'],
    ['will it rain', 'get_weather'],
    ['foto', 'find_photos'],
    ['correo', 'send_message'],
  ])('finds for "%s" what words alone do not: %s', async (query, expected) => {
    expect(await namesOf(bm25Scorer(), office, query)).toEqual([]);
    expect(await first(office, query)).toBe(expected);
  });

  it.each([
    ['addition of numbers', 'add_numbers', 'the verb of a noun'],
    ['division', 'divide_numbers', 'the verb of a noun'],
    ['hear a song by Lana Del Rey', 'play_song', 'no abbreviation in the name of a person'],
  ])('finds for "%s" first %s: %s', async (query, expected) => {
    const tools = ['get_numbers', 'add_numbers', 'divide_numbers', 'delete_song', 'play_song'].map((name) =>
      document(name),
    );
    expect(await first(tools, query)).toBe(expected);
  });

  it('knows that a bill is an invoice, without a vocabulary of synonyms', async () => {
    const synonyms = [{ words: ['pto', 'vacation'] }];
    expect(await namesOf(bm25Scorer({ synonyms }), office, 'bill')).toEqual([]);
    expect((await namesOf(wordsAndMeaningScorer({ synonyms }), office, 'bill'))[0]).toBe('create_invoice');
  });

  it.each([
    ['wetter', 'get_weather'],
    ['météo demain', 'get_weather'],
    ['погода', 'get_weather'],
    ['天气', 'get_weather'],
    ['rechnung', 'create_invoice'],
    ['factura', 'create_invoice'],
    ['contraseña', 'reset_password'],
  ])('finds by words of other languages: %s', async (query, expected) => {
    expect(await first(office, query)).toBe(expected);
  });

  it.each(['qwxzv', 'asdfgh', 'xqzt hjkl', 'foo bar', 'kaboom zanzibar', 'xylophone', 'lorem ipsum dolor'])(
    'finds nothing for what nothing is like, in a catalog however small: %s',
    async (query) => {
      const three = [
        document('get_forecast', 'The weather forecast of a city.'),
        document('send_email', 'Sends an email to somebody.'),
        document('create_issue', 'Opens an issue in a repository.'),
      ];
      for (const documents of [office, three, three.slice(0, 1)]) expect(await names(documents, query)).toEqual([]);
    },
  );

  it('goes by the words beside letters that are no word', async () => {
    expect(await names(catalog, 'qwxzv')).toEqual([]);
    expect(await first(office, 'qwxzv umbrella')).toBe('get_weather');
  });
});

describe('words', () => {
  it('find what is named first, whatever the others mean', async () => {
    const tools = [...office, document('bill', 'Prints letters.'), document('umbrella_stand', 'A piece of furniture.')];
    expect(await first(tools, 'bill')).toBe('bill');
    expect(await first(tools, 'umbrella stand')).toBe('umbrella_stand');
    expect(await first(tools, 'UmbrellaStand')).toBe('umbrella_stand');
  });

  it('that are required are found as words, not by what they mean', async () => {
    expect(await names(office, '+umbrella weather')).toEqual([]);
    expect(await names(office, '+forecast umbrella')).toEqual(['get_weather']);
  });

  it('take the options of bm25Scorer()', async () => {
    const tools = [document('first', '', { parameters: [['pelican']] }), document('second', 'Feeds a pelican.')];
    const query = parseQuery('pelican');
    for (const [boost, isMatched] of [
      [1, true],
      [0, false],
    ] as const) {
      const index: IncrementalIndex = await wordsAndMeaningScorer({ boosts: { parameters: boost } }).index(tools);
      const explanation = (await index.explain?.(query, 'first')) as MatchExplanation;
      expect(explanation.words.length > 0).toBe(isMatched);
    }
  });

  it('find what follows the tools that were looked at closely', async () => {
    const tools = Array.from({ length: 400 }, (_, n) => document(`email_tool_${n}`, `Send an email, number${n}.`));
    const matches = await search(wordsAndMeaningScorer(), tools, 'email');
    expect(matches).toHaveLength(400);
    expect(matches.every(({ score }, at) => at === 0 || score <= matches[at - 1]!.score)).toBe(true);
  });

  it('make the key, by which processors share an index', () => {
    const [one, same, other] = [{}, {}, { boosts: { name: 1 } }].map((options) => wordsAndMeaningScorer(options).key);
    expect(one).toBe(same);
    expect(new Set([one, other, bm25Scorer().key]).size).toBe(3);
  });
});

describe('an explanation', () => {
  const sumOf = (features: readonly FeatureExplanation[] = []) => features.reduce((sum, { score }) => sum + score, 0);

  it.each(['umbrella', 'open a pull request', 'what is the weather in Rome', 'github_create_issue', 'create issue'])(
    'of "%s" has a row for each feature, and they add up to the score',
    async (text) => {
      const index = await indexOf([...catalog, ...office.filter(({ name }) => name !== 'get_weather')]);
      const query = parseQuery(text);
      const matches = await index.search(query);
      expect(matches.length).toBeGreaterThan(0);
      for (const { name, score } of matches) {
        const features = (await index.explain?.(query, name))?.features;
        expect(features?.map(({ feature }) => feature)).toEqual(expect.arrayContaining([...FEATURE_NAMES]));
        expect(features?.filter((each) => !(each.value >= 0 && each.score >= 0))).toEqual([]);
        expect(sumOf(features), name).toBeCloseTo(score, 9);
      }
    },
  );

  it('says what meaning adds to what no word finds', async () => {
    const index = await indexOf(office);
    const explanation = await index.explain?.(parseQuery('umbrella'), 'get_weather');
    expect(explanation).toMatchObject({ words: [], coverage: 0, isNamed: false });
    const byMeaning = explanation?.features?.filter(({ of }) => of === 'meaning');
    const byWords = explanation?.features?.filter(({ of }) => of === 'words');
    expect([sumOf(byMeaning) > 1, sumOf(byWords)]).toEqual([true, 0]);
  });
});

describe('a forbidden tool', () => {
  it('shows in no score of the permitted ones, whatever it is like', async () => {
    const twins = office.flatMap((tool) => [
      tool,
      document(`secret_${tool.name}`, `${tool.description} Umbrella, bill.`, { server: 'secret' }),
      // Copies of a tool, which count as one.
      document(`one_${tool.name}`, tool.description, { server: 'one' }),
      document(`two_${tool.name}`, tool.description, { server: 'two' }),
    ]);
    const whole = await indexOf(twins);
    for (const forbidden of ['secret_', 'one_', 'two_']) {
      const permitted = twins.filter(({ name }) => !name.startsWith(forbidden));
      const part = await whole.restrictedTo?.(new Set(permitted.map(({ name }) => name)));
      const alone = await indexOf(permitted);
      for (const text of [
        'bill',
        'umbrella',
        'pay our suppliers',
        'wetter',
        'one post text',
        'secret',
        'what is new',
      ]) {
        const [query, queryAlone] = [parseQuery(text), parseQuery(text)];
        const matches = await part!.search(query);
        expect(matches, text).toEqual(await alone.search(queryAlone));
        expect(matches.filter(({ name }) => name.startsWith(forbidden))).toEqual([]);
        const best = matches.slice(0, 5).map(({ name }) => name);
        expect(part!.confidence?.(query, best)).toEqual(alone.confidence?.(queryAlone, best));
      }
    }
  });

  it('shows in none where most of a large catalog is forbidden', async () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      document(`acme_report_${n}`, `Rain and umbrellas, number${n}.`, { server: 'acme' }),
    );
    const whole = await indexOf([...many, ...office]);
    const part = await whole.restrictedTo?.(new Set(office.map(({ name }) => name)));
    for (const text of ['umbrella', 'acme report', 'bill']) {
      expect(await part!.search(parseQuery(text))).toEqual(await search(wordsAndMeaningScorer(), office, text));
    }
  });
});

describe('confidence', () => {
  it('knows an app that no tool mentions, among those that may be seen', async () => {
    const index = await indexOf([...office, document('trello_add_card', 'Adds a card in Trello.')]);
    const part = await index.restrictedTo?.(new Set(office.map(({ name }) => name)));
    const query = 'add a card in Trello, as in Bitbucket';
    expect(await index.unmentionedApp?.(parseQuery(query))).toBe('Bitbucket');
    expect(await (part as IncrementalIndex).unmentionedApp?.(parseQuery(query))).toBe('Trello');
  });
});

describe('the table', () => {
  it('is the one that was packed', () => {
    expect(hash('sha256', Buffer.from(WORD_VECTORS, 'base64'))).toBe(SHA256);
  });

  describe('that is missing', () => {
    afterEach(() => {
      vi.doUnmock(WORD_VECTORS_FILE);
      vi.resetModules();
    });
    const withoutTable = async (): Promise<typeof import('../../../src/index.ts')> => {
      vi.resetModules();
      vi.doMock(WORD_VECTORS_FILE, () => {
        throw new Error('no such file');
      });
      return import('../../../src/index.ts');
    };

    it('leaves words alone, which is reported once', async () => {
      const api = await withoutTable();
      const faults: { scorer: string; error: unknown }[] = [];
      const context = { report: (fault: { scorer: string; error: unknown }) => void faults.push(fault) };
      const scorer = api.wordsAndMeaningScorer();
      for (const text of ['create issue', 'weather in Rome']) {
        const index = await scorer.index(catalog, context);
        expect(await index.search(parseQuery(text))).toEqual(await search(bm25Scorer(), catalog, text));
      }
      expect(faults).toEqual([{ scorer: 'words and meaning', error: expect.any(Error) }]);
    });

    it('is one event of a processor, whose searches go on by words', async () => {
      const api = await withoutTable();
      const events: { type: string }[] = [];
      const { tool } = await import('../../support/agent.ts');
      const tools = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`read_bird_${n}`, tool(`read_bird_${n}`)]));
      const processor = new api.ToolSearchProcessor({
        tools: ({ requestContext }) => tools(Number(requestContext?.get('count') ?? 3)),
        onEvent: (event) => void events.push(event),
      });
      for (const count of [3, 4]) {
        const { RequestContext } = await import('@mastra/core/request-context');
        const requestContext = new RequestContext();
        requestContext.set('count', count);
        expect((await processor.search('read bird', { requestContext })).length).toBe(count);
      }
      expect(events.filter(({ type }) => type === 'scorer-failed')).toEqual([
        expect.objectContaining({ scorer: 'words and meaning', survived: true }),
      ]);
    });
  });
});

describeRefusals(
  [
    { options: { boost: {} }, message: 'wordsAndMeaningScorer' },
    { options: { boosts: { nome: 1 } }, message: 'nome' },
    { options: { boosts: { name: -1 } }, message: '-1' },
    { options: { synonyms: 'pto' }, message: 'synonyms' },
  ],
  ({ options }) => wordsAndMeaningScorer(options as never),
);
