import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

it('shows examples/quick-start.ts, byte for byte, as the first code of the README', () => {
  const example = /\/\/ README:start\n([\s\S]*?)\/\/ README:end\n/.exec(read('examples/quick-start.ts'))?.[1];
  const firstCode = /```ts\n([\s\S]*?)```\n/.exec(read('README.md'))?.[1];
  expect(firstCode).toBe(example);
});
