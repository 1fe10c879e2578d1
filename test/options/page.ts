import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { processorOptions } from '../../src/options/table.ts';
import type { Option, Options } from '../../src/util/check.ts';

/** An option of the processor, at any level. */
export interface OptionAt {
  /** As an error names it: `search.topK`. */
  readonly path: string;
  readonly option: Option;
}

export function optionsIn(table: Options = processorOptions, parent = ''): readonly OptionAt[] {
  return Object.entries(table).flatMap(([name, option]) => [
    { path: `${parent}${name}`, option },
    ...(option.of ? optionsIn(option.of, `${parent}${name}.`) : []),
  ]);
}

/** What the public type says of an option. */
export interface Documented {
  readonly type: string;
  /** The first paragraph of its docstring. */
  readonly help: string;
  /** Its `@default`. */
  readonly default: string;
  /** Its `@see`: the page that says more. */
  readonly see: string;
}

const interfaces = new Map(
  globSync('src/{options,features,meta-tools,modes}/**/*.ts').flatMap((file) =>
    ts
      .createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
      .statements.filter(ts.isInterfaceDeclaration)
      .map((declared) => [declared.name.text, declared] as const),
  ),
);

/** What the public type says of the option at a path; undefined where it has no such option. */
export function documented(path: string): Documented | undefined {
  let members: readonly ts.TypeElement[] = interfaces.get('ToolSearchProcessorOptions')?.members ?? [];
  let member: ts.TypeElement | undefined;
  for (const name of path.split('.')) {
    member = members.find((one) => one.name?.getText() === name);
    members = member ? membersOf(typeOf(member)) : [];
  }
  if (!member) return undefined;
  const tagged = (name: string): ts.JSDocTag | undefined =>
    ts.getJSDocTags(member).find(({ tagName }) => tagName.text === name);
  const docs = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc);
  const [help = ''] = (ts.getTextOfJSDocComment(docs?.comment) ?? '').split('\n\n');
  return {
    type: inOneLine(typeOf(member)?.getText() ?? ''),
    help: inOneLine(help.replace(/\{@link (\w+)\}/g, '`$1`')),
    default: inOneLine(ts.getTextOfJSDocComment(tagged('default')?.comment) ?? ''),
    see: /docs\/(\S+)/.exec(tagged('see')?.getText() ?? '')?.[1] ?? '',
  };
}

function typeOf(member: ts.TypeElement): ts.TypeNode | undefined {
  return ts.isPropertySignature(member) ? member.type : undefined;
}

/** The members of an object's type, or of the named types that stand for it or one of its forms. */
function membersOf(type: ts.TypeNode | undefined): readonly ts.TypeElement[] {
  if (!type) return [];
  if (ts.isTypeLiteralNode(type)) return type.members;
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(membersOf);
  return interfaces.get(type.getText())?.members ?? [];
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function titleOf(link: string): string {
  return /^# (.*)/.exec(readFileSync(`docs/${link.replace(/#.*/, '')}`, 'utf8'))?.[1] ?? '';
}

/** The table of some options for `docs/options.md`. */
function optionTable(paths: readonly string[]): string {
  const lines = paths.map((path) => {
    const { type, help, default: standard, see } = documented(path) ?? { type: '', help: '', default: '', see: '' };
    const shown = standard.replace(/^(?:'[^']+'|true|false|Infinity|[\d_]+|\w+\(\))/, '`$&`');
    const more = see === '' ? '' : ` See [${titleOf(see)}](${see}).`;
    return `| ${[`\`${path}\``, `\`${type.replaceAll('|', '\\|')}\``, shown, `${help}${more}`].join(' | ')} |`;
  });
  return ['| Option | Type | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

/** A table of the page: its marker names the options that have a row. */
const TABLE = /(?<=<!-- options: ([^>]+) -->\n)[\s\S]*?(?=<!-- options end -->)/g;

/** The options that have a row of `docs/options.md`. */
export function rowsOf(page: string): readonly string[] {
  return [...page.matchAll(TABLE)].flatMap(([, paths = '']) => paths.split(' '));
}

/** `docs/options.md` with its tables written anew. */
export function withTables(page: string): string {
  return page.replace(TABLE, (_, paths: string) => `\n${optionTable(paths.split(' '))}\n\n`);
}
