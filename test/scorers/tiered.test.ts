import fc from 'fast-check';
import { type ToolDocument, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { describeRefusals } from './refusals.ts';
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

  it.each<[query: string, name: string, score: number, why: string]>([
    ['NotebookEdit', 'NotebookEdit', 3, 'the full name is no part of itself, and case does not matter'],
    ['book', 'NotebookEdit', 5, 'inside a part, which beats the description'],
    ['notebooks', '', 0, 'nothing is stemmed'],
    ['slack__send', 'mcp__slack__send_message', 3, 'across the separator of MCP names'],
    ['http', 'getHTTPUrl', 10, 'an acronym is a part'],
    ['httpurl', 'getHTTPUrl', 3, 'an acronym and the word after it are none'],
    ['jupyter jupyter', 'NotebookEdit', 4, 'a word counts each time it is asked for'],
    ['+jupyter edit', 'NotebookEdit', 12, 'any tier satisfies a required word, which scores as well'],
  ])('scores for "%s" %s %i: %s', async (query, name, score) => {
    expect(await ranked(query)).toEqual(score === 0 ? [] : [[name, score]]);
  });

  it('looks at names and descriptions only', async () => {
    const parameters = [['currency', 'Money', 'EUR']] as const;
    const documents = [document('convert', 'Rates.', { title: 'Exchange', server: 'bank', parameters })];
    expect(await namesOf(tieredScorer(), documents, 'currency money eur exchange bank')).toEqual([]);
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
  const records = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 8 });
  const optional = fc.array(word, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(records, optional, fc.array(word, { maxLength: 1 }), async (entries, plain, required) => {
      const documents = entries.map(([name, description]) => document(name, description));
      const keywords = [...plain, ...required];
      const matches = await (await tieredScorer().index(documents)).search({ text: '', keywords, required });
      expect(matches.map(({ name, score }) => [name, score])).toEqual(naive(documents, keywords, required));
    }),
    { numRuns: 200 },
  );
});

describe('weights', () => {
  it('replace the ones of Eino one by one, and need not fall from tier to tier: the best one counts', async () => {
    const low = tieredScorer({ weights: { descriptionContains: 0.5 } });
    expect(await ranked('jupyter edit', low)).toEqual([['NotebookEdit', 10.5]]);
    expect(await ranked('edit', tieredScorer({ weights: { nameContains: 50 } }))).toEqual([['NotebookEdit', 50]]);
  });

  it('of 0 take a tier out of the search', async () => {
    const scorer = tieredScorer({ weights: { descriptionContains: 0 } });
    expect(await ranked('jupyter', scorer)).toEqual([]);
    expect((await ranked('+slack send', scorer)).map(([name]) => name)).not.toContain('notify_team');
  });
});

const refused: { weights: unknown; message: string }[] = [
  { weights: { partEquals: -1 }, message: '"weights.partEquals" must be a number of at least 0; got -1.' },
  { weights: { nameContains: Number.POSITIVE_INFINITY }, message: '"weights.nameContains"' },
  { weights: { descriptionContains: '2' }, message: '"weights.descriptionContains"' },
  {
    weights: { partEqual: 5 },
    message: '"weights.partEqual" is no option of tieredScorer. Did you mean "weights.part',
  },
  { weights: { title: 1 }, message: 'There are only partEquals, partContains, nameContains, descriptionContains.' },
  { weights: null, message: '"weights" must be an object of numbers; got null.' },
];

describeRefusals(refused, ({ weights }) => tieredScorer({ weights: weights as never }));
