import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What an example in a docstring may use without saying where it comes from: the reader's own. Blocks of pages may not. */
const GIVEN = `
import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { MCPClient } from '@mastra/mcp';
import type { MastraTool, ToolSearchProcessor } from 'mastra-tool-search';

declare global {
  /** The tools to search. */
  const tools: Record<string, MastraTool>;
  /** A client of the MCP servers whose tools are searched. */
  const mcp: MCPClient;
  const mastra: Mastra;
  /** Where Redis listens. */
  const url: string;
  const processor: ToolSearchProcessor;
  const requestContext: RequestContext;
  const stepArgs: ProcessInputStepArgs;
}
`;

const SETTINGS = { noUnusedLocals: false, noUnusedParameters: false, isolatedDeclarations: false };

/** The types of packages that come without. */
const UNTYPED = path.join(root, 'test/support/pg.d.ts');

/** A public name, as its entry exports it. */
export interface Export {
  readonly name: string;
  /** Where it is imported from. */
  readonly entry: string;
  readonly isType: boolean;
  /** The text of its tag `@example`; undefined where there is none. */
  readonly example: string | undefined;
}

/** A program of the source and of texts that are not on the disk. They stand beside the tests, so that imports are found. */
export function programOf(texts: ReadonlyMap<string, string>, before?: ts.Program): ts.Program {
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const settings = { ...options, ...SETTINGS };
  const files = new Map([...texts, ['given', GIVEN] as const].map(([name, text]) => [fileOf(name), text]));
  const host = ts.createCompilerHost(settings);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = files.get(file);
    if (text !== undefined) return ts.createSourceFile(file, `${text}\nexport {};\n`, language);
    return before?.getSourceFile(file) ?? getSourceFile(file, language, ...rest);
  };
  return ts.createProgram([...entries().values(), UNTYPED, ...files.keys()], settings, host);
}

/**
 * What the compiler says of the texts, by their names. TypeScript 7 checks them: a call of Mastra's `Agent` takes TypeScript 6
 * half a minute.
 */
export function messagesOf(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'docs-code-'));
  try {
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    const files = new Map([...texts.keys(), 'given'].map((name) => [path.basename(fileOf(name)), name]));
    for (const [file, name] of files)
      writeFileSync(path.join(folder, file), `${texts.get(name) ?? GIVEN}\nexport {};\n`);
    const config = {
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: SETTINGS,
      files: [...files.keys(), UNTYPED],
      include: [],
      exclude: [],
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = path.join(root, 'node_modules/typescript-7/bin/tsc');
    const { stdout, error } = spawnSync(process.execPath, [compiler, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error) throw error;
    const found = new Map([...texts.keys()].map((name): [string, string[]] => [name, []]));
    // A message that has several lines goes on with lines that begin with spaces.
    for (const said of stdout.split(/\n(?! )/).filter((line) => line.trim() !== '')) {
      const [, file = '', message = ''] = /^(.+?)\(\d+,\d+\): (.*)$/s.exec(said) ?? [];
      const messages = found.get(files.get(file) ?? '');
      if (!messages) throw new Error(`The compiler says: ${said}`);
      messages.push(message);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names that one of the texts takes from what examples are given. */
export function givenIn(name: string, program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const symbol =
      ts.isIdentifier(node) && !isNameOfParent(node)
        ? checker.resolveName(node.text, node, ts.SymbolFlags.Value, false)
        : undefined;
    if (symbol?.declarations?.some((each) => each.getSourceFile().fileName === fileOf('given')))
      found.add((node as ts.Identifier).text);
    ts.forEachChild(node, visit);
  };
  visit(sourceOf(name, program));
  return [...found];
}

/** Whether an identifier names a property or what is declared: it is not looked up in its surroundings. */
function isNameOfParent(node: ts.Identifier): boolean {
  const { name, propertyName } = node.parent as { readonly name?: ts.Node; readonly propertyName?: ts.Node };
  return (name === node && !ts.isShorthandPropertyAssignment(node.parent)) || propertyName === node;
}

/** All public names of all entries. */
export function exportsOf(program: ts.Program): readonly Export[] {
  const checker = program.getTypeChecker();
  return [...entries()].flatMap(([entry, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} exports nothing`);
    return checker.getExportsOfModule(module).map((symbol) => {
      const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const tag = declared.getJsDocTags(checker).find(({ name }) => name === 'example');
      const isType = (declared.flags & ts.SymbolFlags.Value) === 0;
      return { name: symbol.name, entry, isType, example: tag && ts.displayPartsToString(tag.text) };
    });
  });
}

/** The entries of the package, each with its file. */
function entries(): ReadonlyMap<string, string> {
  const files = globSync('src/{index,entries/*}.ts', { cwd: root });
  return new Map(
    files.map((file) => {
      const name = path.basename(file, '.ts');
      return [name === 'index' ? 'mastra-tool-search' : `mastra-tool-search/${name}`, path.join(root, file)];
    }),
  );
}

function sourceOf(name: string, program: ts.Program): ts.SourceFile {
  const source = program.getSourceFile(fileOf(name));
  if (!source) throw new Error(`${name} is not in the program`);
  return source;
}

function fileOf(name: string): string {
  return path.join(root, 'test/docs', `${name.replaceAll(/[^\w]/g, '-')}.ts`);
}
