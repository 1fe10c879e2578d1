import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunPage, runPage } from './run-page.ts';

describe('docs/getting-started.md, done as it is printed', () => {
  /** The package as it is installed, but read from its source. test/package/smoke.mjs runs the page with what is published. */
  const packed = mkdtempSync(path.join(tmpdir(), 'packed-'));
  let page: RunPage | undefined;

  beforeAll(async () => {
    const source = new URL('../../src/index.ts', import.meta.url);
    writeFileSync(path.join(packed, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
    writeFileSync(path.join(packed, 'index.js'), `export * from '${source.href}';\n`);
    page = await runPage('docs/getting-started.md', packed);
  });
  afterAll(() => {
    page?.remove();
    rmSync(packed, { recursive: true });
  });

  it('prints what it says', () => {
    const told = page?.blocks.filter(({ said }) => said.length > 0) ?? [];
    expect(told.map(({ commands }) => commands)).toEqual([
      ['node search.ts'],
      ['node main.ts'],
      ['node --test office.test.ts'],
    ]);
    // Around the lines of tests, `node --test` tells what servers say, and counts.
    const own = told.map(({ printed, said }) => printed.filter((line) => said.includes(line)));
    expect(own).toEqual(told.map(({ said }) => said));
    expect(told.slice(0, 2).map(({ printed }) => printed)).toEqual(told.slice(0, 2).map(({ said }) => [...said, '']));
  });

  it('has real servers do what the users ask', () => {
    expect(page?.file('tea.txt')).toBe('Tea at six.');
    expect(page?.file('bob.jsonl')).toContain('likes tea');
    expect(() => page?.file('ada.jsonl')).toThrow('ENOENT');
  });
});
