import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Evaluation, evaluate, parseCases } from '../../../../src/entries/evaluate.ts';
import { tieredScorer } from '../../../../src/index.ts';
import { realTools } from '../../../support/real-tools.ts';
import { command, inProcess, office, type Ran, runIn, widest, withFiles } from '../command.ts';

const cases = [
  { query: 'write mail to people', relevant: ['send_email'] },
  { query: 'post a mail to the team', relevant: ['send_email'] },
  { query: 'umbrella needed?', relevant: ['get_weather'] },
  { query: 'book a flight', relevant: [] },
];
const lines = cases.map((one) => JSON.stringify(one)).join('\n');
const files = { 'tools.json': office, 'cases.jsonl': lines };

/** Runs `eval` over files in a folder, and names them there. */
const run = (given: Readonly<Record<string, unknown>>, ...args: string[]): Promise<Ran> =>
  withFiles({ ...files, ...given }, async (folder) => {
    const isFile = (arg: string): boolean => existsSync(path.join(folder, arg)) || arg.endsWith('.json');
    return runIn(folder, await inProcess(['eval', ...args.map((arg) => (isFile(arg) ? path.join(folder, arg) : arg))]));
  });

/** A module whose model knows that an umbrella has to do with weather. */
const embedder = `export const embedder = (texts) =>
  texts.map((text) => [/umbrella|weather/i.test(text) ? 1 : 0, /mail/i.test(text) ? 1 : 0, 0.1]);`;

it('shows beside the words what an embedding model would gain', async () => {
  const given = { 'embedder.mjs': embedder };
  const { code, stdout, stderr } = await run(
    given,
    'tools.json',
    'cases.jsonl',
    '--embedder',
    'embedder.mjs',
    '--json',
  );
  expect([code, stderr]).toEqual([0, '']);
  const { scorers } = (JSON.parse(stdout) as { evaluation: Evaluation }).evaluation;
  expect(scorers.map(({ scorer, figures }) => [scorer, figures?.hit1.mean.toFixed(2)])).toEqual([
    ['bm25', '0.67'],
    ['words and meaning', '1.00'],
  ]);
});

it('refuses a module without an embedding model', async () => {
  const { code, stderr } = await run(
    { 'embedder.mjs': 'export const x = 1;' },
    'tools.json',
    'cases.jsonl',
    '--embedder',
    'embedder.mjs',
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining('exports no embedding model. Export one as "embedder"')]);
});

it('prints figures, worst cases, confusions and failed gates', async () => {
  const { code, stdout } = await run(
    {},
    'tools.json',
    'cases.jsonl',
    '--scorer',
    'bm25',
    '--scorer',
    'tiered',
    '--min-recall',
    '0.9',
  );
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      'tools.json: 3 tools, 4 cases',
      '',
      '                               bm25              tiered',
      'hit@1            66.7 % (0.0–100.0)  33.3 % (0.0–100.0)',
      'recall@5         66.7 % (0.0–100.0)  66.7 % (0.0–100.0)',
      'MRR              66.7 % (0.0–100.0)  50.0 % (0.0–100.0)',
      'nDCG@10          66.7 % (0.0–100.0)  54.4 % (0.0–100.0)',
      'false alarms                  0.0 %',
      'missed nothings               0.0 %',
      '',
      'Worst cases of bm25',
      '',
      'place  query             wanted       first',
      ' none  umbrella needed?  get_weather',
      '',
      'Confusions of bm25',
      '',
      'cases  wanted       came first  by',
      '    1  get_weather  nothing',
      '',
      'Worst cases of tiered',
      '',
      'place  query                    wanted       first',
      ' none  umbrella needed?         get_weather',
      '    2  post a mail to the team  send_email   post_message',
      '',
      'Confusions of tiered',
      '',
      'cases  wanted       came first    by',
      '    1  get_weather  nothing',
      '    1  send_email   post_message',
      '',
      'Gate failed: bm25: recall is 66.7 %, at least 90.0 % is wanted',
      'Gate failed: tiered: recall is 66.7 %, at least 90.0 % is wanted',
      '',
    ].join('\n'),
  );
});

it('claims no more of one case than that it went so', async () => {
  const one = JSON.stringify({ query: 'write mail to people', relevant: ['send_email'] });
  const { stdout } = await run({ 'cases.jsonl': one }, 'tools.json', 'cases.jsonl');
  expect(stdout).toContain('hit@1         100.0 % (20.7–100.0)');
  expect(stdout).not.toContain('100.0–100.0');
});

