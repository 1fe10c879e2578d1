import { readFileSync, writeFileSync } from 'node:fs';
import { tieredScorer } from 'mastra-tool-search';
import { type Evaluation, evaluate, parseCases } from 'mastra-tool-search/evaluate';
import { expect, it } from 'vitest';
import { realTools } from '../../../support/real-tools.ts';
import { type Files, json, office, officeModule, run, runOn, widest, withFiles } from '../command.ts';

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

tiered is not shown to rank otherwise than bm25: nDCG@10 −12.3 points (95 %
interval −36.9 to +0.0), 0 better, 1 worse.

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
  const gates = '--min-hit1 0.6 --min-mrr 0.5 --min-ndcg 0.5 --max-false-alarms 0 --max-missed-nothings 0';
  const held = await evalOf(`--scorer bm25 ${gates}`);
  expect([held.code, held.stdout.trimEnd().endsWith('All gates hold.')]).toEqual([0, true]);
});

it('measures words alone beside the default ranking, and holds no gate against them', async () => {
  const { code, stdout } = await evalOf('--min-recall 0.9');
  expect(stdout).toMatch(/^ +words and meaning +bm25$/m);
  expect(stdout).toMatch(/^recall@5 +100\.0 % .*66\.7 %/m);
  expect([code, stdout.trimEnd().endsWith('All gates hold.'), stdout.includes(' of bm25')]).toEqual([0, true, false]);
  const asked = await evalOf('--scorer meaning --min-recall 0.9');
  expect([asked.code, asked.stdout.includes('bm25')]).toEqual([0, false]);
});

it('says as JSON what evaluate says, to the digit', () =>
  withFiles(files, async () => {
    const said = await json('eval tools.json cases.jsonl --scorer tiered --top 1');
    const evaluation = await evaluate({ tools: office, cases: parseCases(lines), scorers: [tieredScorer()], topK: 1 });
    const expected = { catalog: 'tools.json', evaluation: JSON.parse(JSON.stringify(evaluation)), failures: [] };
    expect(said).toEqual(expected);
  }));

it('says of each scorer whether it ranks better than the first, and of the baseline', () => {
  const asked = Array.from({ length: 20 }, (_, at) => ({ query: `umbrella needed ${at}?`, relevant: ['get_weather'] }));
  const own = `export const scorer = { name: 'right', index: () => ({ search: () => [{ name: 'get_weather', score: 1 }] }) };`;
  return withFiles({ ...files, 'own.mjs': own, 'cases.json': asked }, async () => {
    const args = 'eval tools.json cases.json --scorer bm25 --scorer own.mjs';
    const told = await json(args);
    expect(told.differences).toMatchObject([{ scorer: 'right', against: 'bm25', difference: { ndcg10: { mean: 1 } } }]);
    const sentence =
      'right ranks better than bm25: nDCG@10 +100.0 points (95 % interval +67.8 to +100.0), 20 better, 0 worse.';
    const { stdout } = await run(`${args} --save-baseline base.json --columns 200`);
    expect(stdout).toContain(`\n\n${sentence}\n\n`);
    const again = (await run(`${args} --baseline base.json --columns 200`)).stdout;
    expect(again).toMatch(/^ +bm25 +right +bm25 before +right before$/m);
    expect(again).toContain('right ranks as before: nDCG@10 +0.0 points, 0 better, 0 worse.');
    expect((await json('eval tools.json cases.json --scorer bm25')).differences).toBeUndefined();
  });
});

it('compares with a baseline that it wrote, and fails by points of 100', () =>
  withFiles(files, async () => {
    const args = 'eval tools.json cases.jsonl';
    expect((await run(`${args} --save-baseline base.json`)).code).toBe(0);
    const { scorers } = JSON.parse(readFileSync('base.json', 'utf8')) as Evaluation;
    expect(scorers.map(({ scorer }) => scorer)).toEqual(['words and meaning', 'bm25']);
    const same = await run(`${args} --baseline base.json --max-regression 0`);
    expect([same.code, same.stdout.includes('nDCG@10 +0.0 points, 0 better, 0 worse.')]).toEqual([0, true]);
    const worse = office.map((tool) =>
      tool.name === 'post_message' ? { ...tool, description: 'Post a mail to the team.' } : tool,
    );
    writeFileSync('tools.json', JSON.stringify(worse));
    const strict = await run(`${args} --scorer bm25 --baseline base.json --max-regression 1`);
    expect(strict.code).toBe(1);
    for (const text of [
      /Against the baseline: bm25.*1 worse/s,
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

it('numbers scorers of one name, also against a baseline, and has an embedding model beside the words', () => {
  const own = `export const scorer = { name: 'bm25', index: () => ({ search: () => [{ name: 'get_weather', score: 1 }] }) };`;
  // It knows that an umbrella has to do with weather.
  const embedder = `export const embedder = (texts) =>
    texts.map((text) => [/umbrella|weather/i.test(text) ? 1 : 0, /mail/i.test(text) ? 1 : 0, 0.1]);`;
  return withFiles({ ...files, 'own.mjs': own, 'embedder.mjs': embedder }, async () => {
    const args = 'eval tools.json cases.jsonl --scorer bm25 --scorer own.mjs';
    expect((await run(`${args} --save-baseline base.json`)).stdout).toMatch(/ bm25 +bm25 2\n/);
    const again = await run(`${args} --baseline base.json`);
    expect([again.code, again.stdout.includes('Against the baseline: bm25 2')]).toEqual([0, true]);
    const { evaluation } = await json('eval tools.json cases.jsonl --embedder embedder.mjs');
    const { scorers } = evaluation as Evaluation;
    expect(scorers.map(({ scorer, figures }) => `${scorer} ${figures?.hit1.mean.toFixed(2)}`)).toEqual([
      ...['words and meaning 0.67', 'words and embedder 1.00', 'bm25 0.67'],
    ]);
  });
});

it('writes Markdown, keeps to 80 columns, and claims no more of one case than that it went so', async () => {
  const { stdout } = await evalOf('--scorer bm25 --markdown --min-recall 0.9 --worst 1');
  const table = '|  | bm25 |\n| --- | ---: |\n| hit@1 | 66.7 % (0.0–100.0) |';
  expect(stdout).toContain(`### tools.json: 3 tools, 4 cases\n\n${table}`);
  expect(stdout).toContain('- **Gate failed:** bm25: recall is 66.7 %, at least 90.0 % is wanted');
  const tools = realTools().slice(0, 200);
  const asked = tools.slice(0, 40).map(({ id, description }) => {
    return { query: description.slice(0, 60) || id, relevant: [id] };
  });
  const listed = tools.map(({ id, description, inputSchema }) => JSON.stringify({ id, description, inputSchema }));
  const real = { 'tools.json': listed.join('\n'), 'cases.jsonl': JSON.stringify(asked) };
  expect(widest((await evalOf('', real)).stdout)).toBeLessThanOrEqual(80);
  const one = await evalOf('', { 'cases.jsonl': lines.split('\n')[0] });
  expect(one.stdout).toContain('hit@1         100.0 % (20.7–100.0)');
});
