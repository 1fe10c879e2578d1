import { semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/scorers/words/query.ts';
import { contentWords, words } from '../../src/scorers/words/words.ts';
import { catalog, document } from '../fixtures/tools.ts';
import { describeRefusals } from '../scorers/refusals.ts';
import { describeScorer, namesOf, search } from '../scorers/scorer-contract.ts';
import { bagOfWords, jsonCache, modelEmbed, office, recorded } from './embeddings/embedders.ts';

describeScorer('semanticScorer', () =>
  semanticScorer({ embed: (texts) => Promise.resolve(texts.map(bagOfWords)), minSimilarity: 0 }),
);

describe('meaning, with a real model', () => {
  const scorer = semanticScorer({ embed: modelEmbed });

  it.each([
    { query: 'is it going to rain tomorrow', name: 'get-weather-forecast' },
    { query: 'umbrella needed', name: 'get-weather-forecast' },
    { query: 'how hot is it outside', name: 'get-current-weather' },
    { query: 'how much is a dollar in euros', name: 'currency-convert' },
    { query: 'reboot the machine', name: 'restart_server' },
    { query: 'notify my coworkers', name: 'send_email' },
  ])('finds $name for "$query", which shares no word with it', async ({ query, name }) => {
    expect((await namesOf(scorer, catalog, query)).slice(0, 2)).toContain(name);
    const { embed, documents } = recorded();
    await semanticScorer({ embed }).index(catalog.filter((tool) => tool.name === name));
    const text = words(documents().join());
    expect(contentWords(words(query)).filter((word) => text.includes(word))).toEqual([]);
  });

  it('leaves out what is below minSimilarity', async () => {
    const all = await search(semanticScorer({ embed: modelEmbed, minSimilarity: 0 }), catalog, 'send a message');
    const some = await search(semanticScorer({ embed: modelEmbed, minSimilarity: 0.5 }), catalog, 'send a message');
    expect(some).toEqual(all.filter(({ score }) => score > 0.5));
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(all.length);
  });
});

describe('what is embedded', () => {
  it('is the words of the name, title, keywords, description and parameter names', async () => {
    const { embed, documents } = recorded();
    const tool = document('githubCreateIssue', 'Opens one.', {
      title: 'New issue',
      server: 'github',
      parameters: [['issueTitle', 'not this', 'nor-this'], ['body']],
    });
    await semanticScorer({ embed }).index([{ ...tool, keywords: ['file a bug', 'bug report'] }]);
    expect(documents()).toEqual([
      'github create issue. New issue. file a bug, bug report. Opens one.. issue title, body',
    ]);
  });

  it('is bounded, and well-formed where a character is cut in two', async () => {
    const { embed, documents } = recorded();
    const parameters = Array.from({ length: 200 }, (_, n) => [`parameter_${n}`] as [string]);
    await semanticScorer({ embed }).index([document('x', `x${'😀'.repeat(2_000)}`, { parameters })]);
    expect(documents()[0]?.length).toBeLessThan(1_500);
    expect(documents()[0]).not.toMatch(/\p{Surrogate}/u);
  });

  it('is a query without the marks of required words, told apart from documents', async () => {
    const { embed, calls } = recorded();
    await search(semanticScorer({ embed }), office, '+email, "send"');
    expect(calls.map(({ texts, purpose }) => [texts.length, purpose])).toEqual([
      [3, 'document'],
      [1, 'query'],
    ]);
    expect(calls[1]?.texts).toEqual(['email send']);
  });

  it('is nothing for a query that no tool can match', async () => {
    const { embed, calls } = recorded();
    const scorer = semanticScorer({ embed });
    await search(scorer, [], 'email');
    await search(scorer, office, '');
    expect(calls.filter(({ purpose }) => purpose === 'query')).toEqual([]);
  });
});

describe('queries', () => {
  it('are embedded once while they are remembered', async () => {
    const { embed, calls } = recorded();
    const index = await semanticScorer({ embed }).index(office);
    await Promise.all([index.search(parseQuery('send email')), index.search(parseQuery('send email'))]);
    await index.search(parseQuery('+send email'));
    expect(calls.filter(({ purpose }) => purpose === 'query').length).toBe(1);
    for (let n = 0; n < 300; n++) await index.search(parseQuery(`query ${n}`));
    await index.search(parseQuery('send email'));
    expect(calls.filter(({ purpose }) => purpose === 'query').length).toBe(302);
  });

  it('are tried again after a failure', async () => {
    let isDown = true;
    const scorer = semanticScorer({
      embed: async (texts, purpose) => {
        if (isDown && purpose === 'query') throw new Error('down');
        return texts.map(bagOfWords);
      },
    });
    const index = await scorer.index(office);
    await expect(index.search(parseQuery('email'))).rejects.toThrow('down');
    isDown = false;
    expect((await index.search(parseQuery('email'))).length).toBe(2);
  });
});

describe('a vector that says nothing', () => {
  const bad: { why: string; vectors: (texts: string[]) => unknown; message: RegExp }[] = [
    { why: 'no list', vectors: () => undefined, message: /one vector for each text: no list of vectors for 3 texts/ },
    { why: 'one too few', vectors: (texts) => texts.slice(1).map(bagOfWords), message: /2 vectors for 3 texts/ },
    { why: 'NaN', vectors: (texts) => texts.map(() => [1, Number.NaN]), message: /a vector with NaN in it/ },
    { why: 'infinite', vectors: (texts) => texts.map(() => [2 * Number.MAX_VALUE]), message: /with Infinity in it/ },
    { why: 'a text', vectors: (texts) => texts.map(() => ['0.5', '0.5']), message: /with 0.5 in it/ },
    { why: 'zeros', vectors: (texts) => texts.map(() => [0, 0]), message: /without a direction/ },
    { why: 'empty', vectors: (texts) => texts.map(() => []), message: /lists of numbers/ },
    { why: 'a number', vectors: (texts) => texts.map(() => 1), message: /lists of numbers/ },
    {
      why: 'of two sizes',
      vectors: (texts) => texts.map((_, n) => [1, 1, 1].slice(n)),
      message: /2 numbers where the/,
    },
  ];

  it.each(bad)('is an error in a document: $why', async ({ vectors, message }) => {
    const scorer = semanticScorer({ embed: (texts) => vectors(texts) as never });
    await expect(scorer.index(office)).rejects.toThrow(message);
  });

  it('is an error in a query of another size', async () => {
    const scorer = semanticScorer({
      embed: (texts, purpose) => texts.map(() => (purpose === 'query' ? [1, 0] : [1, 0, 0])),
    });
    await expect(search(scorer, office, 'email')).rejects.toThrow(/of 2 numbers where the others have 3/);
  });

  it('can be a typed array', async () => {
    const scorer = semanticScorer({ embed: (texts) => texts.map((text) => Float32Array.from(bagOfWords(text))) });
    expect(await namesOf(scorer, office, 'weather')).toEqual(['get_weather']);
  });
});

const spelled = [
  document('list_issues', 'Lists the open issues of a repository.'),
  document('listIssues', 'The same, elsewhere.'),
  document('getWeatherForecast', 'Rain and sun.'),
  document('天気', 'A forecast.'),
  document('---', 'A name without letters.'),
];

/** To its model, every tool is as close to every query. */
const sameForAll = semanticScorer({
  embed: (texts, purpose) => texts.map(() => (purpose === 'query' ? [1, 1] : [1, 0])),
});
const found = (query: string) => search(sameForAll, spelled, query);

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
    { why: 'all tools without one', query: 'open', names: spelled.map(({ name }) => name).sort() },
  ])('matches $why', async ({ query, names }) => {
    expect((await found(query)).map(({ name }) => name)).toEqual(names);
  });
});