it('says as JSON what evaluate says, to the digit', async () => {
  const { stdout } = await run({}, 'tools.json', 'cases.jsonl', '--scorer', 'tiered', '--top', '1', '--json');
  const tools = Object.fromEntries(office.map((tool) => [tool.name, tool]));
  const evaluation = await evaluate({ tools, cases: parseCases(lines), scorers: [tieredScorer()], topK: 1 });
  expect(JSON.parse(stdout)).toEqual({
    catalog: 'tools.json',
    evaluation: JSON.parse(JSON.stringify(evaluation)),
    failures: [],
  });
});

it('passes where the gates hold, and says so', async () => {
  const gates = [
    '--min-hit1',
    '0.6',
    '--min-mrr',
    '0.5',
    '--min-ndcg',
    '0.5',
    '--max-false-alarms',
    '0',
    '--max-missed-nothings',
    '0',
  ];
  const { code, stdout } = await run({}, 'tools.json', 'cases.jsonl', ...gates);
  expect(code).toBe(0);
  expect(stdout.trimEnd().endsWith('All gates hold.')).toBe(true);
});

it('compares with a baseline that it wrote, and fails by points of 100', () =>
  withFiles(files, async (cwd) => {
    const at = (name: string): string => path.join(cwd, name);
    const worse = office.map((tool) =>
      tool.name === 'post_message' ? { ...tool, description: 'Post a mail to the team.' } : tool,
    );
    const saved = await inProcess(['eval', at('tools.json'), at('cases.jsonl'), '--save-baseline', at('base.json')]);
    expect(saved.code).toBe(0);
    expect((JSON.parse(readFileSync(at('base.json'), 'utf8')) as Evaluation).scorers[0]?.scorer).toBe('bm25');
    const same = await inProcess([
      'eval',
      at('tools.json'),
      at('cases.jsonl'),
      '--baseline',
      at('base.json'),
      '--max-regression',
      '0',
    ]);
    expect([same.code, same.stdout.includes('nDCG@10 +0.0 points, 0 better, 0 worse.')]).toEqual([0, true]);
    await withFiles({ 'tools.json': worse }, async (folder) => {
      const args = [
        'eval',
        path.join(folder, 'tools.json'),
        at('cases.jsonl'),
        '--scorer',
        'bm25',
        '--baseline',
        at('base.json'),
      ];
      const [strict, lenient] = [
        await inProcess([...args, '--max-regression', '1']),
        await inProcess([...args, '--max-regression', '99']),
      ];
      expect(strict.stdout).toContain('Against the baseline: bm25');
      expect(strict.stdout).toContain('1 worse');
      expect(strict.stdout).toMatch(/Worse:\n\nbefore {2}now {2}query\n {5}1 {4}\d {2}post a mail to the team\n/);
      expect(strict.stdout).toMatch(
        /Gate failed: bm25: nDCG@10 is \d+\.\d % below the baseline, at most 1\.0 % is wanted/,
      );
      expect([strict.code, lenient.code]).toEqual([1, 0]);
      const other = await inProcess([...args, '--scorer', 'minisearch']);
      expect(other.code).toBe(1);
      expect(other.stdout).toContain('Gate failed: minisearch: the baseline has no scorer of this name');
    });
  }));

it('takes cases as a JSON list, as a log of real use, from stdin and from a module', async () => {
  const log = '{ "query": "mail", "called": "send_email" }\n';
  const json = await run({ 'cases.json': cases }, 'tools.json', 'cases.json', '--json');
  const plain = await run({}, 'tools.json', 'cases.jsonl', '--json');
  expect(json.stdout).toBe(plain.stdout);
  const module = `export const tools = ${JSON.stringify(Object.fromEntries(office.map((tool) => [tool.name, tool])))}; export const cases = ${JSON.stringify(cases)};`;
  const ofModule = await withFiles({ 'tools.mjs': module }, (folder) =>
    inProcess(['eval', path.join(folder, 'tools.mjs'), '--json']),
  );
  expect(JSON.parse(ofModule.stdout).evaluation).toEqual(JSON.parse(plain.stdout).evaluation);
  const ofLog = await withFiles(files, (folder) =>
    inProcess(['eval', path.join(folder, 'tools.json'), '-', '--json'], log),
  );
  expect(JSON.parse(ofLog.stdout).evaluation.scorers[0].cases).toMatchObject([{ query: 'mail', rank: 1 }]);
});

