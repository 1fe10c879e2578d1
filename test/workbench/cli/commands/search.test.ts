import type { ToolSearchEvent } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { rig, searchLoadCall } from '../../../support/harness.ts';
import { command, office, widest, withFiles } from '../command.ts';

const files = { 'tools.json': office };

it('prints a ranking with the words that did it, and whether anything fits', () =>
  withFiles(files, async (cwd) => {
    const { code, stdout, stderr } = await command(['search', 'tools.json', 'write mail to people'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      [
        '#  tool        score  likely  by',
        '1  send_email   3.24    83 %  mail → email (name), people (summary)',
        '',
        'One of the first 5 fits: 83 % likely.',
        '',
      ].join('\n'),
    );
  }));

it('ranks by meaning as well with an embedding model', () => {
  const embedder = 'export default (texts) => texts.map((text) => [/umbrella|weather/i.test(text) ? 1 : 0, 0.1]);';
  return withFiles({ ...files, 'embedder.mjs': embedder }, async (cwd) => {
    const args = ['search', 'tools.json', 'umbrella', '--embedder', './embedder.mjs', '--json'];
    const { code, stdout } = await command(args, { cwd });
    const { scorer, queries } = JSON.parse(stdout);
    expect([code, scorer, queries[0].results[0].name]).toEqual([0, 'words and meaning', 'get_weather']);
  });
});

it('speaks of as many results as it shows, and takes a catalog or --mcp', () =>
  withFiles(files, async (cwd) => {
    const one = await command(['search', 'tools.json', 'write mail to people', '-n', '1'], { cwd });
    expect(one.stdout).toMatch(/\nThe first fits: \d+ % likely\.\n$/);
    const both = await command(['search', 'tools.json', 'mail', '--mcp', 'npx nothing'], { cwd });
    expect([both.code, both.stderr.split('\n')[0]]).toEqual([
      2,
      'error: "tools.json" is one argument too many: --mcp stands in place of CATALOG.',
    ]);
  }));

it('says that nothing matches, and that nothing clearly does', () =>
  withFiles(files, async (cwd) => {
    const { stdout } = await command(
      ['search', 'tools.json', 'flight', 'the current channel exchange rates of banks'],
      { cwd },
    );
    expect(stdout).toContain('flight\n\nNothing matches.\n\nthe current channel');
    expect(stdout).toContain('A model is told that no tool clearly matches: one of the first 5 fits with');
  }));

it.each([['', 'weather'], ['weather', ''], [' \t'], []])(
  'refuses an empty query as it refuses none: %j',
  (...queries) =>
    withFiles(files, async (cwd) => {
      const none = await command(['search', 'tools.json'], { cwd });
      expect([none.code, none.stdout]).toEqual([2, '']);
      expect(none.stderr).toContain('error: What to search for? Put the query behind the catalog');
      expect(await command(['search', 'tools.json', ...queries], { cwd })).toEqual(none);
      expect(await command(['search', '--mcp', 'no-such-program-of-tests', ...queries, ''], { cwd })).toEqual(none);
    }),
);

it('names a weak answer as events do', () =>
  withFiles(files, async (cwd) => {
    const weak = 'the current channel exchange rates of banks';
    const { stdout } = await command(['search', 'tools.json', weak, 'flight', 'mail', '--json'], { cwd });
    const verdicts = JSON.parse(stdout).queries.map(({ verdict }: { verdict: string }) => verdict);
    expect(verdicts).toEqual(['weak', 'nothing', 'fits']);
    const events: ToolSearchEvent[] = [];
    const tools = Object.fromEntries(office.map((tool) => [tool.name, tool]));
    const { agent } = rig(
      { tools: tools as never, onEvent: (event) => void events.push(event) },
      { script: searchLoadCall(weak) },
    );
    await agent.generate('What are they?', { maxSteps: 5 });
    expect(events.filter(({ type }) => type === 'search')).toMatchObject([{ verdict: 'weak' }]);
  }));

it('reads queries from stdin, one a line, and answers as JSON', () =>
  withFiles(files, async (cwd) => {
    const { stdout } = await command(['search', 'tools.json', '--json'], { cwd, stdin: 'mail\n\n  weather  \n' });
    const { catalog, tools, scorer, queries } = JSON.parse(stdout);
    expect({ catalog, tools, scorer }).toEqual({ catalog: 'tools.json', tools: 3, scorer: 'bm25' });
    expect(queries).toMatchObject([
      {
        query: 'mail',
        verdict: 'fits',
        results: [{ name: 'send_email', explanation: { words: [{ found: 'email' }] } }],
      },
      {
        query: 'weather',
        verdict: 'fits',
        results: [{ name: 'get_weather', description: 'Get the current weather of a city.' }],
      },
    ]);
  }));

it('reads the catalog from stdin', async () => {
  const { stdout } = await command(['search', '-', 'weather'], {
    stdin: JSON.stringify({ result: { tools: office } }),
  });
  expect(stdout).toContain('get_weather');
});

it('takes as many results as it is told, and queries as a model writes them', () =>
  withFiles(files, async (cwd) => {
    const { stdout } = await command(['search', 'tools.json', 'a message to a city', '-n', '1', '--json'], { cwd });
    expect(JSON.parse(stdout).queries[0].results).toHaveLength(1);
    const selected = await command(['search', 'tools.json', 'select:get_weather', '--json'], { cwd });
    expect(JSON.parse(selected.stdout).queries[0].results).toMatchObject([{ name: 'get_weather', score: 1 }]);
  }));

it.each(['bm25', 'tiered', 'minisearch', 'synonyms'])('ranks with %s', (scorer) =>
  withFiles(files, async (cwd) => {
    const { stdout } = await command(['search', 'tools.json', 'weather', '--scorer', scorer, '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ scorer, queries: [{ results: [{ name: 'get_weather' }] }] });
  }),
);

it('ranks with a scorer of a module, and says what it throws', () => {
  const all = `export const scorer = { name: 'all', index: (documents) => ({ search: () => documents.map(({ name }) => ({ name, score: 1 })) }) };`;
  const broken = `export default { name: 'broken', index: () => { throw new Error('out of order'); } };`;
  return withFiles({ ...files, 'all.mjs': all, 'broken.mjs': broken }, async (cwd) => {
    const ranked = await command(['search', 'tools.json', 'x', '--scorer', 'all.mjs'], { cwd });
    expect(ranked.stdout).toBe(
      [
        '#  tool          score  likely  by',
        '1  send_email     1.00',
        '2  get_weather    1.00',
        '3  post_message   1.00',
        '',
      ].join('\n'),
    );
    const { code, stderr } = await command(['search', 'tools.json', 'x', '--scorer', 'broken.mjs'], { cwd });
    expect([code, stderr]).toEqual([2, 'error: The scorer "broken" failed: out of order\n']);
  });
});

it('says what fails in place of an empty answer, once', () => {
  const tool = (id: string) =>
    `${id}: { description: 'Send an email.', inputSchema: { type: 'object', properties: {} }, execute: () => 1 }`;
  const withTools = `export const tools = { ${tool('send')}, ${tool('post')} };`;
  const modules = {
    'tools.mjs': `export const tools = async () => { throw new Error('no database'); };`,
    'filter.mjs': `${withTools} export const filter = () => { throw new Error('no rights'); };`,
    'partly.mjs': `${withTools} export const filter = ({ toolName }) => { if (toolName === 'send') throw new Error('no rights'); return true; };`,
  };
  return withFiles(modules, async (cwd) => {
    const errorOf = async (file: string) => {
      const { code, stderr } = await command(['search', file, 'email'], { cwd });
      return [code, stderr];
    };
    const tools = expect.stringMatching(/^error: What \S*tools.mjs exports as its tools fails: no database\n$/);
    expect(await errorOf('tools.mjs')).toEqual([2, tools]);
    const filter = 'The filter failed for "post" in phase search: no rights';
    expect(await errorOf('filter.mjs')).toEqual([2, `error: ${filter}\n`]);
    const { code, stdout, stderr } = await command(['search', 'partly.mjs', 'email'], { cwd });
    expect([code, stderr]).toEqual([0, 'The filter failed for send, which counts as a denial: no rights\n']);
    expect(stdout).toContain('post');
  });
});

it('searches by the words of a file of keywords', () =>
  withFiles({ ...files, 'words.json': { post_message: ['shout'] } }, async (cwd) => {
    const { stdout } = await command(['search', 'tools.json', 'shout', '--keywords', 'words.json', '--json'], { cwd });
    expect(JSON.parse(stdout).queries[0].results).toMatchObject([{ name: 'post_message' }]);
  }));

it('writes Markdown in which no text of a tool or query is markup', () => {
  const name = 'a|b';
  const tools = [{ name, description: 'Weather <img src=x> of a city' }];
  return withFiles({ 'tools.json': tools }, async (cwd) => {
    const { stdout } = await command(['search', 'tools.json', 'weather <b>', '--markdown'], { cwd });
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      '### weather \\<b\\>',
      '',
      '| # | tool | score | likely | by |',
      '| ---: | --- | ---: | ---: | --- |',
      '| 1 | a\\_b | 1.12 | 99 % | b (name), weather (summary) |',
    ]);
  });
});

it('prints no character of a tool that moves the cursor, colours or turns the direction', () => {
  const hostile = 'weather\u001b[2J\u001b]0;owned\u0007\u202e\u200b\n\rcity';
  const tools = [{ name: hostile, description: hostile }];
  return withFiles({ 'tools.json': tools }, async (cwd) => {
    for (const format of [[], ['--markdown']]) {
      const { stdout, stderr } = await command(['search', 'tools.json', 'weather', hostile, ...format], { cwd });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for.
      expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
      expect(stdout).toContain('weather');
    }
  });
});

it('keeps every line within 80 columns, or as many as it is told, whatever a tool is called', () => {
  const tools = [
    { name: `weather_${'x'.repeat(120)}`, description: 'weather' },
    { name: 'weather_天気予報を取得するための道具の名前はとても長い', description: 'weather' },
    { name: 'weather', description: 'weather and forecast and temperature and rain' },
  ];
  return withFiles({ 'tools.json': tools }, async (cwd) => {
    const query = 'weather forecast temperature rain forcast temperatures raining';
    for (const columns of [40, 60, 80, 132]) {
      const { stdout } = await command(['search', 'tools.json', query, '--columns', `${columns}`], { cwd });
      expect(widest(stdout)).toBeLessThanOrEqual(columns);
    }
  });
});

it('colours where it is told to, and nowhere else', () =>
  withFiles(files, async (cwd) => {
    const args = ['search', 'tools.json', 'weather'];
    const [plain, forced, refused, json] = await Promise.all([
      command(args, { cwd, env: { CI: '1' } }),
      command(args, { cwd, env: { FORCE_COLOR: '1' } }),
      command(args, { cwd, env: { FORCE_COLOR: '1', NO_COLOR: '1' } }),
      command([...args, '--json'], { cwd, env: { FORCE_COLOR: '1' } }),
    ]);
    expect([plain, forced, refused, json].map(({ stdout }) => stdout.includes('\u001b['))).toEqual([
      false,
      true,
      false,
      false,
    ]);
  }));
