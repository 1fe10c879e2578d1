import { readFileSync, writeFileSync } from 'node:fs';
import { tieredScorer } from 'mastra-tool-search';
import { type Evaluation, evaluate, parseCases } from 'mastra-tool-search/evaluate';
import { expect, it } from 'vitest';
import { realTools } from '../../../support/real-tools.ts';
import { type Files, json, office, officeModule, refuses, run, runOn, widest, withFiles } from '../command.ts';

const cases = [
  { query: 'write mail to people', relevant: ['send_email'] },
  { query: 'post a mail to the team', relevant: ['send_email'] },
  { query: 'umbrella needed?', relevant: ['get_weather'] },
  { query: 'book a flight', relevant: [] },
];
const lines = cases.map((one) => JSON.stringify(one)).join('\n');
const files = { 'tools.json': office, 'cases.jsonl': lines };
/** Runs `eval` of the office. */
const evalOf = (options: string, more: Files = {}) =>
  runOn({ ...files, ...more }, `eval tools.json cases.jsonl ${options}`);

it('shows beside the words what an embedding model would gain', () => {
  // It knows that an umbrella has to do with weather.
  const embedder = `export const embedder = (texts) =>
    texts.map((text) => [/umbrella|weather/i.test(text) ? 1 : 0, /mail/i.test(text) ? 1 : 0, 0.1]);`;
  return withFiles({ ...files, 'embedder.mjs': embedder }, async () => {
    const { evaluation } = await json('eval tools.json cases.jsonl --embedder embedder.mjs');
    const { scorers } = evaluation as Evaluation;
    expect(scorers.map(({ scorer, figures }) => [scorer, figures?.hit1.mean.toFixed(2)])).toEqual([
      ['bm25', '0.67'],
      ['words and meaning', '1.00'],
    ]);
  });
});

it('prints figures, worst cases, confusions and failed gates', async () => {
  const { code, stdout } = await evalOf('--scorer bm25 --scorer tiered --min-recall 0.9');
  expect(code).toBe(1);
  expect(stdout).toBe(`tools.json: 3 tools, 4 cases

                               bm25              tiered
hit@1            66.7 % (0.0–100.0)  33.3 % (0.0–100.0)
recall@5         66.7 % (0.0–100.0)  66.7 % (0.0–100.0)
MRR              66.7 % (0.0–100.0)  50.0 % (0.0–100.0)
nDCG@10          66.7 % (0.0–100.0)  54.4 % (0.0–100.0)
false alarms                  0.0 %
missed nothings               0.0 %

Worst cases of bm25

place  query             wanted       first
 none  umbrella needed?  get_weather

Confusions of bm25

cases  wanted       came first  by
    1  get_weather  nothing

Worst cases of tiered

place  query                    wanted       first
 none  umbrella needed?         get_weather
    2  post a mail to the team  send_email   post_message

Confusions of tiered

cases  wanted       came first    by
    1  get_weather  nothing
    1  send_email   post_message

Gate failed: bm25: recall is 66.7 %, at least 90.0 % is wanted
Gate failed: tiered: recall is 66.7 %, at least 90.0 % is wanted
`);
});

it('says as JSON what evaluate says, to the digit', () =>
  withFiles(files, async () => {
    const said = await json('eval tools.json cases.jsonl --scorer tiered --top 1');
    const evaluation = await evaluate({ tools: office, cases: parseCases(lines), scorers: [tieredScorer()], topK: 1 });
    const expected = { catalog: 'tools.json', evaluation: JSON.parse(JSON.stringify(evaluation)), failures: [] };
    expect(said).toEqual(expected);
  }));

it('passes where the gates hold, and says so', async () => {
  const gates = '--min-hit1 0.6 --min-mrr 0.5 --min-ndcg 0.5 --max-false-alarms 0 --max-missed-nothings 0';
  const { code, stdout } = await evalOf(gates);
  expect([code, stdout.trimEnd().endsWith('All gates hold.')]).toEqual([0, true]);
});

it('compares with a baseline that it wrote, and fails by points of 100', () =>
  withFiles(files, async () => {
    const args = 'eval tools.json cases.jsonl';
    expect((await run(`${args} --save-baseline base.json`)).code).toBe(0);
    expect((JSON.parse(readFileSync('base.json', 'utf8')) as Evaluation).scorers[0]?.scorer).toBe('bm25');
    const same = await run(`${args} --baseline base.json --max-regression 0`);
    expect([same.code, same.stdout.includes('nDCG@10 +0.0 points, 0 better, 0 worse.')]).toEqual([0, true]);
    const worse = office.map((tool) =>
      tool.name === 'post_message' ? { ...tool, description: 'Post a mail to the team.' } : tool,
    );
    writeFileSync('tools.json', JSON.stringify(worse));
    const strict = await run(`${args} --scorer bm25 --baseline base.json --max-regression 1`);
    expect(strict.code).toBe(1);
    for (const text of [
      /Against the baseline: bm25/,
      /1 worse/,
      /Worse:\n\nbefore {2}now {2}query\n {5}1 {4}\d {2}post a mail to the team\n/,
      /Gate failed: bm25: nDCG@10 is \d+\.\d % below the baseline, at most 1\.0 % is wanted/,
    ])
      expect(strict.stdout).toMatch(text);
    expect((await run(`${args} --scorer bm25 --baseline base.json --max-regression 99`)).code).toBe(0);
    const other = await run(`${args} --scorer minisearch --baseline base.json`);
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('Gate failed: minisearch: the baseline has no scorer of this name');
  }));

