import { semanticScorer } from 'mastra-tool-search/semantic';
import { describe, expect, it } from 'vitest';
import { document } from '../fixtures/tools.ts';
import { describeRefusals } from '../scorers/refusals.ts';
import { ask, describeScorer, namesOf, search } from '../scorers/scorer-contract.ts';
import { bagOfWords, jsonCache, office, recorded } from './embeddings/embedders.ts';

describeScorer('semanticScorer', () =>
  semanticScorer({ embed: (texts) => Promise.resolve(texts.map(bagOfWords)), minSimilarity: 0 }),
);

describe('what is embedded', () => {
  it('is the words of the name, title, keywords, description and parameter names', async () => {
    const { embed, documents } = recorded(() => [1]);
    const tool = document('githubCreateIssue', 'Opens one.', {
      title: 'New issue',
      server: 'github',
      keywords: ['file a bug', 'bug report'],
      parameters: [['issueTitle', 'not this', 'nor-this'], ['body']],
    });
    await semanticScorer({ embed }).index([tool, document('---')]);
    const text = 'github create issue. New issue. file a bug, bug report. Opens one.. issue title, body';
    expect(documents()).toEqual([text, '---']);
  });

  it('is bounded, and well-formed where a character is cut in two', async () => {
    const { embed, documents } = recorded();
    const parameters = Array.from({ length: 200 }, (_, n) => [`parameter_${n}`] as [string]);
    await semanticScorer({ embed }).index([document('x', `x${'😀'.repeat(2_000)}`, { parameters })]);
    expect(documents()[0]?.length).toBeLessThan(1_500);
    expect(documents()[0]).not.toMatch(/\p{Surrogate}/u);
  });

  it('is a query without the marks of required words, told apart from documents, if any tool can match', async () => {
    const { embed, calls } = recorded();
    const scorer = semanticScorer({ embed });
    await search(scorer, [], 'email');
    await search(scorer, office, '');
    await search(scorer, office, '+email, "send"');
    expect(calls.map(({ texts, purpose }) => [texts.length, purpose])).toEqual([
      [3, 'document'],
      [1, 'query'],
    ]);
    expect(calls[1]?.texts).toEqual(['email send']);
  });

  it('is a query once while it is remembered, and again after a failure', async () => {
    const { embed, calls } = recorded();
    let isDown = true;
    const index = await semanticScorer({
      embed: (texts, purpose) =>
        isDown && purpose === 'query' ? Promise.reject(new Error('down')) : embed(texts, purpose),
    }).index(office);
    await expect(ask(index, 'send email')).rejects.toThrow('down');
    isDown = false;
    await Promise.all([ask(index, 'send email'), ask(index, '+send email')]);
    const count = () => calls.filter(({ purpose }) => purpose === 'query').length;
    expect(count()).toBe(1);
    for (let n = 0; n < 256; n++) await ask(index, `query ${n}`);
    await ask(index, 'send email');
    expect(count()).toBe(258);
  });
});

