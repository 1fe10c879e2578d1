import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/util/tokens.ts';
import { type Cost, costOf, type Measured, paysFrom } from '../../../../src/workbench/cli/commands/tokens.ts';
import { realTools } from '../../../support/real-tools.ts';
import { json, office, refuses, run, runOn, widest, withFiles } from '../command.ts';

it('tells what each mode costs, by server and by tool', () => {
  const tools = office.map((tool, at) => ({ ...tool, mcpMetadata: { serverName: at === 1 ? 'weather' : 'office' } }));
  return withFiles({ 'tools.json': tools }, async () => {
    const told = await json('tokens tools.json');
    const [email = 0, weather = 0, message = 0] = office.map(({ name, description, inputSchema }) =>
      estimateTokens(JSON.stringify({ name, description, parameters: inputSchema })),
    );
    expect(told).toMatchObject({
      ...{ catalog: 'tools.json', tools: 3, tokens: email + weather + message, queries: 3 },
      ...{ conversation: { calls: 3, used: 1, prompt: 1_000 }, prices: { read: 0.1, write: 1.25 } },
      servers: [
        { server: 'office', tools: 2, tokens: email + message },
        { server: 'weather', tools: 1, tokens: weather },
      ],
      heaviest: [{ tool: 'send_email', tokens: email }, { tool: 'post_message' }, { tool: 'get_weather' }],
    });
    expect(told.modes.map(({ mode }: { mode: string }) => mode)).toEqual([
      ...['all sent', 'load', 'load, autoLoad', 'load, preselect'],
      ...['call', 'call, preselect', 'native, Anthropic'],
    ]);
    const [all, load] = told.modes;
    expect(all).toMatchObject({ calls: 3, tokens: 3 * (1_000 + told.tokens), saved: 0 });
    // Three tools are not worth a search: it costs more, and pays from a few dozen on.
    expect(load.calls).toBe(5);
    expect(load.saved).toBeLessThan(0);
    expect(load.paysFrom).toBeGreaterThan(3);
  });
});

it('reads off a real processor what each mode sends', () => {
  const cases = [
    { query: 'create an issue in a github repository', relevant: ['github_create_issue'] },
    { query: 'list the issues of a repository', relevant: ['github_list_issues'] },
  ];
  const tools = realTools().slice(0, 120);
  const listed = tools.map(({ id, description, inputSchema }) => ({ name: id, description, inputSchema }));
  return withFiles({ 'tools.json': listed, 'cases.json': cases }, async () => {
    const { modes } = (await json('tokens tools.json --cases cases.json')) as { modes: (Cost & { mode: string })[] };
    const of = (name: string) => modes.find(({ mode }) => mode === name)!;
    // Without load_tool, there is less to define; with preselection, a first call has definitions, and some search is saved.
    expect(of('load, autoLoad').first).toBeLessThan(of('load').first);
    expect(of('load, preselect').first).toBeGreaterThan(of('load').first);
    expect(of('load, preselect').calls).toBeLessThan(of('load').calls);
    expect(of('call, preselect').calls).toBeLessThan(of('call').calls);
    expect(of('native, Anthropic').first).toBeLessThan(of('load').first);
    // All that is found is loaded; what the provider refers to has whole definitions.
    expect(of('load, autoLoad').tokens).toBeGreaterThan(of('call').tokens);
    expect(modes.map(({ calls }) => calls)).toEqual([3, 5, 4, expect.any(Number), 4, expect.any(Number), 4]);
    for (const { tokens } of modes) expect(tokens).toBeGreaterThan(0);
  });
});

it('says from how many tools on a mode pays, so that it pays for as many', async () => {
  const { modes, tokens } = await withFiles({ 'tools.json': office }, () => json('tokens tools.json'));
  const many = Array.from({ length: modes[1].paysFrom + 20 }, (_, at) => {
    return { ...office[at % 3], name: `${office[at % 3]?.name}_${at}` };
  });
  const larger = await withFiles({ 'tools.json': many }, () => json('tokens tools.json --samples 5'));
  expect(larger.tokens).toBeGreaterThan(tokens);
  expect(larger.modes[1].saved).toBeGreaterThan(0);
});

