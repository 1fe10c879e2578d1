import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import type { Option, Options, Topic } from '../../src/options/check.ts';
import { processorOptions } from '../../src/options/table.ts';

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
}

const interfaces = new Map(
  globSync('src/options/*.ts').flatMap((file) =>
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
  const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === 'default');
  const docs = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc);
  const [help = ''] = (ts.getTextOfJSDocComment(docs?.comment) ?? '').split('\n\n');
  return {
    type: inOneLine(typeOf(member)?.getText() ?? ''),
    help: inOneLine(help.replace(/\{@link (\w+)\}/g, '`$1`')),
    default: inOneLine(ts.getTextOfJSDocComment(tag?.comment) ?? ''),
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

/** The table of a topic for `docs/options.md`. */
export function optionTable(topic: string): string {
  const rows = optionsIn().filter(({ option }) => option.topic === topic);
  const lines = rows.map(({ path, option: { see } }) => {
    const { type, help, default: standard } = documented(path) ?? { type: '', help: '', default: '' };
    const shown = standard.replace(/^(?:'[^']+'|true|false|Infinity|[\d_]+|\w+\(\))/, '`$&`');
    const more = see === undefined ? '' : ` See [${titleOf(see)}](${see}).`;
    return `| ${[`\`${path}\``, `\`${type.replaceAll('|', '\\|')}\``, shown, `${help}${more}`].join(' | ')} |`;
  });
  return ['| Option | Type | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

const TABLE = /(?<=<!-- options: (\w+) -->\n)[\s\S]*?(?=<!-- options end -->)/g;

/** `docs/options.md` with its tables written anew. */
export function withTables(page: string): string {
  return page.replace(TABLE, (_, topic: Topic) => `\n${optionTable(topic)}\n\n`);
}