describe('a vector', () => {
  it.each<[why: string, vectors: (texts: string[]) => unknown, message: RegExp]>([
    ['no list', () => undefined, /one vector for each text: no list of vectors for 3 texts/],
    ['one too few', (texts) => texts.slice(1).map(bagOfWords), /2 vectors for 3 texts/],
    ['NaN', (texts) => texts.map(() => [1, Number.NaN]), /a vector with NaN in it/],
    ['a text', (texts) => texts.map(() => ['0.5', '0.5']), /with 0.5 in it/],
    ['zeros', (texts) => texts.map(() => [0, 0]), /without a direction/],
    ['squares without an end', (texts) => texts.map(() => [1e300, 1e300]), /without a direction/],
    ['empty', (texts) => texts.map(() => []), /lists of numbers/],
    ['a number', (texts) => texts.map(() => 1), /lists of numbers/],
    ['too long', (texts) => texts.map(() => new Array(65_537).fill(1)), /at most 65536 numbers; one has 65537/],
  ])('that says nothing is an error in a document: %s', async (_, vectors, message) => {
    const scorer = semanticScorer({ embed: (texts) => vectors(texts) as never });
    await expect(scorer.index(office)).rejects.toThrow(message);
  });

  it('of another size is an error in a query', async () => {
    const embed = (texts: string[], purpose: string) => texts.map(() => (purpose === 'query' ? [1, 0] : [1, 0, 0]));
    await expect(search(semanticScorer({ embed }), office, 'x')).rejects.toThrow(
      /of 2 numbers where the others have 3/,
    );
  });

  it('can be a typed array, and matches above minSimilarity', async () => {
    const embed = (texts: string[], purpose: string) =>
      texts.map(() => Float32Array.from(purpose === 'query' ? [1, 1, 1, 1] : [2, 0, 0, 0]));
    const found = async (minSimilarity: number) => search(semanticScorer({ embed, minSimilarity }), office, 'x');
    expect((await found(0.49)).map(({ score }) => score)).toEqual([0.5, 0.5, 0.5]);
    expect(await found(0.5)).toEqual([]);
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

it.each([
  { query: 'list issues', names: ['listIssues', 'list_issues'] },
  { query: 'get-weather forecast', names: ['getWeatherForecast'] },
  { query: '天気', names: ['天気'] },
  { query: 'list issue', names: [] },
  { query: '---', names: [] },
])('a query that is a name, in any spelling, ranks that first: $query', async ({ query, names }) => {
  const found = await search(sameForAll, spelled, query);
  expect(found.filter(({ score }) => score === 1).map(({ name }) => name)).toEqual(names);
});

it.each([
  { why: 'a word of the description, or another form of it', query: '+repositories', names: ['list_issues'] },
  { why: 'the beginning of one', query: '+rep', names: ['list_issues'] },
  { why: 'not a beginning of two letters', query: '+el', names: [] },
  { why: 'a part of a name, even over its words', query: '+weatherfore', names: ['getWeatherForecast'] },
  { why: 'an identifier, by all its parts', query: '+weather_forecast', names: ['getWeatherForecast'] },
  { why: 'several, each of them', query: '+list +open', names: ['list_issues'] },
])('a required word matches $why', async ({ query, names }) => {
  expect(await namesOf(sameForAll, spelled, query)).toEqual(names);
});

it.each(['title', 'server', 'keyword', 'hint', 'parameter', 'of', 'value'])(
  'and stands anywhere: in the %s',
  async (word) => {
    const more = {
      title: 'A title',
      server: 'server',
      keywords: ['keyword'],
      parameters: [['parameter', 'of', 'value']],
    };
    const tool = { ...document('tool', '', more as never), hints: ['hint'] };
    expect(await namesOf(sameForAll, [...spelled.slice(1), tool], `+${word}`)).toContain('tool');
  },
);

const embed = () => [];
const model = 'm';
const refused: { options: unknown; message: string }[] = [
  { options: undefined, message: '"options" must be an object; got undefined.' },
  { options: {}, message: '"embed" must be a function from texts to vectors, or an embedding model of the AI SDK' },
  { options: { embed: 'openai/text' }, message: 'For the name of a model, new ModelRouterEmbedding' },
  { options: { embed: { doEmbed: true } }, message: '"embed" must be a function' },
  { options: { embed, batchSize: 0 }, message: '"batchSize" must be a whole number of at least 1; got 0.' },
  { options: { embed, concurrency: 1.5 }, message: '"concurrency" must be a whole number of at least 1; got 1.5.' },
  { options: { embed, model: '' }, message: '"model" must be the name of the embedding model; got "".' },
  { options: { embed, minSimilarity: 1 }, message: '"minSimilarity" must be a number from 0 up to below 1; got 1.' },
  { options: { embed, minSimilarity: -0.1 }, message: '"minSimilarity" must be' },
  { options: { embed, model, cache: {} }, message: '"cache" must be an object with get and set; got an object.' },
  { options: { embed, cache: jsonCache() }, message: '"model" must be the name of the embedding model where there is' },
  { options: { embed: { modelId: '', doEmbed: embed }, cache: jsonCache() }, message: '"model" must be the name' },
  { options: { embed, minSimilar: 0.1 }, message: 'Did you mean "minSimilarity"?' },
];

describeRefusals(refused, ({ options }) => semanticScorer(options as never));