it('prints a table of 80 columns, and what it assumes', async () => {
  const { code, stdout } = await runOn({ 'tools.json': office }, 'tokens tools.json --calls 10 --used 3 --top 1');
  expect(code).toBe(0);
  expect(widest(stdout)).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(
    /^tools\.json: 3 tools, \d+ tokens, \d+ a tool\n\nmode +calls +first call +conversation +saved +cached +pays from\nall sent +10\.0 +1,\d+ +11,\d+ +1,\d+\nload +16\.0 /,
  );
  expect(stdout).toContain('A conversation: 10 model calls (--calls) over 1,000 tokens of');
  expect(stdout.match(/^send_email .*\d+ %/gm)).toHaveLength(1);
});

it('takes the queries of cases, and writes Markdown', () => {
  const cases = JSON.stringify({ query: 'write a letter', relevant: ['send_email'] });
  return withFiles({ 'tools.json': office, 'cases.jsonl': cases }, async () => {
    const line = 'tokens tools.json --cases cases.jsonl';
    expect((await json(line)).queries).toBe(1);
    const head = '| mode | calls | first call | conversation | saved | cached | pays from |';
    expect((await run(`${line} --markdown`)).stdout).toContain(head);
  });
});

it.each([
  ['--used 4', '--used must be a whole number from 0 to 3; got "4".'],
  ['--calls 0', '--calls must be a whole number of 1 or more; got "0".'],
])('refuses %j with 2', (options, message) =>
  refuses({ 'tools.json': office }, `tokens tools.json ${options}`, message),
);

describe('the cost of a conversation', () => {
  const prices = { read: 0.1, write: 1.25 };
  const conversation = { calls: 3, used: 1, prompt: 1_000 };
  const LOAD = ['search', 'load'] as const;
  const measured: Measured = {
    ...{ definitions: 300, system: 50, preselected: 0, isHit: false },
    ...{ search: 400, load: 60, loaded: 200 },
  };
  const nothing: Measured = { ...measured, definitions: 0, system: 0, search: 0, load: 0, loaded: 0 };
  const costOfAll = (definitions: number, of: typeof conversation): Cost =>
    costOf({ ...nothing, definitions }, [], of, prices);

  it('of all that is sent is every definition with every call, read from the cache', () => {
    expect(costOfAll(10_000, conversation)).toEqual({ calls: 3, first: 11_000, tokens: 33_000, cached: 3_300 });
  });

  it('has each request: what is searched stays in the history, what is loaded in the list', () => {
    // Definitions and the rest of each request.
    const tokens = 300 + 1_050 + (300 + 1_450) + 3 * (500 + 1_510);
    // All known; the result is new; the list changed, so that what is behind it is written anew; all known, twice.
    const cached = 0.1 * 1_350 + (0.1 * 1_350 + 1.25 * 400) + (0.1 * 300 + 1.25 * 1_710) + 2 * 0.1 * 2_010;
    const cost = costOf(measured, LOAD, conversation, prices);
    expect(cost).toEqual({ calls: 5, first: 1_350, tokens, cached: expect.closeTo(cached, 6) });
  });

  it('never changes the list where nothing is loaded, so that the cache holds', () => {
    const cost = costOf({ ...measured, loaded: 0, load: 0 }, ['search'], conversation, prices);
    expect(cost.calls).toBe(4);
    expect(cost.cached).toBeCloseTo(0.1 * (1_350 + 1_350 + 1_750 * 2) + 1.25 * 400, 6);
  });

  it('has no search where the tool is preselected, or none is used', () => {
    const costs = [false, true].map((isHit) =>
      costOf({ ...measured, preselected: 250, isHit }, LOAD, conversation, prices),
    );
    expect(costs.map(({ calls, first }) => [calls, first])).toEqual([
      [5, 1_600],
      [3, 1_600],
    ]);
    const unused = costOf(measured, LOAD, { ...conversation, used: 0 }, prices);
    expect(unused).toMatchObject({ calls: 3, tokens: 3 * 1_350 });
  });

  it('tells the number of tools from which a mode reads less, as counting up does', () => {
    const each = fc.integer({ min: 20, max: 500 });
    const small = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(each, small, small, fc.integer({ min: 0, max: 20_000 }), (tokens, calls, used, prompt) => {
        const given = { calls, used: Math.min(used, calls), prompt };
        const cost = costOf(measured, LOAD, given, prices);
        let [plain, cached] = [1, 1];
        while (costOfAll(plain * tokens, given).tokens < cost.tokens) plain++;
        while (costOfAll(cached * tokens, given).cached < cost.cached - 1e-6) cached++;
        expect(paysFrom(cost.tokens, tokens, given)).toBe(plain);
        expect(Math.abs(paysFrom(cost.cached, tokens, given, prices.read) - cached)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
