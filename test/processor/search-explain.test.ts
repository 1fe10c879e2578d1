import {
  bm25Scorer,
  type MatchExplanation,
  type ToolScorer,
  ToolSearchProcessor,
  tieredScorer,
} from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { email, tool, toolRecord, weather } from '../support/harness.ts';

const tools = () =>
  toolRecord(
    weather(),
    email(),
    tool('create_pull_request', 'Opens it from a branch.'),
    tool('register_webhook', 'An address that is called.', {
      inputSchema: z.object({ url: z.string().describe('Where the webhook calls') }),
    }),
    tool('list_issues', 'Shows bugs of a repository.'),
  );

async function explained(
  query: string,
  scorer: ToolScorer = bm25Scorer(),
): Promise<Readonly<Record<string, MatchExplanation | undefined>>> {
  const found = await new ToolSearchProcessor({ tools: tools(), search: { scorer } }).search(query, {
    explain: true,
    limit: 20,
  });
  return Object.fromEntries(found.map(({ name, explanation }) => [name, explanation]));
}

describe('the explanation of a match', () => {
  it.each([
    ['weather', 'get_weather', 'weather', 'word', ['name', 'summary'], 'itself'],
    ['cities', 'get_weather', 'city', 'form', ['summary'], 'another form'],
    ['forecats weathr', 'get_weather', 'weather', 'guess', ['name', 'summary'], 'a letter is missing'],
    ['branc', 'create_pull_request', 'branch', 'guess', ['summary'], 'its beginning'],
    ['pr', 'create_pull_request', 'pull request', 'synonym', ['name'], 'an abbreviation'],
    ['repo', 'list_issues', 'repository', 'synonym', ['summary'], 'an abbreviation'],
    ['url', 'register_webhook', 'url', 'word', ['parameters'], 'a parameter'],
  ])('says how "%s" found %s: %s, as %s of %j, %s', async (query, name, found, by, fields) => {
    const explanation = (await explained(query))[name];
    const word = explanation?.words.at(-1);
    expect(word).toMatchObject({ found, by });
    expect(Object.keys(word?.fields ?? {})).toEqual(fields);
    for (const frequency of Object.values(word?.fields ?? {})) expect(frequency).toBeGreaterThan(0);
    expect(word?.score).toBeGreaterThan(0);
    expect(explanation?.isNamed).toBe(false);
  });

  it('says that two words were found as one, unless a guess found the first before', async () => {
    const words = (await explained('web hook', bm25Scorer({ synonyms: [] })))['register_webhook']?.words;
    expect(words).toMatchObject([
      { word: 'web', found: 'webhook', by: 'guess' },
      { word: 'hook', found: 'webhook', by: 'compound' },
    ]);
    expect(Object.keys(words?.[1]?.fields ?? {})).toEqual(['name', 'parameterDescriptions']);
  });

  it('has every word that counts, in order, also those that found nothing', async () => {
    const { words } = (await explained('please send xylophone the EMAIL'))['send_email'] ?? {};
    expect(words?.map(({ word, by }) => `${word}: ${by}`)).toEqual(['send: word', 'xylophone: nothing', 'email: word']);
    expect(words?.[1]).toEqual({ word: 'xylophone', found: '', by: 'nothing', fields: {}, score: 0 });
  });

  it('names the form of a synonym that the tool has', async () => {
    const scorer = bm25Scorer();
    const plural = tool('count_them', 'Counts repositories of a group.');
    const processor = new ToolSearchProcessor({ tools: { ...tools(), count_them: plural }, search: { scorer } });
    const found = await processor.search('repo', { explain: true });
    const { score = 0, explanation } = found.find(({ name }) => name === 'count_them') ?? {};
    expect(score).toBeGreaterThan(0);
    expect(explanation?.words).toMatchObject([{ by: 'synonym', found: 'repositories' }]);
  });

  it('says which share of the query the tool has, unknown words included', async () => {
    const whole = (await explained('weather city'))['get_weather']?.coverage;
    const half = (await explained('weather xylophone'))['get_weather']?.coverage;
    expect(whole).toBe(1);
    expect(half).toBeGreaterThan(0.2);
    expect(half).toBeLessThan(0.6);
    expect((await explained('pr'))['create_pull_request']?.coverage).toBe(0.8);
  });

  it.each([
    { query: 'weather', name: 'get_weather', share: 1 / 2, why: 'one of two words' },
    { query: 'weather get', name: 'get_weather', share: 1, why: 'both, in another order' },
    { query: 'city', name: 'get_weather', share: 0, why: 'none: it stands in the description' },
    { query: 'pull requests', name: 'create_pull_request', share: 2 / 3, why: 'another form counts as well' },
  ])('says that "$query" has $share of the name $name: $why', async ({ query, name, share }) => {
    expect((await explained(query, bm25Scorer({ synonyms: [] })))[name]?.nameCoverage).toBeCloseTo(share, 10);
  });

  it.each([
    { query: 'getWeather', name: 'get_weather', isNamed: true, why: 'in another spelling' },
    { query: 'call get_weather for me', name: 'get_weather', isNamed: true, why: 'one of the words' },
    { query: 'get weather', name: 'get_weather', isNamed: true, why: 'in words' },
    { query: 'get the weather', name: 'get_weather', isNamed: false, why: 'with another word between' },
    { query: 'send_email', name: 'send_email', isNamed: true, why: 'as it is' },
  ])('says $isNamed to whether "$query" names $name: $why', async ({ query, name, isNamed }) => {
    expect((await explained(query))[name]?.isNamed).toBe(isNamed);
  });

  it('is left out where the scorer has none, or none for this tool', async () => {
    expect(await explained('weather', tieredScorer())).toEqual({ get_weather: undefined });
    const scorer: ToolScorer = {
      name: 'silent',
      index: () => ({ search: () => [{ name: 'get_weather', score: 1 }], explain: async () => undefined }),
    };
    const found = await new ToolSearchProcessor({ tools: tools(), search: { scorer } }).search('x', { explain: true });
    expect(found).toEqual([{ name: 'get_weather', description: 'Get the current weather of a city.', score: 1 }]);
  });

  it('does not change the search', async () => {
    const processor = new ToolSearchProcessor({ tools: tools() });
    for (const query of ['weather', 'pr', 'send email to a repository', 'select:get_weather']) {
      const found = await processor.search(query, { explain: true });
      expect(found.map(({ explanation: _, ...rest }) => rest)).toEqual(await processor.search(query));
    }
  });

  it('is never asked for about a tool that the filter hides', async () => {
    const asked: string[] = [];
    const scorer: ToolScorer = {
      name: 'asked',
      index: (documents) => ({
        search: () => documents.map(({ name }) => ({ name, score: 1 })),
        explain: (_, name) => {
          asked.push(name);
          return undefined;
        },
      }),
    };
    const filter = ({ toolName }: { toolName: string }) => toolName !== 'get_weather';
    await new ToolSearchProcessor({ tools: tools(), filter, search: { scorer } }).search('x', { explain: true });
    expect(asked).toEqual(['send_email', 'create_pull_request', 'register_webhook', 'list_issues']);
  });
});
