import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import config from '../../vitest.config.ts';

const { testTimeout, hookTimeout, expect: waits } = config.test ?? {};
const testLimit = testTimeout ?? 0;
const hookLimit = hookTimeout ?? 0;

/** How long each of vitest's functions waits, in milliseconds, where it is not told. */
const LIMITS = new Map([
  ...['it', 'test', 'describe', 'bench'].map((name) => [name, testLimit] as const),
  ...['beforeAll', 'beforeEach', 'afterAll', 'afterEach', 'onTestFinished'].map((name) => [name, hookLimit] as const),
  ['expect.poll', waits?.poll?.timeout ?? 0],
]);

/** What no test calls, and what it calls instead. */
const REFUSED = new Map([
  // Nothing tells these how long they wait: for a second, unless each of them is told more.
  ['vi.waitFor', 'expect.poll'],
  ['vi.waitUntil', 'expect.poll'],
  // It counts the timers of all work in the process.
  ['vi.getTimerCount', 'ownTimers'],
]);

/** Refused options run nothing, and benchmarks measure the defaults. */
const WITH_DEFAULTS = /^test\/(bench|options)\//;

/** The limits that a file sets itself and that are below those of the configuration, and its calls that are refused. */
function faultsOf(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = nameOf(node.expression);
      const own = node.arguments.flatMap(ownLimit)[0];
      const isShort = own !== undefined && own < (LIMITS.get(name) ?? 0);
      const fault = REFUSED.has(name) ? `use ${REFUSED.get(name)}` : isShort ? `${own} ms` : undefined;
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      if (fault !== undefined) found.push(`${file}:${line + 1} ${name}: ${fault}`);
    }
    if (ts.isObjectLiteralExpression(node) && isHurried(node) && !WITH_DEFAULTS.test(file)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`${file}:${line + 1} preselect: give timeouts.preselect`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Whether a processor has its default of 120 ms for a search before the run, which a busy machine may not keep. */
function isHurried({ properties }: ts.ObjectLiteralExpression): boolean {
  const named = (name: string) =>
    properties.find((one) => one.name && ts.isIdentifier(one.name) && one.name.text === name);
  const preselect = named('preselect');
  if (!preselect || !ts.isPropertyAssignment(preselect)) return false;
  return preselect.initializer.kind === ts.SyntaxKind.TrueKeyword && !named('timeouts');
}

/** `it` of `it.each(rows)('…')`, `vi.waitFor` of that alone. */
function nameOf(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee))
    return nameOf(ts.isCallExpression(callee) ? callee.expression : callee.tag);
  if (!ts.isPropertyAccessExpression(callee)) return '';
  const root = nameOf(callee.expression);
  if (['vi', 'expect'].includes(root)) return `${root}.${callee.name.text}`;
  // What is expected of a condition waits no longer than the condition.
  return root.includes('.') ? '' : root;
}

/** The milliseconds of an argument that is a number, or an object with `timeout`. */
function ownLimit(argument: ts.Expression): number[] {
  if (ts.isNumericLiteral(argument)) return [Number(argument.text)];
  if (!ts.isObjectLiteralExpression(argument)) return [];
  return argument.properties.flatMap((property) =>
    ts.isPropertyAssignment(property) && ts.isIdentifier(property.name) && property.name.text === 'timeout'
      ? ownLimit(property.initializer)
      : [],
  );
}

it('no test ends itself sooner than the configuration lets it, or depends on the other work of its process', () => {
  const files = globSync('test/**/*.ts').filter((file) => !file.endsWith('.d.ts'));
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((file) => faultsOf(file, readFileSync(file, 'utf8')))).toEqual([]);
});

it.each([
  ['a test', `it('a', () => {}, 60_000);`, ['a.ts:1 it: 60000 ms']],
  ['tests of a table', `it.each([1])('a', { timeout: 5 }, () => {});`, ['a.ts:1 it: 5 ms']],
  ['a suite', `describe.skipIf(no)('a', { timeout: 30_000 }, () => {});`, ['a.ts:1 describe: 30000 ms']],
  ['a hook', `\nbeforeAll(async () => {}, 60_000);`, ['a.ts:2 beforeAll: 60000 ms']],
  ['a condition', `await expect.poll(() => 1, { timeout: 1_000 }).toBe(1);`, ['a.ts:1 expect.poll: 1000 ms']],
  [
    'a condition that waits for a second',
    `await vi.waitFor(() => expect(1).toBe(1));`,
    ['a.ts:1 vi.waitFor: use expect.poll'],
  ],
  ['the timers of all', `expect(vi.getTimerCount()).toBe(0);`, ['a.ts:1 vi.getTimerCount: use ownTimers']],
  ['a search in a hurry', `rig({ preselect: true });`, ['a.ts:1 preselect: give timeouts.preselect']],
  ['a search with time', `rig({ preselect: true, timeouts });`, []],
  ['a test with more time', `it('a', () => {}, 900_000); expect.poll(() => 1).toBe(1);`, []],
])('finds %s', (_, text, expected) => {
  expect(faultsOf('a.ts', text)).toEqual(expected);
});