const asModule = (rest: string): string =>
  `export const tools = ${JSON.stringify(Object.fromEntries(office.map((tool) => [tool.name, tool])))}; ${rest}`;

it("knows a module's groups", async () => {
  const groups = `export const groups = ({ id }) => ({ name: 'x', description: id === 'get_weather' ? 'The sky.' : '' });`;
  const given = { 'tools.mjs': asModule(groups), 'sky.json': [{ query: 'sky', relevant: ['get_weather'] }] };
  const { stdout } = await withFiles(given, (folder) =>
    inProcess(['eval', path.join(folder, 'tools.mjs'), path.join(folder, 'sky.json'), '--json']),
  );
  expect(JSON.parse(stdout).evaluation.scorers[0].cases[0].rank).toBe(1);
});

it('numbers scorers of one name, also against a baseline', async () => {
  const own = `export const scorer = { name: 'bm25', index: () => ({ search: () => [{ name: 'get_weather', score: 1 }] }) };`;
  await withFiles({ ...files, 'own.mjs': own }, async (folder) => {
    const [tools = '', asked = '', mine = '', base = ''] = ['tools.json', 'cases.jsonl', 'own.mjs', 'base.json'].map(
      (name) => path.join(folder, name),
    );
    const args = ['eval', tools, asked, '--scorer', 'bm25', '--scorer', mine];
    const { stdout } = await inProcess([...args, '--save-baseline', base]);
    expect(stdout).toMatch(/ bm25 +bm25 2\n/);
    const again = await inProcess([...args, '--baseline', base]);
    expect([again.code, again.stdout.includes('Against the baseline: bm25 2')]).toEqual([0, true]);
  });
});

it.each([
  [['tools.json'], 'Which cases? Give a file with a line for each'],
  [['tools.json', 'cases.jsonl', '--min-recall', '90'], '--min-recall must be a number from 0 to 1; got "90".'],
  [['tools.json', 'cases.jsonl', '--max-regression', '1'], '--max-regression needs --baseline FILE'],
  [['tools.json', 'cases.jsonl', 'more.jsonl'], '"more.jsonl" is one argument too many.'],
  [['tools.json', 'cases.jsonl', '--save-baseline', 'nodir/b.json'], 'Make it, or give another file.'],
  [['tools.json', 'cases.jsonl', '--baseline', 'tools.json'], 'is no baseline. Write one with --save-baseline.'],
  [['tools.json', 'cases.jsonl', '--baseline', 'none.json'], 'There is no file'],
  [['tools.json', 'empty.json'], 'has no cases. A case is a line'],
  [['tools.json', 'broken.json'], '"cases" must be lines such as'],
  [
    ['tools.json', 'unknown.json'],
    'wants the tool "sendmail" in case 1, which "tools" has not. Did you mean "send_email"?',
  ],
  [
    ['tools.json', 'cases.jsonl', '--scorer', 'bm26'],
    'There is no scorer "bm26". There are bm25, tiered, minisearch, synonyms',
  ],
])('refuses %j with 2, and says why', async (args, message) => {
  const given = {
    ...{ 'empty.json': '\n', 'broken.json': '{ "query": 1 }' },
    'unknown.json': '{ "query": "mail", "relevant": ["sendmail"] }',
  };
  const { code, stdout, stderr } = await run(given, ...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

it('writes Markdown for a CI summary', async () => {
  const { stdout } = await run({}, 'tools.json', 'cases.jsonl', '--markdown', '--min-recall', '0.9', '--worst', '1');
  expect(stdout).toContain(
    '### tools.json: 3 tools, 4 cases\n\n|  | bm25 |\n| --- | ---: |\n| hit@1 | 66.7 % (0.0–100.0) |',
  );
  expect(stdout).toContain('- **Gate failed:** bm25: recall is 66.7 %, at least 90.0 % is wanted');
});

it('measures a real catalog as the library does, and keeps to 80 columns', async () => {
  const real = realTools()
    .slice(0, 200)
    .map(({ id, description, inputSchema }) => ({ id, description, inputSchema }));
  const asked = real
    .slice(0, 40)
    .map(({ id, description }) => ({ query: description.slice(0, 60) || id, relevant: [id] }));
  await withFiles(
    { 'tools.jsonl': real.map((tool) => JSON.stringify(tool)).join('\n'), 'cases.json': asked },
    async (cwd) => {
      const { code, stdout } = await command(['eval', 'tools.jsonl', 'cases.json'], { cwd });
      expect(code).toBe(0);
      expect(widest(stdout)).toBeLessThanOrEqual(80);
    },
  );
});
