import fc from 'fast-check';
import { bm25Scorer } from 'mastra-tool-search';
import type { SynonymGroup } from 'mastra-tool-search/synonyms';
import { describe, expect, it } from 'vitest';
import type { IncrementalIndex } from '../../../src/scorers/scorer.ts';
import { parseQuery } from '../../../src/scorers/words/query.ts';
import { actionKinds, DELETING, STOPPING, verbsOf } from '../../../src/scorers/words/query-words.ts';
import { stem } from '../../../src/scorers/words/words.ts';
import { catalog, document } from '../../fixtures/tools.ts';
import { namesOf, search } from '../scorer-contract.ts';

const names = (query: string) => namesOf(bm25Scorer(), catalog, query);
const PULL_REQUESTS = ['github_create_pull_request', 'github_merge_pull_request'];

describe('the vocabulary of tools', () => {
  it.each([
    { query: 'pr', found: PULL_REQUESTS, why: 'an abbreviation of two words' },
    { query: 'prs', found: PULL_REQUESTS, why: 'its plural' },
    { query: 'PR', found: PULL_REQUESTS, why: 'in capitals' },
    { query: 'kubernetes', found: ['k8s_list_pods', 'k8s_scale_deployment'], why: 'the long form' },
    { query: 'dir', found: ['list_directory'], why: 'a short form' },
    {
      query: 'postgresql',
      found: ['postgres_query', 'postgres_list_tables', 'postgres_explain_query'],
      why: 'a spelling',
    },
  ])('finds first what "$query" stands for: $why', async ({ query, found }) => {
    expect([...(await names(query)).slice(0, found.length)].sort()).toEqual([...found].sort());
  });

  it.each([
    { query: 'open a pr', found: 'github_create_pull_request', why: 'noun and verb' },
    { query: 'merge the pr', found: 'github_merge_pull_request', why: 'the word beside the abbreviation decides' },
    { query: 'make a ticket', found: 'jira_create_ticket', why: 'make is create' },
    { query: 'new ticket', found: 'jira_create_ticket', why: 'so is new' },
    { query: 'remove event', found: 'calendarDeleteEvent', why: 'remove is delete' },
    { query: 'erase an event', found: 'calendarDeleteEvent', why: 'so is erase' },
    { query: 'fetch headers', found: 'getHTTPHeaders', why: 'fetch stands in the description as well' },
    { query: 'make an event', found: 'calendarCreateEvent', why: 'make is create' },
    { query: 'mail someone', found: 'send_email', why: 'a short form' },
    { query: 'dispatch an e-mail', found: 'send_email', why: 'verb and spelling' },
    { query: 'repo hook', found: 'github_create_webhook', why: 'two short forms' },
    { query: 'db tables', found: 'postgres_list_tables', why: 'the unknown one does not harm' },
    { query: 'find bugs on jira', found: 'jira_search', why: 'find is search' },
    { query: 'exchange money', found: 'currency-convert', why: 'what one asks for' },
  ])('ranks $found first for "$query": $why', async ({ query, found }) => {
    expect((await names(query))[0]).toBe(found);
  });

  it.each([
    { query: 'PRs', tool: document('create_pull_request') },
    { query: 'GitHub', tool: document('gh_api') },
    { query: 'URLs', tool: document('open_link') },
  ])('finds $tool.name for "$query"', async ({ query, tool }) => {
    expect(await namesOf(bm25Scorer(), [tool, document('other')], query)).toEqual([tool.name]);
  });

  it('finds a required word by what is nearly the same, not by what is related', async () => {
    expect((await names('+repo create')).length).toBeGreaterThan(0);
    expect(await names('+pr create')).toEqual(PULL_REQUESTS);
    expect(await names('+erase event')).toEqual([]);
  });

  it('finds nothing more where there is none', async () => {
    expect(await namesOf(bm25Scorer({ synonyms: [] }), catalog, 'kubernetes k8s')).toEqual([
      'k8s_list_pods',
      'k8s_scale_deployment',
    ]);
    expect(await namesOf(bm25Scorer({ synonyms: [] }), catalog, 'erase')).toEqual([]);
  });
});