it('takes cases as a JSON list, as a log of real use, from stdin and from a module with its groups', () => {
  const groups = `({ id }) => ({ name: 'x', description: id === 'get_weather' ? 'The sky.' : '' })`;
  const modules = {
    'tools.mjs': officeModule(`export const cases = ${JSON.stringify(cases)};`),
    'groups.mjs': officeModule(`export const groups = ${groups};`),
  };
  const sky = { 'sky.json': [{ query: 'sky', relevant: ['get_weather'] }] };
  return withFiles({ ...files, ...modules, ...sky, 'cases.json': cases }, async () => {
    const plain = await json('eval tools.json cases.jsonl');
    expect(await json('eval tools.json cases.json')).toEqual(plain);
    expect((await json('eval tools.mjs')).evaluation).toEqual(plain.evaluation);
    const casesOf = async (...args: Parameters<typeof json>) => (await json(...args)).evaluation.scorers[0].cases;
    const stdin = '{ "query": "mail", "called": "send_email" }\n';
    expect(await casesOf('eval tools.json -', { stdin })).toMatchObject([{ query: 'mail', rank: 1 }]);
    expect(await casesOf('eval groups.mjs sky.json')).toMatchObject([{ rank: 1 }]);
  });
});

it('numbers scorers of one name, also against a baseline', () => {
  const own = `export const scorer = { name: 'bm25', index: () => ({ search: () => [{ name: 'get_weather', score: 1 }] }) };`;
  return withFiles({ ...files, 'own.mjs': own }, async () => {
    const args = 'eval tools.json cases.jsonl --scorer bm25 --scorer own.mjs';
    expect((await run(`${args} --save-baseline base.json`)).stdout).toMatch(/ bm25 +bm25 2\n/);
    const again = await run(`${args} --baseline base.json`);
    expect([again.code, again.stdout.includes('Against the baseline: bm25 2')]).toEqual([0, true]);
  });
});

it.each([
  ['', 'Which cases? Give a file with a line for each'],
  ['cases.jsonl --min-recall 90', '--min-recall must be a number from 0 to 1; got "90".'],
  ['cases.jsonl --max-regression 1', '--max-regression needs --baseline FILE'],
  ['cases.jsonl more.jsonl', '"more.jsonl" is one argument too many.'],
  ['cases.jsonl --save-baseline nodir/b.json', '--save-baseline nodir/b.json: there is no folder nodir. Make it, or'],
  ['cases.jsonl --baseline tools.json', 'tools.json is no baseline. Write one with --save-baseline.'],
  ['cases.jsonl --baseline none.json', 'There is no file none.json.'],
  ['cases.jsonl --embedder none.mjs', 'none.mjs exports no embedding model. Export one as "embedder"'],
  ['empty.json', 'empty.json has no cases. A case is a line'],
  ['broken.json', '"cases" must be lines such as'],
  ['unknown.json', '"cases" wants the tool "sendmail" in case 1, which "tools" has not. Did you mean "send_email"?'],
  ['cases.jsonl --scorer bm26', 'There is no scorer "bm26". There are bm25, tiered, minisearch, synonyms'],
])('refuses %j with 2, and says why', (line, message) => {
  const others = { 'empty.json': '\n', 'broken.json': '{ "query": 1 }', 'none.mjs': 'export const x = 1;' };
  const unknown = { 'unknown.json': '{ "query": "mail", "relevant": ["sendmail"] }' };
  return refuses({ ...files, ...others, ...unknown }, `eval tools.json ${line}`, message);
});

it('writes Markdown for a CI summary', async () => {
  const { stdout } = await evalOf('--markdown --min-recall 0.9 --worst 1');
  const table = '|  | bm25 |\n| --- | ---: |\n| hit@1 | 66.7 % (0.0–100.0) |';
  expect(stdout).toContain(`### tools.json: 3 tools, 4 cases\n\n${table}`);
  expect(stdout).toContain('- **Gate failed:** bm25: recall is 66.7 %, at least 90.0 % is wanted');
});

it('keeps to 80 columns over a real catalog, and claims no more of one case than that it went so', async () => {
  const real = realTools().slice(0, 200);
  const tools = real.map(({ id, description, inputSchema }) => JSON.stringify({ id, description, inputSchema }));
  const asked = real
    .slice(0, 40)
    .map(({ id, description }) => ({ query: description.slice(0, 60) || id, relevant: [id] }));
  const { code, stdout } = await runOn(
    { 'tools.jsonl': tools.join('\n'), 'cases.json': asked },
    'eval tools.jsonl cases.json',
  );
  expect(code).toBe(0);
  expect(widest(stdout)).toBeLessThanOrEqual(80);
  const one = await evalOf('', { 'cases.jsonl': lines.split('\n')[0] });
  expect(one.stdout).toContain('hit@1         100.0 % (20.7–100.0)');
});
