import { expect, it } from 'vitest';
import { json, office, officeModule, run, runOn, widest, withFiles } from '../command.ts';

const files = { 'tools.json': office };
const search = (line: string) => runOn(files, `search tools.json ${line}`);
const WEAK = 'the current channel exchange rates of banks';

it('prints a ranking with the words that did it, and whether anything fits', async () => {
  expect(await search('"write mail to people" --scorer bm25')).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: [
      '#  tool        score  likely  by',
      '1  send_email   3.32    77 %  mail → email (name), people (summary)',
      '',
      'One of the first 5 fits: 77 % likely.',
      '',
    ].join('\n'),
  });
  expect((await search('"write mail to people" -n 1')).stdout).toMatch(/\nThe first fits: \d+ % likely\.\n$/);
  const { stdout } = await search(`flight "${WEAK}" --scorer bm25`);
  expect(stdout).toContain('flight\n\nNothing matches.\n\nthe current channel');
  expect(stdout).toContain('A model is told that no tool clearly matches: one of the first 5 fits with');
});

it('says of a word that it is the server of a tool that has it', () => {
  const serverInstructions = 'Use this for umbrellas.';
  const tools = office.map((tool, at) =>
    at === 1 ? { ...tool, mcpMetadata: { serverName: 'sky', serverInstructions } } : tool,
  );
  return withFiles({ 'tools.json': tools }, async () => {
    const { stdout } = await run('search tools.json umbrellas');
    expect(stdout).toMatch(/^1 +\S+ .* % {2}umbrellas \(server's instructions\)$/m);
  });
});

it('explains a score by rows that add up to it, meaning being one', async () => {
  const { code, stdout } = await search('"mail somebody about the weather" -n 2 --explain');
  expect(code).toBe(0);
  const tables = stdout.split(/\npart +found +adds\n/).slice(1);
  expect(tables).toHaveLength(2);
  for (const table of tables) {
    const [rows = ''] = table.trim().split('\n\n');
    const parts = rows.split('\n').map((row) => [row.split('  ')[0] ?? '', Number(row.split(' ').at(-1))] as const);
    expect(parts.map(([part]) => part)).toEqual(
      expect.arrayContaining(['mail', 'meaning', 'verb and length', 'score']),
    );
    const score = parts.at(-1)?.[1];
    expect(parts.slice(0, -1).reduce((sum, [, adds]) => sum + adds, 0)).toBeCloseTo(score ?? 0, 6);
    expect(Object.fromEntries(parts)['meaning']).toBeGreaterThan(0);
  }
});

it.each(['"" weather', 'weather ""', '" \t"', ''])('refuses an empty query as it refuses none: %j', async (queries) => {
  const none = await search('');
  const error = expect.stringContaining('error: What to search for? Put the query behind the catalog');
  expect(none).toEqual({ code: 2, stdout: '', stderr: error });
  expect(await search(queries)).toEqual(none);
  expect(await run(`search --mcp no-such-program-of-tests ${queries} ""`)).toEqual(none);
});

it('reads queries from stdin, one a line, or the catalog, and answers as JSON', () =>
  withFiles(files, async () => {
    const { catalog, tools, scorer, queries } = await json('search tools.json --top 1', {
      stdin: 'mail\n\n  weather  \n',
    });
    expect({ catalog, tools, scorer }).toEqual({ catalog: 'tools.json', tools: 3, scorer: 'words and meaning' });
    const mail = { name: 'send_email', explanation: { words: [{ found: 'email' }] } };
    const weather = { name: 'get_weather', description: 'Get the current weather of a city.' };
    expect(queries).toMatchObject([
      { query: 'mail', verdict: 'fits', results: [mail] },
      { query: 'weather', verdict: 'fits', results: [weather] },
    ]);
    const weak = await json(`search tools.json "${WEAK}" flight --scorer bm25`);
    expect(weak.queries.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['weak', 'nothing']);
    const stdin = JSON.stringify({ result: { tools: office } });
    expect((await run('search - weather', { stdin })).stdout).toContain('get_weather');
  }));

const embedder = 'export default (texts) => texts.map((text) => [/umbrella|weather/i.test(text) ? 1 : 0, 0.1]);';
const all = `export const scorer = { name: 'all', index: (documents) => ({ search: () => documents.map(({ name }) => ({ name, score: 1 })) }) };`;
const [EMAIL, WEATHER, MESSAGE] = office.map(({ name }) => name);
it.each<[string, scorer: string, found: readonly (string | undefined)[]]>([
  ['"a message to a city" -n 1', 'words and meaning', [MESSAGE]],
  ['select:get_weather', 'words and meaning', [WEATHER]],
  ['shout --keywords words.json -n 1', 'words and meaning', [MESSAGE]],
  ['"how warm is it" -n 1 --scorer meaning', 'words and meaning', [WEATHER]],
  ['"how warm is it" -n 1 --scorer "words and meaning"', 'words and meaning', [WEATHER]],
  ['weather --scorer bm25', 'bm25', [WEATHER]],
  ['weather --scorer tiered', 'tiered', [WEATHER]],
  ['weather --scorer minisearch', 'minisearch', [WEATHER]],
  ['weather --scorer synonyms', 'synonyms', [WEATHER]],
  ['x --scorer all.mjs', 'all', [EMAIL, WEATHER, MESSAGE]],
  ['umbrella -n 1 --embedder ./embedder.mjs', 'words and embedder', [WEATHER]],
])('ranks as it is told: %s', (line, scorer, found) =>
  withFiles(
    { ...files, 'words.json': { post_message: ['shout'] }, 'all.mjs': all, 'embedder.mjs': embedder },
    async () => {
      const results = found.map((name) => ({ name }));
      expect(await json(`search tools.json ${line}`)).toMatchObject({ scorer, queries: [{ results }] });
    },
  ),
);

it('says what fails in place of an empty answer, once', () => {
  const filter = (source: string) => officeModule(`export const filter = ${source};`);
  const modules = {
    'scorer.mjs': officeModule(`export const scorer = { name: 'own', index: () => { throw new Error('no disk'); } };`),
    'tools.mjs': `export const tools = async () => { throw new Error('no database'); };`,
    'filter.mjs': filter(`() => { throw new Error('no rights'); }`),
    'partly.mjs': filter(
      `({ toolName }) => { if (toolName !== 'get_weather') throw new Error('no rights'); return true; }`,
    ),
  };
  return withFiles(modules, async () => {
    const saidOf = async (file: string) => Object.values(await run(`search ${file} "weather email"`));
    expect(await saidOf('scorer.mjs')).toEqual([2, '', 'error: The scorer "own" failed: no disk\n']);
    const tools = 'error: What tools.mjs exports as its tools fails: no database\n';
    expect(await saidOf('tools.mjs')).toEqual([2, '', tools]);
    const failed = expect.stringMatching(/^error: The filter failed for "\w+" in phase search: no rights\n$/);
    expect(await saidOf('filter.mjs')).toEqual([2, '', failed]);
    const partly = 'The filter failed for send_email and 1 more, which counts as a denial: no rights\n';
    expect(await saidOf('partly.mjs')).toEqual([0, expect.stringContaining('get_weather'), partly]);
  });
});

it('writes Markdown in which no text of a tool or query is markup', async () => {
  const tools = [{ name: 'a|b', description: 'Weather <img src=x> of a city' }];
  const { stdout } = await runOn({ 'tools.json': tools }, 'search tools.json "weather <b>" --markdown');
  expect(stdout.split('\n').slice(0, 5)).toEqual([
    ...['### weather \\<b\\>', '', '| # | tool | score | likely | by |', '| ---: | --- | ---: | ---: | --- |'],
    expect.stringMatching(/^\| 1 \| a\\_b \| \d+\.\d \| 99 % \| b \(name\), weather \(summary\) \|$/),
  ]);
});

it('keeps every line within 80 columns, or as many as it is told, whatever a tool is called', () => {
  const long = [`weather_${'x'.repeat(120)}`, 'weather_天気予報を取得するための道具の名前はとても長い', 'weather'];
  const tools = long.map((name) => ({ name, description: 'weather and forecast and temperature and rain' }));
  return withFiles({ 'tools.json': tools }, async () => {
    const line = 'search tools.json "weather forecast temperature rain forcast temperatures raining"';
    for (const columns of [40, 60, 80, 132]) {
      const { stdout } = await run(`${line} --columns ${columns}`);
      expect(widest(stdout)).toBeLessThanOrEqual(columns);
    }
  });
});
