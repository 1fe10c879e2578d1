import { type ToolDocument, ToolSearchError, ToolSearchProcessor } from 'mastra-tool-search';
import { miniSearchScorer } from 'mastra-tool-search/minisearch';
import { describe, expect, it } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { tool, toolRecord } from '../support/harness.ts';
import { describeScorer, namesOf, search } from './scorer-contract.ts';

describeScorer('miniSearchScorer', () => miniSearchScorer(), { has: ['restrictedTo'] });
describeScorer('miniSearchScorer with prefix and fuzzy', () => miniSearchScorer({ prefix: true, fuzzy: 0.2 }), {
  has: ['restrictedTo'],
});

const tools: readonly ToolDocument[] = [
  document('get_weather', 'Current conditions of a city.'),
  document('send_email', 'Send an email about the weather.'),
  document('listFiles', 'List the files of a folder.', { parameters: [['folderPath', 'Where to look.']] }),
];
const found = (query: string, options?: Parameters<typeof miniSearchScorer>[0]) =>
  namesOf(miniSearchScorer(options), tools, query);

describe('miniSearchScorer', () => {
  it('takes the names of tools and parameters apart', async () => {
    expect(await found('files')).toEqual(['listFiles']);
    expect(await found('path')).toEqual(['listFiles']);
  });

  it('compares words as they are unless it is told otherwise', async () => {
    expect([await found('emails'), await found('weath'), await found('wether')]).toEqual([[], [], []]);
    expect(await found('weath', { prefix: true })).toEqual(['get_weather', 'send_email']);
    expect(await found('wether', { fuzzy: 0.2 })).toEqual(['get_weather', 'send_email']);
    expect(await found('EMAILS', { processTerm: (term) => term.toLowerCase().replace(/s$/, '') })).toEqual([
      'send_email',
    ]);
  });

  it('searches the fields that it is given, and no others', async () => {
    expect(await found('weather', { fields: ['name'] })).toEqual(['get_weather']);
    expect(await found('weather', { fields: ['description'] })).toEqual(['send_email']);
  });

  it('ranks by what a field counts', async () => {
    expect((await found('weather', { boost: { description: 50 } }))[0]).toBe('send_email');
    expect((await found('weather', { boost: { name: 50 } }))[0]).toBe('get_weather');
  });

  it('wants all words where they are combined so', async () => {
    expect(await found('weather email', { combineWith: 'AND' })).toEqual(['send_email']);
    expect(await found('weather email')).toEqual(['send_email', 'get_weather']);
  });

  it('takes texts apart with the tokenizer that it is given', async () => {
    const options = { tokenize: (text: string): string[] => text.split(' ') };
    expect(await found('get_weather', options)).toEqual(['get_weather']);
    expect(await found('weather.', options)).toEqual([]);
  });

  it('matches a required word by the same options', async () => {
    expect(await found('+weath email', { prefix: true })).toEqual(['send_email', 'get_weather']);
    expect(await found('+weath email')).toEqual([]);
  });

  it('ranks alike tools by their names', async () => {
    const alike = ['b', 'a', 'c'].map((name) => document(name, 'Send mail.'));
    expect((await search(miniSearchScorer(), alike, 'mail')).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { why: 'no option', options: { fuzy: 0.2 }, shown: 'Did you mean "fuzzy"?' },
    { why: 'no field', options: { fields: ['title', 'names'] }, shown: '"fields[1]" must be one of name, title' },
    { why: 'a field in the plural', options: { fields: ['names'] }, shown: 'got "names". Did you mean "name"?' },
    { why: 'no text', options: { fields: [5] }, shown: '"fields[0]"' },
    { why: 'no fields', options: { fields: [] }, shown: '"fields"' },
    { why: 'no list', options: { fields: 'name' }, shown: '"fields"' },
    { why: 'no options', options: null, shown: '"options"' },
  ])('refuses what is $why', ({ options, shown }) => {
    const make = () => miniSearchScorer(options as never);
    expect(make).toThrow(ToolSearchError);
    expect(make).toThrow(shown);
  });

  it('serves a processor', async () => {
    const processor = new ToolSearchProcessor({
      tools: toolRecord(tool('get_weather', 'Current weather.'), tool('send_email', 'Send an email.')),
      search: { scorer: miniSearchScorer({ boost: { name: 3 } }) },
    });
    expect((await processor.search('weather')).map(({ name }) => name)).toEqual(['get_weather']);
  });
});
