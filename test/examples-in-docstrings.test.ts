import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);

/** The entries of the package, by what is imported. */
const entries = [
  { specifier: 'mastra-tool-search', file: path.join(root, 'src', 'index.ts') },
  ...readdirSync(path.join(root, 'src', 'entries')).map((file) => ({
    specifier: `mastra-tool-search/${path.basename(file, '.ts')}`,
    file: path.join(root, 'src', 'entries', file),
  })),
];

/** What examples need not say, besides imports from this package. */
const GIVEN = `
import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Tool } from '@mastra/core/tools';
import type { ToolSearchProcessor } from 'mastra-tool-search';
declare global {
  const tools: Record<string, Tool>;
  const processor: ToolSearchProcessor;
  const requestContext: RequestContext;
  const stepArgs: ProcessInputStepArgs;
}`;

interface Export {
  readonly name: string;
  /** Where it is imported from. */
  readonly specifier: string;
  /** The text of its tag `@example`; undefined where there is none. */
  readonly example: string | undefined;
}

function exportsOf(program: ts.Program): readonly Export[] {
  const checker = program.getTypeChecker();
  return entries.flatMap(({ specifier, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} exports nothing`);
    return checker.getExportsOfModule(module).map((symbol) => {
      const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const tag = declared.getJsDocTags(checker).find(({ name }) => name === 'example');
      return { name: symbol.name, specifier, example: tag && ts.displayPartsToString(tag.text) };
    });
  });
}

/** The code of an example, with imports of what it takes from this package without saying so. */
function moduleOf(example: string, exports: readonly Export[]): string {
  const code = /^```ts\n(.*)\n```$/s.exec(example.trim())?.[1];
  if (code === undefined) throw new Error(`An example is no block of TypeScript: ${example}`);
  const words = new Set(code.match(/\w+/g));
  const own = new Set(code.match(/^import .*$/gm)?.flatMap((line) => line.match(/\w+/g) ?? []));
  const imports = exports
    .filter(({ name }) => words.has(name) && !own.has(name))
    .map(({ name, specifier }) => `import { ${name} } from '${specifier}';`);
  return [...imports, code, 'export {};'].join('\n');
}

/** A program of files that are not on the disk, beside those that are. */
function programOf(files: ReadonlyMap<string, string>, oldProgram?: ts.Program): ts.Program {
  const settings = { ...options, verbatimModuleSyntax: false, isolatedDeclarations: false, noUnusedLocals: false };
  const host = ts.createCompilerHost(settings);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = files.get(file);
    return text === undefined
      ? (oldProgram?.getSourceFile(file) ?? getSourceFile(file, language, ...rest))
      : ts.createSourceFile(file, text, language);
  };
  return ts.createProgram([...entries.map(({ file }) => file), ...files.keys()], settings, host);
}

describe('the docstrings', () => {
  const program = programOf(new Map());
  const exports = exportsOf(program);

  it('have an example of each export', () => {
    expect(exports.length).toBeGreaterThan(50);
    expect(exports.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('have examples that compile', () => {
    const files = new Map([[path.join(root, 'examples', 'given.ts'), GIVEN]]);
    for (const [index, { name, example }] of exports.entries()) {
      if (example) files.set(path.join(root, 'examples', `${index}-${name}.ts`), moduleOf(example, exports));
    }
    const compiled = programOf(files, program);
    const errors = [...files.keys()].flatMap((file) => {
      const source = compiled.getSourceFile(file);
      return [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${path.basename(file)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    });
    expect(errors).toEqual([]);
  });
});
