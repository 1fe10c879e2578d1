import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { READ_TYPESCRIPT } from './support/new-process.ts';
import type { RunReport } from './support/run-reporter.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'run-'));
  mkdirSync(path.join(folder, 'test/support'), { recursive: true });
  for (const file of ['run.ts', 'support/run-reporter.ts'])
    cpSync(path.join(import.meta.dirname, file), path.join(folder, 'test', file));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fine = { passed: 7, failed: 0, notRun: 0, skipped: {}, failures: [] };

/** Runs `npm test` of a project with these scripts, whose tests come to `report` and the exit code. */
async function run(
  args: readonly string[],
  scripts: Readonly<Record<string, string>>,
  report: RunReport | undefined = fine,
  { code = report?.failed ? 1 : 0, seen = (_line: string, _end: () => void): void => {} } = {},
) {
  const text = JSON.stringify(JSON.stringify(report));
  const written = report && `require('fs').writeFileSync(process.env.TEST_REPORT, ${text});`;
  writeFileSync(path.join(folder, 'unit.cjs'), `${written ?? ''} process.exit(${code});`);
  const all = { lint: 'echo lint', types: 'echo types', 'test:unit': 'node unit.cjs', 'test:docs': 'echo docs' };
  const manifest = { type: 'module', scripts: { ...all, 'test:package': 'echo package', ...scripts } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const child = spawn(process.execPath, [...READ_TYPESCRIPT, 'test/run.ts', ...args], { cwd: folder });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += String(data);
    seen(output, () => child.kill('SIGINT'));
  });
  child.stderr.on('data', (data: Buffer) => (output += String(data)));
  const ended = await new Promise<number | null>((resolve) => child.once('close', resolve));
  // How long each took is another thing each time.
  const lines = output
    .trimEnd()
    .replaceAll(/\b\d+ s\b/g, 'N s')
    .split('\n');
  return { code: ended, lines, last: lines.slice(lines.findIndex((line) => / of \d+ stages? in /.test(line))) };
}

it('runs every stage, and ends with what each came to', async () => {
  const { code, last } = await run([], {});
  expect(code).toBe(0);
  expect(last).toEqual([
    '== 4 of 4 stages in N s',
    'passed  lint: N s',
    'passed  types: N s',
    'passed  unit: N s, 7 tests passed, 0 failed',
    '  Nothing skipped.',
    'passed  package: N s',
    'left to CI: wide, docs, compatibility, nodes, demo, demo-postgres (npm test -- --ci)',
    '10 passed, 0 failed',
  ]);
});

it('runs what comes after a stage that fails, and says what failed, was not run and was skipped', async () => {
  const report = {
    passed: 5,
    failed: 2,
    notRun: 31,
    skipped: { 'Chromium is not installed': 3, 'the clock cannot be moved': 1 },
    failures: [
      { where: 'a.test.ts: a hook of "a server"', message: 'Hook timed out in 300000ms.' },
      { where: 'b.test.ts: adds', message: 'expected 1 to be 2\n\n- 2\n+ 1\nmore\nand more' },
    ],
  };
  const { code, lines, last } = await run([], { lint: 'exit 3' }, report);
  expect(code).toBe(1);
  expect(lines.join('\n')).toContain('> echo package\n\npackage\n');
  expect(last).toEqual([
    '== 4 of 4 stages in N s',
    'FAILED  lint: N s, it ended with exit code 3',
    'passed  types: N s',
    'FAILED  unit: N s, 5 tests passed, 2 failed',
    '  FAILED: a.test.ts: a hook of "a server"',
    '    Hook timed out in 300000ms.',
    '  FAILED: b.test.ts: adds',
    ...['    expected 1 to be 2', '    - 2', '    + 1', '    more'],
    '  Not run because a hook or a file failed: 31 tests.',
    '  Skipped for want of a program: 3 (Chromium is not installed). Install it to run them.',
    '  Skipped on purpose: 1 (the clock cannot be moved).',
    'passed  package: N s',
    'left to CI: wide, docs, compatibility, nodes, demo, demo-postgres (npm test -- --ci)',
    '7 passed, 3 failed',
  ]);
});

it.each([
  ['no test ran', { ...fine, passed: 0 }, 0, 'FAILED  unit: N s, 0 tests passed, 0 failed, no test ran'],
  ['they ended badly', fine, 1, 'FAILED  unit: N s, 7 tests passed, 0 failed, it ended with exit code 1'],
])('fails where %s', async (_, report, exit, line) => {
  const { code, last } = await run(['unit'], {}, report, { code: exit });
  expect([code, last[1], last.at(-1)]).toEqual([1, line, `${report.passed} passed, 1 failed`]);
});

it('runs the stages that are named, and refuses what is none', async () => {
  const some = await run(['docs', 'lint'], {});
  expect(some.last).toEqual([
    '== 2 of 2 stages in N s',
    'passed  lint: N s',
    'passed  docs: N s',
    '2 passed, 0 failed',
  ]);
  const none = await run(['dogs'], {});
  expect([none.code, none.lines[0]]).toEqual([
    2,
    expect.stringContaining('"dogs" is no stage. There are lint, types,'),
  ]);
});

it('runs what CI runs over the build that is there', async () => {
  const built = 'npm run build --silent && echo';
  const scripts = { demo: `${built} demo`, 'example:one': `${built} one`, 'test:compatibility': `${built} pairs` };
  const { last, lines } = await run(['--ci'], {
    ...scripts,
    'test:nodes': 'echo nodes',
    'test:wide': 'node unit.cjs',
  });
  expect(lines).toEqual(
    expect.arrayContaining(['pairs', 'demo', 'demo --source postgres', 'one', '== demo: echo demo']),
  );
  expect(last.slice(-9)).toEqual([
    'passed  wide: N s, 7 tests passed, 0 failed',
    '  Nothing skipped.',
    'passed  docs: N s',
    'passed  compatibility: N s',
    'passed  nodes: N s',
    'passed  demo: N s',
    'passed  demo-postgres: N s',
    'passed  example:one: N s',
    '23 passed, 0 failed',
  ]);
});

it('says what it did not run when it is broken off', async () => {
  let isEnded = false;
  const seen = (output: string, end: () => void): void => {
    if (isEnded || !output.includes('typing')) return;
    isEnded = true;
    end();
  };
  const { code, last } = await run(['lint', 'types', 'docs'], { types: 'echo typing && sleep 1' }, fine, { seen });
  expect(code).toBe(130);
  expect(last).toEqual([
    '== 2 of 3 stages in N s',
    'passed  lint: N s',
    'FAILED  types: N s, broken off by SIGINT',
    'not run docs',
    '1 passed, 1 failed',
  ]);
});
