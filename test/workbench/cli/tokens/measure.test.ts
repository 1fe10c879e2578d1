import { expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/util/tokens.ts';
import { definitionsOf, MEASURED_MODES, measure } from '../../../../src/workbench/cli/costs.ts';
import { realTools } from '../../../support/real-tools.ts';

const tools = Object.fromEntries(
  realTools()
    .slice(0, 120)
    .map((tool) => [tool.id, tool]),
);
const asked = [
  { query: 'create an issue in a github repository', relevant: ['github_create_issue'] },
  { query: 'list the issues of a repository', relevant: ['github_list_issues'] },
];

it('reads off a real processor what each mode sends', async () => {
  const sent = await definitionsOf({ tools });
  expect(sent).toHaveLength(120);
  const tokensOf = new Map(sent.map((tool) => [tool.name, estimateTokens(JSON.stringify(tool))]));
  const all = new Map<string, Awaited<ReturnType<typeof measure>>>();
  for (const mode of MEASURED_MODES) {
    all.set(
      mode.name,
      await measure(
        mode,
        { tools },
        asked,
        (name) => tokensOf.get(name) ?? 0,
        () => {},
      ),
    );
  }
  const of = (name: string): Awaited<ReturnType<typeof measure>> => all.get(name)!;
  const mean = asked.reduce((sum, { relevant: [name = ''] }) => sum + (tokensOf.get(name) ?? 0), 0) / asked.length;
  // One tool is loaded of what was found; with autoLoad all of it is, and with the other two modes none.
  expect(of('load').loaded).toBe(mean);
  expect(of('load, autoLoad').loaded).toBeGreaterThan(2 * mean);
  expect([of('call').loaded, of('native, Anthropic').loaded]).toEqual([0, 0]);
  expect(MEASURED_MODES.map(({ name }) => of(name).load > 0)).toEqual([true, false, true, false, false, false]);
  // Without load_tool, there is less to define; results in call mode have definitions.
  expect(of('load, autoLoad').definitions).toBeLessThan(of('load').definitions);
  expect(of('call').search).toBeGreaterThan(of('load').search);
  // What the provider refers to has whole definitions: of what is found, those that autoLoad loads.
  expect(of('native, Anthropic').search).toBeGreaterThan(of('load, autoLoad').loaded);
  expect(of('native, Anthropic').definitions).toBeLessThan(of('load').definitions);
  for (const name of ['load, preselect', 'call, preselect']) {
    expect(of(name).hits).toBeGreaterThan(0);
    expect(of(name).preselected).toBeGreaterThan(0);
  }
  for (const { system, search, definitions } of all.values())
    for (const tokens of [system, search, definitions]) expect(tokens).toBeGreaterThan(0);
});
