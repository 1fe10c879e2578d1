import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

it('the README shows examples/quick-start.ts, byte for byte, as its first code', () => {
  const example = /\/\/ README:start\n([\s\S]*?)\/\/ README:end\n/.exec(read('examples/quick-start.ts'))?.[1];
  const firstCode = /```ts\n([\s\S]*?)```\n/.exec(read('README.md'))?.[1];
  expect(firstCode).toBe(example);
});

it('docs/tools-per-user.md gives MCP servers the time that examples/per-user-tools.ts gives them, as a cold one takes it', () => {
  for (const path of ['docs/tools-per-user.md', 'examples/per-user-tools.ts']) {
    const text = read(path);
    expect(text).toContain('listToolsWithErrors({ perServerTimeoutMs: 30_000 })');
    expect(text).toContain('timeouts: { tools: 35_000 },');
    expect(text).toContain('.disconnect()');
  }
});
