import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/** What a run came to, as it is told and written. */
export interface RunReport {
  /** Tests. */
  passed: number;
  /** Tests that failed, and files, hooks and the run itself where they did. */
  failed: number;
  /** Tests that were left out on purpose or because something is not installed: how many, by the reason. */
  skipped: Record<string, number>;
  /** Tests that nobody ran because the hook before them failed. */
  notRun: number;
  failures: { where: string; message: string }[];
}

/** Counts that the progress of a run is told by. */
type Counts = Pick<RunReport, 'passed' | 'failed'> & { files: number; skipped: number };

/**
 * Tells every half minute how far a run is, and in its last lines what it left out and why: something that is not
 * installed, a hook that failed, or a reason of its own. Writes the same as JSON where `TEST_REPORT` says.
 */
export class RunReporter implements Reporter {
  readonly #every: number;
  readonly #report: string | undefined;
  #isPart = false;
  #progress: NodeJS.Timeout | undefined;

  /** @param every - milliseconds between two lines of progress. */
  constructor(every = 30_000, report: string | undefined = process.env['TEST_REPORT']) {
    this.#every = every;
    this.#report = report;
  }

  onInit(vitest: Vitest): void {
    this.#isPart = vitest.config.testNamePattern !== undefined;
  }

  #counts: Counts = { files: 0, passed: 0, failed: 0, skipped: 0 };

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#counts = { files: 0, passed: 0, failed: 0, skipped: 0 };
    const start = Date.now();
    clearInterval(this.#progress);
    this.#progress = setInterval(() => {
      const { files, passed, failed, skipped } = this.#counts;
      const tests = `tests: ${passed} passed, ${failed} failed, ${skipped} skipped`;
      console.log(`${timeOf(Date.now() - start)}: ${files} of ${specifications.length} files; ${tests}`);
    }, this.#every);
    this.#progress.unref();
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state !== 'pending') this.#counts[state]++;
  }

  onTestModuleEnd(): void {
    this.#counts.files++;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    clearInterval(this.#progress);
    const report = reportOf(modules, errors, this.#isPart);
    if (this.#report !== undefined) writeFileSync(this.#report, JSON.stringify(report));
    for (const line of leftOut(report)) console.log(line);
  }
}

/** "12 min 3 s" */
export function timeOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Lines about the tests that did not run. */
export function leftOut({ skipped, notRun, failures }: Omit<RunReport, 'passed' | 'failed'>): string[] {
  const reasons = Object.entries(skipped);
  const missing = reasons.filter(([reason]) => MISSING.test(reason));
  const listed = (some: typeof reasons): string => some.map(([reason, count]) => `${count} (${reason})`).join(', ');
  const others = reasons.filter(([reason]) => !MISSING.test(reason));
  return [
    ...(notRun > 0 ? [`Not run because a hook or a file failed: ${notRun} tests.`] : []),
    ...(missing.length > 0 ? [`Skipped for want of a program: ${listed(missing)}. Install it to run them.`] : []),
    ...(others.length > 0 ? [`Skipped on purpose: ${listed(others)}.`] : []),
    ...(notRun === 0 && reasons.length === 0 && failures.length === 0 ? ['Nothing skipped.'] : []),
  ];
}

const MISSING = / is not installed/;

function reportOf(modules: readonly TestModule[], errors: readonly SerializedError[], isPart: boolean): RunReport {
  const report: RunReport = { passed: 0, failed: 0, skipped: {}, notRun: 0, failures: [] };
  const fail = (where: string, faults: readonly { message: string }[]): void => {
    report.failed++;
    report.failures.push({ where, message: faults.map(({ message }) => message).join('\n') });
  };
  for (const module of modules) {
    const file = relative('', module.moduleId);
    for (const suite of [module, ...module.children.allSuites()]) {
      const title = suite.type === 'module' ? 'the file or a hook of it' : `a hook of "${suite.fullName}"`;
      if (suite.errors().length > 0) fail(`${file}: ${title}`, suite.errors());
    }
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === 'passed') report.passed++;
      else if (result.state === 'failed') fail(`${file}: ${test.fullName}`, result.errors);
      else {
        const reason = reasonOf(test, result.state === 'skipped' ? result.note : undefined, isPart);
        if (reason === undefined) report.notRun++;
        else report.skipped[reason] = (report.skipped[reason] ?? 0) + 1;
      }
    }
  }
  if (errors.length > 0) fail('outside of tests', errors);
  return report;
}

/** The note of a skip, or what a title says of it; undefined where a hook failed, or the run ended before. */
function reasonOf(test: TestCase, note: string | undefined, isPart: boolean): string | undefined {
  const said = note ?? /skipped: ([^>]*)/.exec(test.fullName)?.[1]?.trim();
  if (said !== undefined) return said;
  if (test.result().state === 'pending' || suitesOf(test).some(isLost)) return undefined;
  return isPart ? 'not asked for' : 'without a reason';
}

function suitesOf(test: TestCase): (TestSuite | TestModule)[] {
  const suites: (TestSuite | TestModule)[] = [];
  for (let one: TestSuite | TestModule = test.parent; ; one = one.parent) {
    suites.push(one);
    if (one.type === 'module') return suites;
  }
}

/** Whether something failed before the first test of the suite. */
function isLost(suite: TestSuite | TestModule): boolean {
  const ran = (test: TestCase): boolean => ['passed', 'failed'].includes(test.result().state);
  return suite.errors().length > 0 && ![...suite.children.allTests()].some(ran);
}
