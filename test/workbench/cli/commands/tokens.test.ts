import path from 'node:path';
import { expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/util/tokens.ts';
import { realTools } from '../../../support/real-tools.ts';
import { command, inProcess, office, type Ran, runIn, widest, withFiles } from '../command.ts';

const run = (tools: unknown, ...args: string[]): Promise<Ran> =>
  withFiles({ 'tools.json': tools }, async (folder) =>
    runIn(folder, await inProcess(['tokens', path.join(folder, 'tools.json'), ...args])),
  );

it('tells what each mode costs, by server and by tool', async () => {
  const tools = office.map((tool, at) => ({ ...tool, mcpMetadata: { serverName: at === 1 ? 'weather' : 'office' } }));
  const { code, stdout } = await run(tools, '--json');
  const told = JSON.parse(stdout);
  const sizes = office.map(({ name, description, inputSchema }) =>
    estimateTokens(JSON.stringify({ name, description, parameters: inputSchema })),
  );
  expect(code).toBe(0);
  const [email = 0, weather = 0, message = 0] = sizes;
  expect(told).toMatchObject({
    ...{ catalog: 'tools.json', tools: 3, tokens: email + weather + message, queries: 3 },
    conversation: { calls: 3, used: 1, prompt: 1_000 },
    prices: { read: 0.1, write: 1.25 },
    servers: [
      { server: 'office', tools: 2, tokens: email + message },
      { server: 'weather', tools: 1, tokens: weather },
    ],
    heaviest: [{ tool: 'send_email', tokens: email }, { tool: 'post_message' }, { tool: 'get_weather' }],
  });
  const names = [
    'all sent',
    'load',
    'load, autoLoad',
    'load, preselect',
    'call',
    'call, preselect',
    'native, Anthropic',
  ];
  expect(told.modes.map(({ mode }: { mode: string }) => mode)).toEqual(names);
  const [all, load] = told.modes;
  expect(all).toMatchObject({ calls: 3, tokens: 3 * (1_000 + told.tokens), saved: 0 });
  // Three tools are not worth a search: it costs more, and pays from a few dozen on.
  expect(load.calls).toBe(5);
  expect(load.saved).toBeLessThan(0);
  expect(load.paysFrom).toBeGreaterThan(3);
});

it('reads off a real processor what each mode sends', async () => {
  const tools = realTools().slice(0, 120);
  const cases = [
    { query: 'create an issue in a github repository', relevant: ['github_create_issue'] },
    { query: 'list the issues of a repository', relevant: ['github_list_issues'] },
  ];
  const listed = tools.map(({ id, description, inputSchema }) => ({ name: id, description, inputSchema }));
  await withFiles({ 'tools.json': listed, 'cases.json': cases }, async (folder) => {
    const file = (name: string): string => path.join(folder, name);
    const { stdout } = await inProcess(['tokens', file('tools.json'), '--cases', file('cases.json'), '--json']);
    const { modes } = JSON.parse(stdout) as { modes: { mode: string; calls: number; first: number; tokens: number }[] };
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
  const { modes, tokens } = JSON.parse((await run(office, '--json')).stdout);
  const many = Array.from({ length: modes[1].paysFrom + 20 }, (_, at) => ({
    ...office[at % 3],
    name: `${office[at % 3]?.name}_${at}`,
  }));
  const larger = JSON.parse((await run(many, '--json', '--samples', '5')).stdout);
  expect(larger.tokens).toBeGreaterThan(tokens);
  expect(larger.modes[1].saved).toBeGreaterThan(0);
});

it('prints a table of 80 columns, and what it assumes', () =>
  withFiles({ 'tools.json': office }, async (cwd) => {
    const { code, stdout } = await command(['tokens', 'tools.json', '--calls', '10', '--used', '3', '--top', '1'], {
      cwd,
    });
    expect(code).toBe(0);
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(
      /^tools\.json: 3 tools, \d+ tokens, \d+ a tool\n\nmode +calls +first call +conversation +saved +cached +pays from\nall sent +10\.0 +1,\d+ +11,\d+ +1,\d+\nload +16\.0 /,
    );
    expect(stdout).toContain('A conversation: 10 model calls (--calls) over 1,000 tokens of');
    expect(stdout.match(/^\w+ .*\d+ %/gm)?.filter((line) => line.startsWith('send_email'))).toHaveLength(1);
  }));

it('takes the queries of cases, and writes Markdown', async () => {
  const cases = { query: 'write a letter', relevant: ['send_email'] };
  await withFiles({ 'tools.json': office, 'cases.jsonl': JSON.stringify(cases) }, async (folder) => {
    const args = ['tokens', path.join(folder, 'tools.json'), '--cases', path.join(folder, 'cases.jsonl')];
    expect(JSON.parse((await inProcess([...args, '--json'])).stdout).queries).toBe(1);
    expect((await inProcess([...args, '--markdown'])).stdout).toContain(
      '| mode | calls | first call | conversation | saved | cached | pays from |',
    );
  });
});

it.each([
  [['--used', '4'], '--used must be a whole number from 0 to 3; got "4".'],
  [['--calls', '0'], '--calls must be a whole number of 1 or more; got "0".'],
])('refuses %j with 2', async (args, message) => {
  const { code, stderr } = await run(office, ...args);
  expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
});
