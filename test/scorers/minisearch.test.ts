import type { ToolDocument } from 'mastra-tool-search';
import { type MiniSearchScorerOptions, miniSearchScorer } from 'mastra-tool-search/minisearch';
import { expect, it } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { describeRefusals } from './refusals.ts';
import { describeScorer, namesOf } from './scorer-contract.ts';

describeScorer('miniSearchScorer', () => miniSearchScorer(), { has: ['restrictedTo'] });

const tools: readonly ToolDocument[] = [
  document('get_weather', 'Current conditions of a city.'),
  document('send_email', 'Send an email about the weather.'),
  document('listFiles', 'List the files of a folder.', { parameters: [['folderPath', 'Where to look.']] }),
];
const tokenize = (text: string): string[] => text.split(' ');
const processTerm = (term: string): string => term.toLowerCase().replace(/s$/, '');

it.each<[query: string, options: MiniSearchScorerOptions, found: string[], why: string]>([
  ['files', {}, ['listFiles'], 'names of tools are taken apart'],
  ['path', {}, ['listFiles'], 'and so are those of parameters'],
  ['emails', {}, [], 'words are compared as they are'],
  ['weath', {}, [], 'also their beginning'],
  ['weath', { prefix: true }, ['get_weather', 'send_email'], 'unless told otherwise'],
  ['wether', { fuzzy: 0.2 }, ['get_weather', 'send_email'], 'unless told otherwise'],
  ['EMAILS', { processTerm }, ['send_email'], 'terms are processed'],
  ['weather', { fields: ['description'] }, ['send_email'], 'only these fields'],
  ['weather', { boost: { description: 50 } }, ['send_email', 'get_weather'], 'what a field counts'],
  ['weather', { boost: { name: 50 } }, ['get_weather', 'send_email'], 'what a field counts'],
  ['weather email', { combineWith: 'AND' }, ['send_email'], 'all words'],
  ['weather email', {}, ['send_email', 'get_weather'], 'any word'],
  ['get_weather', { tokenize }, ['get_weather'], 'a tokenizer of their own'],
  ['weather.', { tokenize }, [], 'a tokenizer of their own'],
  ['+weath email', { prefix: true }, ['send_email', 'get_weather'], 'a required word by the same options'],
  ['+weath email', {}, [], 'a required word by the same options'],
])('"%s" with %o finds %j: %s', async (query, options, found) => {
  expect(await namesOf(miniSearchScorer(options), tools, query)).toEqual(found);
});

const refused: { options: unknown; message: string }[] = [
  { options: { fuzy: 0.2 }, message: 'Did you mean "fuzzy"?' },
  { options: { fields: ['title', 'names'] }, message: '"fields[1]" must be one of name, title' },
  { options: { fields: ['names'] }, message: 'got "names". Did you mean "name"?' },
  { options: { fields: [5] }, message: '"fields[0]"' },
  { options: { fields: [] }, message: '"fields"' },
  { options: { fields: 'name' }, message: '"fields"' },
  { options: null, message: '"options"' },
  { options: { boost: [] }, message: '"boost" must be an object of numbers; got ' },
  { options: { bm25: { nome: 1 } }, message: '"bm25.nome" is no option of ' },
  { options: { weights: () => 1 }, message: '"weights" must be an object of numbers; got ' },
];

describeRefusals(refused, ({ options }) => miniSearchScorer(options as never));
