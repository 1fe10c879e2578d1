import { lint } from 'mastra-tool-search/evaluate';
import { expect, it } from 'vitest';
import { tool, toolRecord } from '../../support/harness.ts';

const sheets = [
  'add_table_row',
  'delete_table_row',
  'style_table_column',
  'count_table_columns',
  'join_table_cells',
].map((name) => tool(name, `Changes a row of the table, a column of the table, or two tables: ${name}.`));
const found = async (...more: ReturnType<typeof tool>[]) => {
  const findings = await lint(toolRecord(...more, ...sheets));
  return findings.filter(({ rule }) => rule === 'generic-tool');
};

it('says which wishes a generic tool loses, and which keywords win them', async () => {
  const [finding, ...others] = await found(tool('db_exec', 'Runs a statement.'));
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ severity: 'info', toolName: 'db_exec', path: 'description' });
  expect(finding?.evidence).toContain('"add a row to a table"');
  const setting = /search\.keywords: (\{ .* \})\.$/.exec(finding?.remedy ?? '')?.[1] ?? '';
  const { db_exec: keywords = [] } = JSON.parse(setting) as { db_exec?: string[] };
  expect(keywords.length).toBeGreaterThan(0);
  const findings = await lint(toolRecord(tool('db_exec', 'Runs a statement.'), ...sheets), {
    keywords: { db_exec: keywords },
  });
  expect(findings.filter(({ rule }) => rule === 'generic-tool')).toEqual([]);
});

it.each([
  {
    why: 'a tool that is found by them',
    tools: [tool('kubectl_get', 'Lists pods, nodes and deployments of a namespace; which of them crash.')],
  },
  { why: 'a tool of one purpose', tools: [tool('create_invoice', 'Creates an invoice.')] },
])('says nothing of $why', async ({ tools }) => {
  expect(await found(...tools)).toEqual([]);
});
