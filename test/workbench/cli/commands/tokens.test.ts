import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { toolTokens } from '../../../../src/inspect/document.ts';
import { inspectTools } from '../../../../src/inspect/inspect-tools.ts';
import { catalogOf } from '../../../../src/workbench/evaluate/cases.ts';
import { realTools } from '../../../support/real-tools.ts';
import { scriptedModel } from '../../../support/scripted-model.ts';
import { json, office, run, runOn, widest, withFiles } from '../command.ts';

interface Cost {
  readonly mode: string;
  readonly calls: number;
  readonly first: number;
  readonly tokens: number;
  readonly saved: number;
}
/** What `tokens` says of each mode, by its name. */
const modesOf = ({ modes }: { modes: readonly Cost[] }) => Object.fromEntries(modes.map((one) => [one.mode, one]));

it('tells what each mode costs, by server and by tool', () => {
  const tools = office.map((tool, at) => ({ ...tool, mcpMetadata: { serverName: at === 1 ? 'weather' : 'office' } }));
  return withFiles({ 'tools.json': tools }, async () => {
    const told = await json('tokens tools.json');
    const [email, message, weather] = told.heaviest.map(({ tokens }: Cost) => tokens);
    expect([email > message, message > weather, weather > 10]).toEqual([true, true, true]);
    expect(told).toMatchObject({
      ...{ catalog: 'tools.json', tools: 3, tokens: email + weather + message, queries: 3 },
      conversation: { calls: 3, used: 1, prompt: 1_000 },
      servers: [
        { server: 'office', tools: 2, tokens: email + message },
        { server: 'weather', tools: 1, tokens: weather },
      ],
      heaviest: [{ tool: 'send_email' }, { tool: 'post_message' }, { tool: 'get_weather' }],
    });
    expect(told.modes.map(({ mode }: Cost) => mode)).toEqual([
      ...['all sent', 'load', 'load, autoLoad', 'load, preselect', 'call', 'call, preselect', 'native, Anthropic'],
    ]);
    const [all, load] = told.modes;
    expect(all).toMatchObject({ calls: 3, tokens: 3 * (1_000 + told.tokens), saved: 0 });
    // Three tools are not worth a search: it costs more.
    expect([load.calls, load.saved < 0]).toEqual([5, true]);
    const many = Array.from({ length: 100 }, (_, at) => {
      return { ...office[at % 3], name: `${office[at % 3]?.name}_${at}` };
    });
    const larger = await withFiles({ 'tools.json': many }, () => json('tokens tools.json --samples 5'));
    expect(larger.tokens).toBeGreaterThan(told.tokens);
    expect(larger.modes[1].saved).toBeGreaterThan(0);
  });
});

it('says that its queries are words of the tools themselves, where there are no cases', () =>
  withFiles({ 'tools.json': office, 'cases.json': [{ query: 'mail', relevant: ['send_email'] }] }, async () => {
    const said = 'The queries are first sentences of the tools themselves';
    expect((await run('tokens tools.json')).stdout).toContain(said);
    expect((await run('tokens tools.json --cases cases.json')).stdout).not.toContain(said);
    expect(await json('tokens tools.json')).toMatchObject({ queriesOf: 'tools' });
    expect(await json('tokens tools.json --cases cases.json')).toMatchObject({ queriesOf: 'cases' });
  }));