describe('an expansion', () => {
  const BIRDS = ['heron', 'stork', 'pelican', 'grey goose', 'swan'];
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
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...BIRDS), { minLength: 2, maxLength: 2 }),
        weight,
        field,
        fc.nat(4),
        fc.nat(4),
        async ([word = '', other = ''], share, where, more, fewer) => {
          const documents = [
            holding('a0', where, other),
            holding('z0', where, word),
            ...Array.from({ length: more }, (_, n) => holding(`y${n}`, where, word)),
            ...Array.from({ length: fewer }, (_, n) => holding(`b${n}`, where, other)),
          ];
          const scorer = bm25Scorer({ synonyms: [{ words: [word, other], weight: share }] });
          const matches = await search(scorer, documents, word);
          expect(matches).toHaveLength(documents.length);
          const isOwn = ({ name }: { name: string }): boolean => /^[zy]/.test(name);
          const worstOwn = Math.min(...matches.filter(isOwn).map(({ score }) => score));
          // With a weight of 1 they are equal, as far as figures are.
          const most = worstOwn * (1 + 1e-12);
          for (const { name, score } of matches) if (!isOwn({ name })) expect(score).toBeLessThanOrEqual(most);
        },
      ),
    );
  });

  it('by a rare word counts no more than the common word that was asked for', async () => {
    const documents = [
      document('enumerate_things'),
      ...Array.from({ length: 30 }, (_, n) => document(`list_n${n}`)),
      ...Array.from({ length: 30 }, (_, n) => document(`other_n${n}`)),
    ];
    const found = await namesOf(bm25Scorer(), documents, 'list');
    expect(found).toHaveLength(31);
    expect(found.at(-1)).toBe('enumerate_things');
  });

  it('does not hide what was asked for: the words themselves still match what they matched', async () => {
    const word = fc.constantFrom(
      ...'create issue pull request repo message channel file folder event weather ticket list get search email convert text'.split(
        ' ',
      ),
    );
    const group: fc.Arbitrary<SynonymGroup> = fc.record({
      words: fc.uniqueArray(
        fc.oneof(
          word,
          fc.tuple(word, word).map((parts) => parts.join(' ')),
        ),
        {
          minLength: 2,
          maxLength: 4,
        },
      ),
      weight,
    });
    const query = fc
      .array(fc.tuple(word, fc.constantFrom('', '', '', '+')), { minLength: 1, maxLength: 4 })
      .map((list) => list.map(([text, sign]) => `${sign}${text}`).join(' '));
    const plain = await bm25Scorer({ synonyms: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(group, { maxLength: 4 }), query, async (synonyms, text) => {
        const found = new Set(await namesOf(bm25Scorer({ synonyms }), catalog, text));
        for (const name of await namesOf(plain, catalog, text)) expect(found).toContain(name);
      }),
      { numRuns: 60 },
    );
  });

  it('of a phrase needs all of its words in the tool', async () => {
    const documents = [document('pull_tool'), document('request_tool'), document('pull_request_tool')];
    expect(await namesOf(bm25Scorer(), documents, 'pr')).toEqual(['pull_request_tool']);
  });

  it('does not make a tool that is asked for by its own words second', async () => {
    const documents = [document('make_report', 'Makes a report.'), document('create_report', 'Creates a report.')];
    expect(await namesOf(bm25Scorer(), documents, 'make report')).toEqual(['make_report', 'create_report']);
    expect(await namesOf(bm25Scorer(), documents, 'create report')).toEqual(['create_report', 'make_report']);
  });
});

