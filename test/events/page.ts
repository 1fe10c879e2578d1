import { readFileSync } from 'node:fs';
import ts from 'typescript';

export { EVENTS } from '../../src/events/table.ts';

const file = 'src/events/table.ts';
const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
const occurrence = source.statements.find(
  (one): one is ts.TypeAliasDeclaration => ts.isTypeAliasDeclaration(one) && one.name.text === 'ToolSearchOccurrence',
);

/** An event as its type declares it. */
interface Declared {
  readonly type: string;
  /** When it is reported: its docstring. */
  readonly when: string;
  /** Pages of `docs`, and their headings, of the comment behind its docstring. */
  readonly see: readonly string[];
  readonly fields: readonly string[];
  /** Why it comes often, and what to do. */
  readonly cause: string | undefined;
  readonly remedy: string | undefined;
}

/** The events, in the order of their type. */
export function declaredEvents(): readonly Declared[] {
  const members = occurrence && ts.isUnionTypeNode(occurrence.type) ? occurrence.type.types : [];
  let end = occurrence?.type.getFullStart() ?? 0;
  return members.filter(ts.isTypeLiteralNode).map((member) => {
    const before = source.text.slice(end, member.getStart());
    end = member.end;
    const docs = /\/\*\*([\s\S]*?)\*\//.exec(before)?.[1] ?? '';
    const [type, ...fields] = (member as ts.TypeLiteralNode).members.filter(ts.isPropertySignature);
    return {
      type: type?.type?.getText().replaceAll("'", '') ?? '',
      when: plain(docs),
      see: Array.from(before.matchAll(/@see docs\/(\S+)/g), ([, page = '']) => page),
      fields: fields.map(fieldOf),
      cause: /@cause (.*)/.exec(before)?.[1],
      remedy: /@remedy (.*)/.exec(before)?.[1],
    };
  });
}

const aliases = new Map(
  ['src/events/reasons.ts', 'src/filter/filter.ts'].flatMap((path) =>
    ts
      .createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
      .statements.filter(ts.isTypeAliasDeclaration)
      .map((alias) => [alias.name.text, alias.type] as const),
  ),
);

/** The values of a type of a few texts; empty for any other. */
function valuesOf(type: ts.TypeNode | undefined): readonly string[] {
  const union = (type && aliases.get(type.getText())) ?? type;
  if (!union || !ts.isUnionTypeNode(union) || union.types.length > 5 || !union.types.every(ts.isLiteralTypeNode))
    return [];
  return union.types.map((value) => `\`${value.getText()}\``);
}

function fieldOf(field: ts.PropertySignature): string {
  const docs = ts.getJSDocCommentsAndTags(field).find(ts.isJSDoc)?.comment;
  const told = plain(ts.getTextOfJSDocComment(docs) ?? '').replace(/\.$/, '') || valuesOf(field.type).join(', ');
  const name = `\`${field.name.getText()}${field.questionToken ? '?' : ''}\``;
  return told === '' ? name : `${name}: ${told.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`;
}

function plain(comment: string): string {
  return comment
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function linkTo(see: string): string {
  const [page = '', anchor] = see.split('#');
  const titles = [...readFileSync(`docs/${page}`, 'utf8').matchAll(/^#+ (.*)/gm)].map(([, title = '']) => title);
  const slug = (title: string): string =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-');
  return `[${titles.find((title) => anchor === undefined || slug(title) === anchor)}](${see})`;
}

/** The table of events for `docs/events.md`. */
function eventsTable(): string {
  const rows = declaredEvents().map(({ type, when, see, fields }) => {
    const more = see.length > 0 ? ` See ${see.map(linkTo).join(', ')}.` : '';
    return `| \`${type}\` | ${when}${more} | ${fields.join('; ')} |`;
  });
  return ['| `type` | When | Fields |', '|---|---|---|', ...rows].join('\n');
}

/** The table of what to do for `docs/troubleshooting.md`. */
function remediesTable(): string {
  const rows = declaredEvents().filter(({ remedy }) => remedy !== undefined);
  return [
    '| Event | It comes often when | Do |',
    '|---|---|---|',
    ...rows.map(({ type, cause, remedy }) => `| \`${type}\` | ${cause} | ${remedy} |`),
  ].join('\n');
}

/** A page with its table written anew. */
export function withTable(page: string): string {
  return page
    .replace(/(?<=<!-- events:start -->\n)[\s\S]*?(?=<!-- events:end -->)/, () => `\n${eventsTable()}\n\n`)
    .replace(/(?<=<!-- remedies:start -->\n)[\s\S]*?(?=<!-- remedies:end -->)/, () => `\n${remediesTable()}\n\n`);
}

export const PAGES: readonly string[] = ['docs/events.md', 'docs/troubleshooting.md'];
