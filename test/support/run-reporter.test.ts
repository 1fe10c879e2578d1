import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { RunReport } from './run-reporter.ts';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const REPORTER = fileURLToPath(new URL('./run-reporter.ts', import.meta.url));

/** Runs these test files, which import nothing, with a line of progress each so many milliseconds. */
async function runOf(files: Readonly<Record<string, string>>, every = 60_000, more: readonly string[] = []) {
  const folder = mkdtempSync(path.join(tmpdir(), 'run-reporter-'));
  try {
    const report = path.join(folder, 'report.json');
    const reporters = `['minimal', new RunReporter(${every}, ${JSON.stringify(report)})]`;
    const config = `import { RunReporter } from ${JSON.stringify(REPORTER)};
      export default { test: { globals: true, hookTimeout: 200, maxWorkers: 1, reporters: ${reporters} } };`;
    writeFileSync(path.join(folder, 'vitest.config.ts'), config);
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, `${name}.test.js`), content);
    const output = await new Promise<string>((resolve) => {
      const args = [VITEST, 'run', '--root', folder, ...more];
      execFile(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }, (_, stdout) =>
        resolve(stdout),
      );
    });
    return { lines: output.trimEnd().split('\n'), report: JSON.parse(readFileSync(report, 'utf8')) as RunReport };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const passes = `it('passes', () => {});`;

it('tells tests that a hook kept from running apart from those that are skipped, by the reason', async () => {
  const { lines, report } = await runOf({
    hook: `describe('a server', () => { beforeAll(() => new Promise(() => {})); it('one', () => {}); it('two', () => {}); });`,
    service: `describe.skip('a store, skipped: Redis is not installed', () => { ${passes} });`,
    purpose: `it('rests', ({ skip }) => skip('the clock cannot be moved')); it.skip('is silent', () => {});`,
    broken: `throw new Error('no such file');`,
    fails: `${passes} it('fails', () => expect(1).toBe(2));`,
  });
  expect(report).toMatchObject({ passed: 1, failed: 3, notRun: 2 });
  expect(report.skipped).toEqual({
    'Redis is not installed': 1,
    'the clock cannot be moved': 1,
    'without a reason': 1,
  });
  expect(report.failures.map(({ where, message }) => [where, message.split('\n')[0]]).sort()).toEqual([
    ['broken.test.js: the file or a hook of it', 'no such file'],
    ['fails.test.js: fails', 'expected 1 to be 2 // Object.is equality'],
    ['hook.test.js: a hook of "a server"', 'Hook timed out in 200ms.'],
  ]);
  expect(lines.slice(-3)).toEqual([
    'Not run because a hook or a file failed: 2 tests.',
    'Skipped for want of a program: 1 (Redis is not installed). Install it to run them.',
    'Skipped on purpose: 1 (the clock cannot be moved), 1 (without a reason).',
  ]);
});

it('says that tests were not asked for, where some are picked by name', async () => {
  const { lines } = await runOf({ two: `${passes} it('other', () => {});` }, 60_000, ['-t', 'passes']);
  expect(lines).toContain('Skipped on purpose: 1 (not asked for).');
});

it('tells the progress while tests run, and does not ask to install anything where nothing is missing', async () => {
  const waits = `it('waits', () => new Promise((resolve) => setTimeout(resolve, 1_000)));`;
  const { lines, report } = await runOf({ passes, waits }, 20);
  const progress = lines.filter((line) => / of 2 files; tests: /.test(line));
  expect(progress[0]).toMatch(/^\d+ s: [01] of 2 files; tests: [01] passed, 0 failed, 0 skipped$/);
  expect(progress.at(-1)).toMatch(/^\d+ s: [12] of 2 files; tests: [12] passed, 0 failed, 0 skipped$/);
  expect(report).toEqual({ passed: 2, failed: 0, skipped: {}, notRun: 0, failures: [] });
  expect(lines.at(-1)).toBe('Nothing skipped.');
});
