import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import config from '../../vitest.config.ts';

const { testTimeout, hookTimeout, expect: waits } = config({ command: 'serve', mode: 'test' }).test ?? {};
const testLimit = testTimeout ?? 0;
const hookLimit = hookTimeout ?? 0;

/** How long each of vitest's functions waits, in milliseconds, where it is not told. */
const LIMITS = new Map([
  ...['it', 'test', 'describe', 'bench'].map((name) => [name, testLimit] as const),
  ...['beforeAll', 'beforeEach', 'afterAll', 'afterEach', 'onTestFinished'].map((name) => [name, hookLimit] as const),
  ['expect.poll', waits?.poll?.timeout ?? 0],
  // Nothing tells these: they wait for a second, unless each of them is told more.
  ['vi.waitFor', Number.POSITIVE_INFINITY],
  ['vi.waitUntil', Number.POSITIVE_INFINITY],
]);

/** The limits that a file sets itself and that are below those of the configuration. */
function shortLimits(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = nameOf(node.expression);
      const limit = LIMITS.get(name);
      const own = node.arguments.flatMap(ownLimit)[0];
      if (limit !== undefined && (name.startsWith('vi.') || (own !== undefined && own < limit))) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        found.push(`${file}:${line + 1} ${name}${own === undefined ? '' : `: ${own} ms`}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
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

it('no test ends itself sooner than the configuration lets it', () => {
  const files = globSync('test/**/*.ts').filter((file) => !file.endsWith('.d.ts'));
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap((file) => shortLimits(file, readFileSync(file, 'utf8')))).toEqual([]);
});

it.each([
  ['a test', `it('a', () => {}, 60_000);`, ['a.ts:1 it: 60000 ms']],
  ['tests of a table', `it.each([1])('a', { timeout: 5 }, () => {});`, ['a.ts:1 it: 5 ms']],
  ['a suite', `describe.skipIf(no)('a', { timeout: 30_000 }, () => {});`, ['a.ts:1 describe: 30000 ms']],
  ['a hook', `\nbeforeAll(async () => {}, 60_000);`, ['a.ts:2 beforeAll: 60000 ms']],
  ['a condition', `await expect.poll(() => 1, { timeout: 1_000 }).toBe(1);`, ['a.ts:1 expect.poll: 1000 ms']],
  ['a condition that waits for a second', `await vi.waitFor(() => expect(1).toBe(1));`, ['a.ts:1 vi.waitFor']],
  ['a test with more time', `it('a', () => {}, 900_000); expect.poll(() => 1).toBe(1);`, []],
])('finds the limit of %s', (_, text, expected) => {
  expect(shortLimits('a.ts', text)).toEqual(expected);
});
