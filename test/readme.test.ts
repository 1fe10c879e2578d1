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

it('the README has a row for each way of the demo', () => {
  const [, table = ''] = read('README.md').split('| | Take it where |');
  const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  // Model calls, definitions, all tokens, and what no cache has.
  for (const row of rows) expect(row.match(/(?<=\| )[\d,]+(?= \|)/g)).toHaveLength(4);
  // What core takes without threads is a sentence below the table.
  expect(rows).toHaveLength(others.length + 1);
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
