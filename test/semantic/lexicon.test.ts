import { describe, expect, it } from 'vitest';
import { Lexicon } from '../../src/semantic/lexicon.ts';
import { document } from '../fixtures/tools.ts';

const lexicon = new Lexicon([
  document('list_issues', 'Lists the open issues of a repository.'),
  document('listIssues', 'The same, elsewhere.'),
  document('getWeatherForecast', 'Rain and sun.'),
  document('天気', 'A forecast.'),
  document('---', 'A name without letters.'),
]);

describe('a name', () => {
  it.each([
    { words: ['list_issues'], ids: [0, 1] },
    { words: ['list', 'issues'], ids: [0, 1] },
    { words: ['ListIssues'], ids: [0, 1] },
    { words: ['get-weather', 'forecast'], ids: [2] },
    { words: ['天気'], ids: [3] },
    { words: ['list', 'issue'], ids: [] },
    { words: ['---'], ids: [] },
    { words: [], ids: [] },
  ])('that is $words belongs to $ids', ({ words, ids }) => {
    expect(lexicon.named(words)).toEqual(ids);
  });
});

describe('a required word', () => {
  it.each([
    { why: 'a word of the description', required: ['repository'], ids: [0] },
    { why: 'another form of it', required: ['repositories'], ids: [0] },
    { why: 'the beginning of one', required: ['repo'], ids: [0] },
    { why: 'not a beginning of two letters', required: ['el'], ids: [] },
    { why: 'a part of a name, even over its words', required: ['weatherfore'], ids: [2] },
    { why: 'an identifier, by all its parts', required: ['weather_forecast'], ids: [2] },
    { why: 'several, each of them', required: ['list', 'open'], ids: [0] },
    { why: 'nothing that is a word', required: ['!'], ids: [0, 1, 2, 3, 4] },
  ])('matches $why', ({ required, ids }) => {
    expect([...(lexicon.matching(required) ?? [])]).toEqual(ids);
  });

  it('is not asked for without one', () => {
    expect(lexicon.matching([])).toBeUndefined();
  });
});