const embed = () => [];
const model = 'm';
const refused: { options: unknown; message: string }[] = [
  { options: undefined, message: '"options" must be an object; got undefined.' },
  { options: {}, message: '"embed" must be a function from texts to vectors, or an embedding model of the AI SDK' },
  {
    options: { embed: 'openai/text' },
    message: 'got "openai/text". For the name of a model, new ModelRouterEmbedding',
  },
  { options: { embed: { doEmbed: true } }, message: '"embed" must be a function' },
  { options: { embed, batchSize: 0 }, message: '"batchSize" must be a whole number of at least 1; got 0.' },
  { options: { embed, concurrency: 1.5 }, message: '"concurrency" must be a whole number of at least 1; got 1.5.' },
  { options: { embed, model: '' }, message: '"model" must be the name of the embedding model; got "".' },
  { options: { embed, minSimilarity: 1 }, message: '"minSimilarity" must be a number from 0 up to below 1; got 1.' },
  { options: { embed, minSimilarity: Number.NaN }, message: '"minSimilarity" must be' },
  { options: { embed, model, cache: {} }, message: '"cache" must be an object with get and set; got an object.' },
  { options: { embed, model, cache: 1 }, message: '"cache" must be' },
  { options: { embed, cache: jsonCache() }, message: '"model" must be the name of the embedding model where there is' },
  { options: { embed, minSimilar: 0.1 }, message: 'Did you mean "minSimilarity"?' },
];

describeRefusals(refused, ({ options }) => semanticScorer(options as never));
