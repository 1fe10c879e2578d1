/**
 * Runs the checks: those that run tests one after the other, and beside them the others, each whatever came of those before.
 * Tells in the last lines which passed, failed, were left out and why:
 *
 *     npm test                  lint, types, unit and package, in three minutes
 *     npm test -- types wide    some of all
 *     npm test -- --ci          all, those of CI too
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { leftOut, type RunReport, timeOf } from './support/run-reporter.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

interface Stage {
  readonly name: string;
  /** The script of package.json. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Waits for its own child processes for much of its time: it runs beside the others, which each take one processor. */
  readonly runsTests?: true;
  /** Runs over the build that the stage `package` leaves. */
  readonly isBuilt?: true;
}

const STAGES: readonly Stage[] = [
  { name: 'lint', script: 'lint' },
  { name: 'types', script: 'types' },
  { name: 'unit', script: 'test:unit', runsTests: true },
  { name: 'package', script: 'test:package' },
];

const STAGES_OF_CI: readonly Stage[] = [
  // What takes long: vitest.config.ts names it.
  { name: 'wide', script: 'test:wide', runsTests: true },
  { name: 'docs', script: 'test:docs' },
  { name: 'compatibility', script: 'test:compatibility', isBuilt: true },
  { name: 'nodes', script: 'test:nodes', args: ['--divide'], runsTests: true },
  { name: 'demo', script: 'demo', isBuilt: true },
  { name: 'demo-postgres', script: 'demo', args: ['--source', 'postgres'], isBuilt: true },
  ...Object.keys(scripts)
    .filter((script) => script.startsWith('example:'))
    .map((script) => ({ name: script, script, isBuilt: true as const })),
];

interface Outcome {
  readonly stage: Stage;
  readonly milliseconds: number;
  /** Undefined where it passed. */
  readonly fault: string | undefined;
  /** Of a stage that runs tests. */
  readonly tests: RunReport | undefined;
}

/** The signal that ended the run before its end. */
let interruption: NodeJS.Signals | undefined;

/** @param isBeside - keeps what the stage prints until it ends, so that lines of two stages are not mixed. */
async function run(stage: Stage, isBeside: boolean): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-report-'));
  const report = path.join(folder, 'report.json');
  const command = [
    stage.isBuilt ? unbuilt(stage.script) : `npm run ${stage.script}${stage.args ? ' --' : ''}`,
    ...(stage.args ?? []),
  ].join(' ');
  const title = `\n== ${stage.name}: ${command}`;
  if (!isBeside) console.log(title);
  const start = Date.now();
  try {
    const bin = path.join(root, 'node_modules', '.bin');
    const PATH = `${bin}${path.delimiter}${process.env['PATH']}`;
    const { fault, output } = await endOf(command, { ...process.env, PATH, TEST_REPORT: report }, isBeside);
    if (isBeside) console.log(`${title}\n${output}`);
    const tests = read(report);
    return { stage, milliseconds: Date.now() - start, fault: faultOf(fault, tests), tests };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The report of a stage that ran tests to their end. */
function read(report: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as RunReport;
  } catch {
    return undefined;
  }
}

/** A script without its build, which would be the same again. */
const unbuilt = (script: string): string =>
  (scripts[script] ?? '')
    .split(' && ')
    .filter((part) => !part.startsWith('npm run build'))
    .join(' && ');

/** Why a command failed, or undefined, and what it printed where that is kept. */
function endOf(
  command: string,
  env: NodeJS.ProcessEnv,
  isKept: boolean,
): Promise<{ fault: string | undefined; output: string }> {
  return new Promise((resolve) => {
    const to = isKept ? 'pipe' : 'inherit';
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', to, to] });
    const printed: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => printed.push(data));
    const end = (fault: string | undefined): void => resolve({ fault, output: Buffer.concat(printed).toString() });
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => {
      if (interruption !== undefined) end(`broken off by ${interruption}`);
      else end(code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`);
    });
  });
}

/** A run of tests that ran none has shown nothing. */
function faultOf(fault: string | undefined, tests: RunReport | undefined): string | undefined {
  if (fault !== undefined || tests === undefined) return fault;
  if (tests.failed > 0) return `${tests.failed} failed`;
  return tests.passed === 0 ? 'no test ran' : undefined;
}

function linesOf({ stage, milliseconds, fault, tests }: Outcome): string[] {
  const counts = tests === undefined ? [] : [`${tests.passed} tests passed`, `${tests.failed} failed`];
  const said = [
    timeOf(milliseconds),
    ...counts,
    ...(fault === undefined || (tests?.failed && interruption === undefined) ? [] : [fault]),
  ].join(', ');
  const failures = (tests?.failures ?? []).flatMap(({ where, message }) => {
    const lines = message.split('\n').filter((line) => line.trim() !== '');
    return [`FAILED: ${where}`, ...lines.slice(0, 4).map((line) => `  ${line.slice(0, 500)}`)];
  });
  const more = tests === undefined ? [] : [...failures, ...leftOut(tests)];
  return [`${fault === undefined ? 'passed' : 'FAILED'}  ${stage.name}: ${said}`, ...more.map((line) => `  ${line}`)];
}

/** The stages that were asked for. */
function chosen(args: readonly string[]): readonly Stage[] {
  const all = [...STAGES, ...STAGES_OF_CI];
  const names = args.filter((argument) => argument !== '--ci');
  const unknown = names.find((name) => !all.some((stage) => stage.name === name));
  if (unknown !== undefined) {
    console.error(`"${unknown}" is no stage. There are ${all.map(({ name }) => name).join(', ')}; --ci runs all.`);
    process.exit(2);
  }
  if (args.includes('--ci')) return all;
  return names.length > 0 ? all.filter(({ name }) => names.includes(name)) : STAGES;
}

/** Each test counts, and each other stage. */
function totals(outcomes: readonly Outcome[]): { passed: number; failed: number } {
  let [passed, failed] = [0, 0];
  for (const { fault, tests } of outcomes) {
    passed += tests?.passed ?? (fault === undefined ? 1 : 0);
    failed += Math.max(tests?.failed ?? 0, fault === undefined ? 0 : 1);
  }
  return { passed, failed };
}

const stages = chosen(process.argv.slice(2));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // What runs is told by the terminal too. Who asks again does not want to wait for it.
    if (interruption !== undefined) process.exit(128 + constants.signals[signal]);
    interruption = signal;
  });
}

const start = Date.now();
const ended = new Map<Stage, Outcome>();
const runsTests = stages.some((stage) => stage.runsTests);
await Promise.all(
  [true, undefined].map(async (lane) => {
    for (const stage of stages.filter((one) => one.runsTests === lane))
      if (interruption === undefined) ended.set(stage, await run(stage, runsTests && !lane));
  }),
);
const outcomes = stages.flatMap((stage) => ended.get(stage) ?? []);

const { passed, failed } = totals(outcomes);
const left = stages.filter((stage) => !ended.has(stage)).map(({ name }) => name);
console.log(`\n== ${outcomes.length} of ${stages.length} stages in ${timeOf(Date.now() - start)}`);
for (const line of outcomes.flatMap(linesOf)) console.log(line);
if (left.length > 0) console.log(`not run ${left.join(', ')}`);
if (process.argv.length === 2)
  console.log(`left to CI: ${STAGES_OF_CI.map(({ name }) => name).join(', ')} (npm test -- --ci)`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = interruption ? 128 + constants.signals[interruption] : failed > 0 || passed === 0 ? 1 : 0;