it('reads off a real processor what each mode sends', () => {
  const cases = [
    { query: 'create an issue in a github repository', relevant: ['github_create_issue'] },
    { query: 'list the issues of a repository', relevant: ['github_list_issues'] },
  ];
  const tools = realTools().slice(0, 120);
  const listed = tools.map(({ id, description, inputSchema }) => ({ name: id, description, inputSchema }));
  return withFiles({ 'tools.json': listed, 'cases.json': cases }, async () => {
    const told = await json('tokens tools.json --cases cases.json');
    expect(told.queries).toBe(2);
    const of = modesOf(told);
    const first = (mode: string): number => of[mode]?.first ?? 0;
    const calls = (mode: string): number => of[mode]?.calls ?? 0;
    // Without load_tool, there is less to define; with preselection, a first call has definitions, and some search is saved.
    expect(first('load, autoLoad')).toBeLessThan(first('load'));
    expect(first('load, preselect')).toBeGreaterThan(first('load'));
    expect(calls('load, preselect')).toBeLessThan(calls('load'));
    expect(calls('call, preselect')).toBeLessThan(calls('call'));
    expect(first('native, Anthropic')).toBeLessThan(first('load'));
    // All that is found is loaded; what the provider refers to has whole definitions.
    expect(of['load, autoLoad']?.tokens).toBeGreaterThan(of['call']?.tokens ?? 0);
    expect(told.modes.map((one: Cost) => one.calls)).toEqual([
      ...[3, 5, 4, expect.any(Number), 4, expect.any(Number), 4],
    ]);
    for (const { tokens } of told.modes) expect(tokens).toBeGreaterThan(0);
  });
});

it('counts a conversation request by request', () =>
  withFiles({ 'tools.json': office }, async () => {
    const of = async (used: number, prompt = 1_000) =>
      modesOf(await json(`tokens tools.json --samples 1 --calls 3 --used ${used} --prompt ${prompt}`));
    const [unused, once, twice, long] = [await of(0), await of(1), await of(2), await of(1, 10_000)];
    for (const mode of ['all sent', 'load', 'call']) {
      expect(unused[mode]).toMatchObject({ calls: 3, tokens: 3 * (unused[mode]?.first ?? 0) });
      const [one, other] = [once[mode]!, long[mode]!];
      expect(other.tokens - one.tokens).toBe(9_000 * one.calls);
    }
    expect(['all sent', 'call', 'load'].map((mode) => once[mode]?.calls)).toEqual([3, 4, 5]);
    expect(['all sent', 'call', 'load'].map((mode) => twice[mode]?.calls)).toEqual([3, 5, 7]);
  }));

it('counts definitions as the page of the inspector and the events do', async () => {
  const tools = realTools().slice(0, 100);
  const listed = tools.map(({ id, ...tool }) => ({ ...tool, name: id, description: ` ${tool.description}\n` }));
  const sent: number[] = [];
  const processor = new ToolSearchProcessor({
    tools: Object.fromEntries(listed.map((tool) => [tool.name, tool])) as never,
    passthroughBelow: 1_000,
    onEvent: (event) => event.type === 'step' && sent.push(event.tokensSent),
  });
  const model = scriptedModel(() => ({ text: 'Done.' }));
  const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, inputProcessors: [processor] });
  await agent.generate('Hello');
  await withFiles({ 'tools.json': listed }, async () => {
    const { tokens, heaviest } = await json('tokens tools.json --samples 1');
    const page = new Map(inspectTools(catalogOf(listed)).map((tool) => [tool.name, toolTokens(tool)]));
    expect(new Map(heaviest.map((one: { tool: string; tokens: number }) => [one.tool, one.tokens]))).toEqual(page);
    // The event of a large catalog waits until its tokens are counted.
    await expect.poll(() => sent).toEqual([tokens]);
  });
});

it('prints a table of 80 columns, and what it assumes', async () => {
  const { code, stdout } = await runOn({ 'tools.json': office }, 'tokens tools.json --calls 10 --used 3 --top 1');
  expect(code).toBe(0);
  expect(widest(stdout)).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(
    /^tools\.json: 3 tools, \d+ tokens, \d+ a tool\n\nmode +calls +first call +conversation +saved\nall sent +10\.0 +1,\d+ +11,\d+\nload +16\.0 /,
  );
  expect(stdout).toContain('A conversation: 10 model calls (--calls) over 1,000 tokens of');
  expect(stdout.match(/^send_email .*\d+ %/gm)).toHaveLength(1);
  const head = '| mode | calls | first call | conversation | saved |';
  expect((await runOn({ 'tools.json': office }, 'tokens tools.json --markdown')).stdout).toContain(head);
});