describe('other languages', () => {
  it.each([
    { query: 'Wettervorhersage', language: 'German, one word', expected: undefined },
    { query: 'Wetter Vorhersage', language: 'German', expected: 'get-weather-forecast' },
    { query: 'Datei lesen', language: 'German', expected: 'read_file' },
    { query: 'Termin löschen', language: 'German', expected: 'calendarDeleteEvent' },
    { query: 'enviar un correo', language: 'Spanish', expected: 'send_email' },
    { query: 'crear evento', language: 'Spanish', expected: 'calendarCreateEvent' },
    { query: 'créer un événement', language: 'French', expected: 'calendarCreateEvent' },
    { query: 'creer un evenement', language: 'French without accents', expected: 'calendarCreateEvent' },
    {
      query: 'cre\u0301er un e\u0301ve\u0301nement',
      language: 'French, accents apart',
      expected: 'calendarCreateEvent',
    },
    { query: 'enviar e-mail', language: 'Portuguese', expected: 'send_email' },
    { query: 'leggere file', language: 'Italian', expected: 'read_file' },
    { query: 'прогноз погоды', language: 'Russian', expected: 'get-weather-forecast' },
    { query: '翻译', language: 'Chinese', expected: 'translateText' },
    { query: '天气预报', language: 'Chinese, two words', expected: 'get-weather-forecast' },
    { query: '读取文件', language: 'Chinese, two words', expected: 'read_file' },
    { query: 'メールを送る', language: 'Japanese', expected: 'send_email' },
    { query: '天気予報', language: 'Japanese', expected: 'get-weather-forecast' },
    { query: '날씨 예보', language: 'Korean', expected: 'get-weather-forecast' },
  ])('find the English tool: $query ($language)', async ({ query, expected }) => {
    expect((await names(query))[0]).toBe(expected);
  });

  it('are found in their own language, with and without accents, before any translation', async () => {
    const documents = [
      document('reunion_crear', 'Crea una reunión.'),
      document('meeting_create', 'Creates a meeting.'),
      document('other', 'Something else.'),
    ];
    for (const query of ['crear reunión', 'crear reunion', 'CREAR REUNIÓN']) {
      expect(await namesOf(bm25Scorer(), documents, query)).toEqual(['reunion_crear', 'meeting_create']);
    }
  });

  it('keep the marks that make other letters', async () => {
    const documents = [document('a', 'мой'), document('b', 'мои'), document('c', 'が'), document('d', 'か')];
    expect(await namesOf(bm25Scorer({ synonyms: [] }), documents, 'мой')).toEqual(['a']);
    expect(await namesOf(bm25Scorer({ synonyms: [] }), documents, 'が')).toEqual(['c']);
  });
});

