import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { others } from '../examples/demo/ways.ts';

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

it('the README shows examples/quick-start.ts, byte for byte, as its first code', () => {
  const example = /\/\/ README:start\n([\s\S]*?)\/\/ README:end\n/.exec(read('examples/quick-start.ts'))?.[1];
  const firstCode = /```ts\n([\s\S]*?)```\n/.exec(read('README.md'))?.[1];
  expect(firstCode).toBe(example);
});

it('the README and docs/performance.md have a row with the same figures for each way of the demo', () => {
  const figures = (path: string, heading: string): readonly string[] => {
    const [, table = ''] = read(path).split(heading);
    const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
    // Model calls, definitions, all tokens; the last column is what no cache has.
    return rows.map((row) => (row.match(/(?<=\| )[\d,]+(?= \|)/g) ?? []).join(' '));
  };
  const inReadme = figures('README.md', '| | Take it where |');
  const inPage = figures('docs/performance.md', '| | model calls | definitions |').map((row) => {
    const [calls, definitions, all, , anew] = row.split(' ');
    return [calls, definitions, all, anew].join(' ');
  });
  expect(inPage).toHaveLength(others.length + 2);
  // What core takes without threads is a sentence of the README.
  const left = inPage.filter((row) => !inReadme.includes(row));
  expect(left).toEqual(['18 10,261 23,104 9,175']);
  expect(inReadme.filter((row) => !inPage.includes(row))).toEqual([]);
  expect(read('README.md')).toContain('23,104');
});

it('docs/tools-per-user.md gives MCP servers the time that examples/per-user-tools.ts gives them, as a cold one takes it', () => {
  for (const path of ['docs/tools-per-user.md', 'examples/per-user-tools.ts']) {
    const text = read(path);
    expect(text).toContain('listToolsWithErrors({ perServerTimeoutMs: 30_000 })');
    expect(text).toContain('timeouts: { tools: 35_000 },');
    expect(text).toContain('.disconnect()');
  }
});
