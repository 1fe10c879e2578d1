import fc from 'fast-check';
import { type ToolDocument, ToolSearchError, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { catalog, document } from '../fixtures/tools.ts';
import { describeScorer, namesOf, search } from './scorer-contract.ts';

const LITERAL = 'Eino compares letters as they are, so a separator that differs matches nothing';
const SPELLING = 'finds a tool first by its name with other separators or in another casing';

describeScorer('tieredScorer', () => tieredScorer(), { skip: { [SPELLING]: LITERAL } });

/** The names of the examples in Eino's documentation, and neighbours that differ by one tier each. */
const tools: readonly ToolDocument[] = [
  document('mcp__slack__send_message', 'Post text to a channel.'),
  document('mcp__slack__list_channels', 'List the channels of the workspace.'),
  document('mcp__discord__send_message', 'Post text to a server.'),
  document('notify_team', 'Send a Slack message to the whole team.'),
  document('NotebookEdit', 'Change a cell of a Jupyter notebook.'),
  document('get_weather', 'Current conditions of a city.'),
  document('weather_forecast', 'The next ten days.'),
  document('WeatherAlerts', 'Storms and floods.'),
  document('plan_trip', 'Looks at the weather forecast first.'),
  document('salesForecasting', 'Next quarter.'),
  document('getHTTPUrl', ''),
];

type Ranking = readonly (readonly [name: string, score: number])[];

const ranked = async (query: string, scorer = tieredScorer()): Promise<Ranking> =>
  (await search(scorer, tools, query)).map(({ name, score }) => [name, score] as const);

describe("Eino's examples", () => {
  it('ranks "weather forecast"', async () => {
    expect(await ranked('weather forecast')).toEqual([
      ['weather_forecast', 20], // both words are parts
      ['WeatherAlerts', 10], // one is a part; ties by name, capitals before small letters
      ['get_weather', 10], // one is a part
      ['salesForecasting', 5], // one stands inside a part
      ['plan_trip', 4], // both stand in the description
    ]);
  });

  it('ranks "+slack send message"', async () => {
    expect(await ranked('+slack send message')).toEqual([
      ['mcp__slack__send_message', 30], // all three are parts
      ['mcp__slack__list_channels', 10], // the required word alone
      ['notify_team', 6], // all three in the description, which satisfies the required word too
    ]); // not mcp__discord__send_message: no Slack
  });

  it('ranks "send message" without the required word', async () => {
    expect(await ranked('send message')).toEqual([
      ['mcp__discord__send_message', 20], // ties by name
      ['mcp__slack__send_message', 20],
      ['notify_team', 4], // in the description
    ]);
  });

  it('ranks "notebook jupyter"', async () => {
    expect(await ranked('notebook jupyter')).toEqual([['NotebookEdit', 12]]); // a part, and the description
  });

  it.each([
    { query: 'NotebookEdit', expected: [['NotebookEdit', 3]], why: 'the full name is no part of itself' },
    { query: 'notebookedit', expected: [['NotebookEdit', 3]], why: 'case does not matter' },
    { query: 'EDIT', expected: [['NotebookEdit', 10]], why: 'a part in capitals' },
    { query: 'book', expected: [['NotebookEdit', 5]], why: 'inside a part, which beats the description' },
    { query: 'okEd', expected: [['NotebookEdit', 3]], why: 'across two parts' },
    { query: 'jupyter', expected: [['NotebookEdit', 2]], why: 'the description alone' },
    { query: 'upyt', expected: [['NotebookEdit', 2]], why: 'inside a word of the description' },
    { query: 'notebooks', expected: [], why: 'nothing is stemmed' },
    { query: 'notebok', expected: [], why: 'nothing is corrected' },
    { query: 'slack__send', expected: [['mcp__slack__send_message', 3]], why: 'across the separator of MCP names' },
    { query: 'http', expected: [['getHTTPUrl', 10]], why: 'an acronym is a part' },
    { query: 'url', expected: [['getHTTPUrl', 10]], why: 'and so is the word after it' },
    { query: 'httpurl', expected: [['getHTTPUrl', 3]], why: 'both together are not' },
    { query: 'jupyter jupyter', expected: [['NotebookEdit', 4]], why: 'a word counts each time it is asked for' },
    { query: '+notebook +slack', expected: [], why: 'no tool has both' },
    { query: '+trip', expected: [['plan_trip', 10]], why: 'a required word scores as well' },
    { query: '+jupyter edit', expected: [['NotebookEdit', 12]], why: 'any tier satisfies a required word' },
    { query: 'a', expected: 'many', why: 'one letter stands in nearly every name' },
  ])('scores "$query": $why', async ({ query, expected }) => {
    const found = await ranked(query);
    if (expected === 'many') expect(found.length).toBeGreaterThan(5);
    else expect(found).toEqual(expected);
  });

  it('looks at names and descriptions only', async () => {
    const parameters = [['currency', 'Money', 'EUR']] as const;
    const documents = [document('convert', 'Rates.', { title: 'Exchange', server: 'bank', parameters })];
    for (const query of ['currency', 'money', 'eur', 'exchange', 'bank']) {
      expect(await namesOf(tieredScorer(), documents, query)).toEqual([]);
    }
  });
});

/** The rules once more, character by character and without the clever parts. */
function naive(documents: readonly ToolDocument[], keywords: readonly string[], required: readonly string[]): Ranking {
  const ranking: [string, number][] = [];
  for (const { name, description } of documents) {
    const parts: string[] = [];
    let part = '';
    for (let at = 0; at < name.length; at++) {
      const [before = '', letter = '', after = ''] = [name[at - 1], name[at], name[at + 1]];
      const isStart = /[A-Z]/.test(letter) && (/[a-z]/.test(before) || /[a-z]/.test(after));
      if (letter === '_' || isStart) {
        parts.push(part);
        part = '';
      }
      if (letter !== '_') part += letter.toLowerCase();
    }
    parts.push(part);
    const score = (keyword: string): number => {
      const word = keyword.toLowerCase();
      if (parts.includes(word)) return 10;
      if (parts.some((candidate) => candidate.includes(word))) return 5;
      if (name.toLowerCase().includes(word)) return 3;
      return description.toLowerCase().includes(word) ? 2 : 0;
    };
    const total = keywords.map(score).reduce((sum, value) => sum + value, 0);
    if (total > 0 && required.every((word) => score(word) > 0)) ranking.push([name, total]);
  }
  return ranking.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

it("agrees with a naive reading of Eino's rules", async () => {
  const text = fc.string({ unit: fc.constantFrom(...'aAbB_2'), minLength: 1, maxLength: 8 });
  const word = fc.string({ unit: fc.constantFrom(...'aAbB2'), minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.record({ name: text, description: text }), { selector: ({ name }) => name, maxLength: 8 }),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.array(word, { maxLength: 1 }),
      async (records, optional, required) => {
        const documents = records.map(({ name, description }) => document(name, description));
        const keywords = [...optional, ...required];
        const index = await tieredScorer().index(documents);
        const matches = await index.search({ text: '', keywords, required });
        expect(matches.map(({ name, score }) => [name, score])).toEqual(naive(documents, keywords, required));
      },
    ),
    { numRuns: 300 },
  );
});

describe('weights', () => {
  it('replace the ones of Eino one by one', async () => {
    expect(await ranked('jupyter edit', tieredScorer({ weights: { descriptionContains: 0.5 } }))).toEqual([
      ['NotebookEdit', 10.5],
    ]);
  });

  it('of 0 take a tier out of the search', async () => {
    const scorer = tieredScorer({ weights: { descriptionContains: 0 } });
    expect(await ranked('jupyter', scorer)).toEqual([]);
    expect((await ranked('+slack send', scorer)).map(([name]) => name)).not.toContain('notify_team');
  });

  it('do not have to fall from tier to tier: the best one counts', async () => {
    expect(await ranked('edit', tieredScorer({ weights: { nameContains: 50 } }))).toEqual([['NotebookEdit', 50]]);
  });

  it.each([
    { why: 'less than nothing', weights: { partEquals: -1 }, option: 'partEquals', shown: '-1' },
    { why: 'not a number', weights: { partContains: Number.NaN }, option: 'partContains', shown: 'NaN' },
    { why: 'no end', weights: { nameContains: Number.POSITIVE_INFINITY }, option: 'nameContains', shown: 'Infinity' },
    { why: 'a text', weights: { descriptionContains: '2' }, option: 'descriptionContains', shown: '2' },
    { why: 'null', weights: { partEquals: null }, option: 'partEquals', shown: 'null' },
  ])('refuses $option $shown: $why', ({ weights, option, shown }) => {
    expect(() => tieredScorer({ weights: weights as never })).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(`"weights.${option}"`) }),
    );
    expect(() => tieredScorer({ weights: weights as never })).toThrow(shown);
    expect(() => tieredScorer({ weights: weights as never })).toThrow(ToolSearchError);
  });

  it.each([
    {
      weights: { partEqual: 5 },
      message: '"weights.partEqual" is no option of tieredScorer. Did you mean "weights.partEquals"?',
    },
    { weights: { description: 1 }, message: 'Did you mean "weights.descriptionContains"?' },
    { weights: { title: 1 }, message: 'There are only partEquals, partContains, nameContains, descriptionContains.' },
  ])('refuses $weights, which do not exist', ({ weights, message }) => {
    expect(() => tieredScorer({ weights: weights as never })).toThrow(message);
  });
});

it('ranks the fixture for a question of several words', async () => {
  const found = await namesOf(tieredScorer(), catalog, 'create pull request');
  expect(found.slice(0, 2)).toEqual([
    'github_create_pull_request', // all three are parts
    'github_merge_pull_request', // two are
  ]);
  // One part, and "request" stands in no description but theirs and the boilerplate's.
  expect(found.slice(2)).toContain('jira_create_ticket');
});
