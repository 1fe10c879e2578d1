import { semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { search } from '../scorers/scorer-contract.ts';

const documents = [
  document('list_issues', 'Lists the open issues of a repository.'),
  document('listIssues', 'The same, elsewhere.'),
  document('getWeatherForecast', 'Rain and sun.'),
  document('天気', 'A forecast.'),
  document('---', 'A name without letters.'),
];

/** To its model, every tool is as close to every query. */
const scorer = semanticScorer({
  embed: (texts, purpose) => texts.map(() => (purpose === 'query' ? [1, 1] : [1, 0])),
});
const found = (query: string) => search(scorer, documents, query);

describe('a query that is a name, in any spelling', () => {
  it.each([
    { query: 'list_issues', names: ['listIssues', 'list_issues'] },
    { query: 'list issues', names: ['listIssues', 'list_issues'] },
    { query: 'ListIssues', names: ['listIssues', 'list_issues'] },
    { query: 'get-weather forecast', names: ['getWeatherForecast'] },
    { query: '天気', names: ['天気'] },
    { query: 'list issue', names: [] },
    { query: '---', names: [] },
  ])('$query ranks first $names', async ({ query, names }) => {
    expect((await found(query)).filter(({ score }) => score === 1).map(({ name }) => name)).toEqual(names);
  });
});

describe('a required word', () => {
  it.each([
    { why: 'a word of the description', query: '+repository', names: ['list_issues'] },
    { why: 'another form of it', query: '+repositories', names: ['list_issues'] },
    { why: 'the beginning of one', query: '+repo', names: ['list_issues'] },
    { why: 'not a beginning of two letters', query: '+el', names: [] },
    { why: 'a part of a name, even over its words', query: '+weatherfore', names: ['getWeatherForecast'] },
    { why: 'an identifier, by all its parts', query: '+weather_forecast', names: ['getWeatherForecast'] },
    { why: 'several, each of them', query: '+list +open', names: ['list_issues'] },
    { why: 'all tools without one', query: 'open', names: documents.map(({ name }) => name).sort() },
  ])('matches $why', async ({ query, names }) => {
    expect((await found(query)).map(({ name }) => name)).toEqual(names);
  });
});
