import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { askNewProcess } from './new-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'new-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that answers with what this expression makes of `message`. */
function programOf(expression: string): URL {
  const path = join(folder, `${Math.random()}.mjs`);
  const helper = new URL('./new-process.ts', import.meta.url).href;
  writeFileSync(path, `import { answerParent } from '${helper}';\nanswerParent(async (message) => ${expression});\n`);
  return pathToFileURL(path);
}

describe('a new process', () => {
  it('answers, however long its answer and however busy this process is then', async () => {
    const answer = askNewProcess<string>(programOf('message.repeat(1_000)'), 't');
    const end = performance.now() + 1_000;
    await new Promise((resolve) => setTimeout(resolve, 100));
    while (performance.now() < end);
    expect((await answer).length).toBe(1_000);
  });

  it('has the parent told what it threw, or that it ended', async () => {
    await expect(askNewProcess(programOf('missing'), '')).rejects.toThrow('missing is not defined');
    await expect(askNewProcess(programOf('process.exit(3)'), '')).rejects.toThrow('The new process ended with 3');
  });
});
