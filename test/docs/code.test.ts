import { beforeAll, describe, expect, it } from 'vitest';
import { type Export, exportsOf, givenIn, messagesOf, programOf } from './compile.ts';
import { type CodeBlock, codeBlocks, fileNameOf, pages, read } from './pages.ts';

const blocks = pages.flatMap((page) => codeBlocks(page, read(page)));
const isTypeScript = ({ language }: CodeBlock): boolean => ['ts', 'typescript', 'tsx'].includes(language);

/** The code of a block, behind that of the blocks that it continues. */
function wholeCode(block: CodeBlock): string {
  if (!block.continues) return block.code;
  const before = blocks.slice(0, blocks.indexOf(block)).findLast(isTypeScript);
  if (before?.page !== block.page) throw new Error(`${block.page}:${block.line}: there is no block to continue`);
  return `${wholeCode(before)}\n${block.code}`;
}

/** The code of an example, with imports of what it takes from this package without saying so. */
function exampleCode({ name, example = '' }: Export, exports: readonly Export[]): string {
  const code = /^```ts\n(.*)\n```$/s.exec(example.trim())?.[1];
  if (code === undefined) throw new Error(`The example of ${name} is no block of TypeScript: ${example}`);
  const words = new Set(code.match(/\w+/g));
  const own = new Set(code.match(/^import .*$/gm)?.flatMap((line) => line.match(/\w+/g) ?? []));
  const used = exports.filter((each) => words.has(each.name) && !own.has(each.name));
  // Some are exported by several entries.
  const missing = new Map(used.map((each) => [each.name, each])).values();
  const imports = [...missing].map(
    ({ isType, name, entry }) => `import { ${isType ? 'type ' : ''}${name} } from '${entry}';`,
  );
  return [...imports, code].join('\n');
}

const source = programOf(new Map());
const exports = exportsOf(source);
const examples = exports.filter(({ example }) => example !== undefined);
const shown = blocks.filter(isTypeScript);
/** A block that shows a file is compiled under its name, so that others can import it. */
const nameOf = (block: CodeBlock): string => fileNameOf(block)?.replace(/\.ts$/, '') ?? `${block.page}:${block.line}`;
const codes = new Map([
  ...shown.map((block) => [nameOf(block), wholeCode(block)] as const),
  ...examples.map((each) => {
    // There are a type `Funnel` and a function `funnel`: the names of files differ in more than that.
    const name = `the example of ${each.isType ? 'the type ' : ''}${each.name} (${each.entry})`;
    return [name, exampleCode(each, exports)] as const;
  }),
]);

describe('code in pages and docstrings', () => {
  const program = programOf(codes, source);
  let messages: ReturnType<typeof messagesOf>;
  beforeAll(() => {
    messages = messagesOf(codes);
  });

  it.each([...codes.keys()])('compiles: %s', (name) => {
    expect(messages.get(name)).toEqual([]);
  });

  it.each(shown.map(nameOf))('says where each name comes from: %s', (name) => {
    expect(givenIn(name, program)).toEqual([]);
  });

  it('is one file for each name', () => {
    const files = blocks.map(fileNameOf).filter((name) => name !== undefined);
    expect(files).toEqual([...new Set(files)]);
  });

  it('is an example of each export', () => {
    expect(exports.length).toBeGreaterThan(50);
    expect(exports.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('is said to be TypeScript where it is', () => {
    const unnamed = blocks.filter((block) => !isTypeScript(block) && /^import .* from /m.test(block.code));
    expect(unnamed.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});