describe('the kinds of action', () => {
  it('are of a few verbs each, no verb being of two', () => {
    const kinds = [...actionKinds()];
    expect(new Set(kinds.map(([verb]) => verb)).size).toBe(kinds.length);
    expect(new Set(kinds.map(([, kind]) => kind))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  });

  it.each([
    ['list', 'get'],
    ['adds', 'create'],
    ['posting', 'send'],
    ['removed', 'deletes'],
  ])('have %s and %s in one', (one, other) => {
    expect(actionKinds().get(stem(one))).toBeDefined();
    expect(actionKinds().get(stem(one))).toBe(actionKinds().get(stem(other)));
  });

  it('are known by number where one matters', () => {
    expect(actionKinds().get(stem('delete'))).toBe(DELETING);
    expect(actionKinds().get(stem('cancel'))).toBe(STOPPING);
  });

  it('know no noun', () => {
    for (const noun of ['issue', 'weather', 'constructor', '__proto__']) {
      expect(actionKinds().get(stem(noun))).toBeUndefined();
    }
  });
});

describe('tools for one thing', () => {
  // Of the same length, and with the same words but for the verb.
  const documents = ['read', 'make', 'edit', 'drop', 'copy', 'stop'].map((verb) =>
    document(`shop_${verb}_invoice`, 'Of a customer.'),
  );

  it.each([
    { query: 'look up an invoice', first: 'shop_read_invoice', why: 'reads' },
    {
      query: 'enumerate the invoice of a customer',
      first: 'shop_read_invoice',
      why: 'reads, by a word that no tool has',
    },
    { query: 'register the invoice of a customer', first: 'shop_make_invoice', why: 'makes one' },
    { query: 'patch the invoice of a customer', first: 'shop_edit_invoice', why: 'changes it' },
    { query: 'discard the invoice of a customer', first: 'shop_drop_invoice', why: 'deletes it' },
    { query: 'transfer the invoice of a customer', first: 'shop_copy_invoice', why: 'moves it' },
    { query: 'suspend the invoice of a customer', first: 'shop_stop_invoice', why: 'stops it' },
    { query: 'Rechnung löschen', first: 'shop_drop_invoice', why: 'deletes it, in German' },
  ])('are told apart by the verb of "$query": $first $why', async ({ query, first }) => {
    expect((await namesOf(bm25Scorer(), documents, query))[0]).toBe(first);
  });

  it('keep their order where the query has no verb, but for the one that deletes', async () => {
    const index = await bm25Scorer().index(documents);
    const found = await index.search(parseQuery('invoice of a customer'));
    expect(found).toHaveLength(6);
    expect(new Set(found.slice(0, 5).map(({ score }) => score)).size).toBe(1);
    expect(found[5]).toEqual({ name: 'shop_drop_invoice', score: expect.closeTo((found[0]?.score ?? 0) / 2) });
  });

  // The other tool is of another kind too: of two that are equal, the alphabet prefers this one.
  it.each([
    { query: 'delete that invoice', why: 'a verb for deleting' },
    { query: 'get rid of that invoice', why: 'a phrase for it' },
    { query: 'Rechnung löschen', why: 'one in German' },
    { query: 'cancel that invoice', why: 'a verb for ending' },
    { query: 'delte that invoice', why: 'a verb for deleting, misspelled' },
  ])('keep what deletes for "$query": $why', async ({ query }) => {
    const known = [document('shop_delete_invoice', 'Invoices.'), document('shop_edit_invoice', 'Invoices.')];
    expect((await namesOf(bm25Scorer(), known, query))[0]).toBe('shop_delete_invoice');
  });

  it('gain and lose a tenth, half for deleting unasked, and nothing where the name has no verb', async () => {
    // Neither word of the query is in a name: the verb alone makes the difference.
    const named = ['shop_show_ledger', 'shop_edit_ledger', 'shop_drop_ledger', 'shop_blue_ledger'].map((name) =>
      document(name, 'Wombats.'),
    );
    const index = await bm25Scorer({ synonyms: [] }).index(named);
    const found = await index.search(parseQuery('enumerate wombats'));
    const scores = new Map(found.map(({ name, score }) => [name, score]));
    const plain = scores.get('shop_blue_ledger') ?? 0;
    expect(scores.get('shop_show_ledger')).toBeCloseTo(1.1 * plain);
    expect(scores.get('shop_edit_ledger')).toBeCloseTo(0.9 * plain);
    expect(scores.get('shop_drop_ledger')).toBeCloseTo(0.5 * plain);
  });

  it('are told apart as well when they have come later', async () => {
    const index = (await bm25Scorer().index(documents.slice(1))) as IncrementalIndex;
    const updated = await index.update?.(documents.slice(0, 1), []);
    const [first] = (await updated?.search(parseQuery('enumerate the invoice of a customer'))) ?? [];
    expect(first?.name).toBe('shop_read_invoice');
  });
});

describe('verbsOf()', () => {
  it.each([
    ['addition', 'add'],
    ['composition', 'compose'],
    ['creation', 'create'],
    ['multiplication', 'multiply'],
    ['division', 'divide'],
    ['subscription', 'subscribe'],
    ['conversion', 'convert'],
    ['extension', 'extend'],
    ['resolution', 'resolve'],
    ['permission', 'permit'],
    ['payment', 'pay'],
  ])('returns for the noun %s the verb %s among others', (noun, verb) => {
    expect(verbsOf(noun)).toContain(verb);
  });

  it.each(['station', 'vision', 'add', 'cement', '', 'constructor'])('returns none for "%s"', (word) => {
    expect(verbsOf(word)).toEqual([]);
  });
});

describe('a noun in a query', () => {
  const tools = [
    document('add', 'Adds two numbers.'),
    document('get_page', 'Reads a page, with additional options.'),
    document('divide_numbers', 'Divides.'),
  ];

  it('finds its verb when no tool has the noun, also where another word has its stem', async () => {
    expect(await namesOf(bm25Scorer(), tools, 'addition')).toContain('add');
    expect((await namesOf(bm25Scorer(), tools, 'addition of numbers'))[0]).toBe('add');
    expect(await namesOf(bm25Scorer(), tools, 'division')).toEqual(['divide_numbers']);
  });

  it('does not find its verb when a tool has the noun', async () => {
    const names = await namesOf(bm25Scorer(), [...tools, document('division_list', 'Lists.')], 'division');
    expect(names).toEqual(['division_list']);
  });
});

describe('wishes that a generic tool serves', () => {
  const generic = [
    document('execute_sql', 'Execute SQL queries'),
    document('kubectl_get', 'Run kubectl get'),
    document('websearch', 'Run a Google search'),
    document('webbrowser', 'Browse a URL'),
    document('execute_command', 'Execute a shell command'),
    document('list_directory', 'List a directory'),
    document('get_file_info', 'Get metadata of a file: its size, the number of its rows'),
  ];

  it.each([
    { query: 'count rows in a table', expected: 'execute_sql' },
    { query: 'list pods', expected: 'kubectl_get' },
    { query: 'show running pods', expected: 'kubectl_get' },
    { query: 'news online about Mars', expected: 'websearch' },
    { query: 'search the web for recipes', expected: 'websearch' },
    { query: 'open a web page', expected: 'webbrowser' },
    { query: 'run a script', expected: 'execute_command' },
  ])('$query: $expected', async ({ query, expected }) => {
    expect((await namesOf(bm25Scorer(), generic, query))[0]).toBe(expected);
  });
});
