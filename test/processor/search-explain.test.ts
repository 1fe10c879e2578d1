import { bm25Scorer, type ToolScorer, ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { email, tool, toolRecord, weather } from '../support/agent.ts';

const tools = toolRecord(
  weather(),
  email(),
  tool('create_pull_request', 'Opens it from a branch.'),
  tool('register_webhook', 'An address that is called.', {
    inputSchema: z.object({ url: z.string().describe('Where the webhook calls') }),
  }),
  tool('list_issues', 'Shows bugs of a repository.'),
  tool('count_them', 'Counts repositories of a group.'),
);

const over = (scorer: ToolScorer, options: object = {}) =>
  new ToolSearchProcessor({ tools, search: { scorer }, ...options });
/** The explanation of a tool that a query finds. */
async function explained(query: string, tool: string, scorer = bm25Scorer()) {
  const found = await over(scorer).search(query, { explain: true, limit: 20 });
  return found.find(({ name }) => name === tool)?.explanation;
}
const plain = () => bm25Scorer({ synonyms: [] });

describe('the explanation of a match', () => {
  it.each<[query: string, name: string, found: string, by: string, fields: string[], why: string]>([
    ['weather', 'get_weather', 'weather', 'word', ['name', 'summary'], 'itself'],
    ['cities', 'get_weather', 'city', 'form', ['summary'], 'another form'],
    ['forecats weathr', 'get_weather', 'weather', 'guess', ['name', 'summary'], 'a letter is missing'],
    ['branc', 'create_pull_request', 'branch', 'guess', ['summary'], 'its beginning'],
    ['pr', 'create_pull_request', 'pull request', 'synonym', ['name'], 'an abbreviation'],
    ['repo', 'count_them', 'repositories', 'synonym', ['summary'], 'the form of an abbreviation'],
    ['url', 'register_webhook', 'url', 'word', ['parameters'], 'a parameter'],
  ])('says how "%s" found %s: %s, as %s of %j, %s', async (query, name, found, by, fields) => {
    const explanation = await explained(query, name);
    const word = explanation?.words.at(-1);
    expect(word).toMatchObject({ found, by });
    expect(Object.keys(word!.fields)).toEqual(fields);
    for (const positive of [...Object.values(word!.fields), word!.score]) expect(positive).toBeGreaterThan(0);
    expect(explanation?.isNamed).toBe(false);
  });

  it('says that two words were found as one, unless a guess found the first before', async () => {
    const words = (await explained('web hook', 'register_webhook', plain()))?.words;
    expect(words).toMatchObject([
      { word: 'web', found: 'webhook', by: 'guess' },
      { word: 'hook', found: 'webhook', by: 'compound' },
    ]);
    expect(Object.keys(words?.[1]?.fields ?? {})).toEqual(['name', 'parameterDescriptions']);
  });

  it('has every word that counts, in order, also those that found nothing', async () => {
    const words = (await explained('please send xylophone the EMAIL', 'send_email'))?.words;
    expect(words?.map(({ word, by }) => `${word}: ${by}`)).toEqual(['send: word', 'xylophone: nothing', 'email: word']);
    expect(words?.[1]).toEqual({ word: 'xylophone', found: '', by: 'nothing', fields: {}, score: 0 });
  });

  it('says which share of the query the tool has, unknown words included', async () => {
    expect((await explained('weather city', 'get_weather'))?.coverage).toBe(1);
    expect(Math.abs((await explained('weather xylophone', 'get_weather'))!.coverage - 0.4)).toBeLessThan(0.2);
    expect((await explained('pr', 'create_pull_request'))?.coverage).toBe(0.8);
  });

  it.each([
    ['weather', 'get_weather', 1 / 2, 'one of two words'],
    ['weather get', 'get_weather', 1, 'both, in another order'],
    ['city', 'get_weather', 0, 'none: it stands in the description'],
    ['pull requests', 'create_pull_request', 2 / 3, 'another form counts as well'],
  ])('says of "%s" which share of the name %s it has: %d, %s', async (query, name, share) => {
    expect((await explained(query, name, plain()))?.nameCoverage).toBeCloseTo(share, 10);
  });

  it.each([
    ['getWeather', true, 'in another spelling'],
    ['call get_weather for me', true, 'one of the words'],
    ['get weather', true, 'in words'],
    ['get the weather', false, 'with another word between'],
    ['get_weather', true, 'as it is'],
  ])('says whether "%s" names get_weather: %s, %s', async (query, isNamed) => {
    expect((await explained(query, 'get_weather'))?.isNamed).toBe(isNamed);
  });

  it('is left out where the scorer has none, or none for this tool', async () => {
    const index = () => ({ search: () => [{ name: 'get_weather', score: 1 }], explain: async () => undefined });
    for (const scorer of [tieredScorer(), { name: 'silent', index }]) {
      const [found, ...others] = await over(scorer).search('weather', { explain: true });
      expect([found, others]).toEqual([expect.objectContaining({ name: 'get_weather' }), []]);
      expect(found).not.toHaveProperty('explanation');
    }
  });

  it('does not change the search', async () => {
    for (const query of ['weather', 'pr', 'send email to a repository', 'select:get_weather']) {
      const found = await over(bm25Scorer()).search(query, { explain: true });
      expect(found.map(({ explanation: _, ...rest }) => rest)).toEqual(await over(bm25Scorer()).search(query));
    }
  });

  it('is never asked for about a tool that the filter hides', async () => {
    const asked: string[] = [];
    const scorer: ToolScorer = {
      name: 'asked',
      index: (documents) => ({
        search: () => documents.map(({ name }) => ({ name, score: 1 })),
        explain: (_, name) => void asked.push(name),
      }),
    };
    const filter = ({ toolName }: { toolName: string }) => toolName !== 'get_weather';
    await over(scorer, { filter }).search('x', { explain: true });
    expect(asked).toEqual(Object.keys(tools).slice(1));
  });
});
