import { isAcceptedName, MAX_NAME } from '../../kit.ts';
import type { LintFinding } from './finding.ts';
import type { LintedCatalog, LintedTool, RefusedTool } from './linted-catalog.ts';
import { list, message, quote } from './quote.ts';

const RENAME = 'Rename it: 1 to 64 letters, digits, "_" and "-".';
/** Google's models want a letter or `_` first. */
const STARTS_WELL = /^[A-Za-z_]/;
const REFUSED_CHARACTERS = /[^A-Za-z0-9_-]/u;

/** A name that some providers refuse, of a tool that is there under another one. */
export function refusedName({ name, originalName }: LintedTool): readonly LintFinding[] {
  const finding = (severity: 'error' | 'warning', evidence: string, remedy: string): LintFinding[] => [
    { rule: 'refused-name', severity, toolName: name, evidence, remedy },
  ];
  if (!isAcceptedName(originalName)) {
    const evidence = `Some providers refuse the name ${quote(originalName)}, ${reasonOf(originalName)}. The tool is called ${quote(name)}.`;
    return finding('error', evidence, RENAME);
  }
  if (STARTS_WELL.test(name)) return [];
  return finding(
    'warning',
    `The name ${quote(name)} begins with ${quote(name.charAt(0))}, which Google's models refuse.`,
    'Put a letter in front.',
  );
}

function reasonOf(name: string): string {
  const refused = REFUSED_CHARACTERS.exec(name)?.[0];
  if (name === '') return 'which is empty';
  if (refused !== undefined) return `which has ${quote(refused)}`;
  return name.length > MAX_NAME ? `which has ${name.length} characters` : 'which no object can have for a key';
}

/** Tools that the catalog did not take, or whose schema it could not read. */
export function refusedTools({ refused }: LintedCatalog): readonly LintFinding[] {
  // What many tools have in common is said once.
  const first = new Map(refused.map((tool) => [`${tool.why} ${tool.name}`, tool]));
  return [...first.values()].map(refusal);
}

function refusal({ name, why, message: reason, servers }: RefusedTool): LintFinding {
  const finding = { severity: 'error', toolName: name } as const;
  const known = [...new Set(servers.filter((server) => server !== ''))];
  switch (why) {
    case 'duplicate-tool':
      return known.length > 1
        ? {
            ...{ ...finding, rule: 'shadowed-name' },
            evidence: `The servers ${list(known)} each have a tool called ${quote(name)}. Only one of them can be called.`,
            remedy: 'Put the name of its server in front of each.',
          }
        : {
            ...{ ...finding, rule: 'name-clash' },
            evidence: `${servers.length} tools are called ${quote(name)}. Only one of them can be called.`,
            remedy: 'Give the others another name.',
          };
    case 'reserved-name':
      return {
        ...{ ...finding, rule: 'reserved-name' },
        evidence: `The processor gives the model a tool ${quote(name)} of its own.`,
        remedy: 'Rename the tool, or the meta-tool in metaTools.',
      };
    case 'left-out':
      return {
        ...{ ...finding, rule: 'refused-name' },
        evidence: `Some providers refuse the name ${quote(name)}, and the repaired name is taken. The tool is left out.`,
        remedy: RENAME,
      };
    case 'unreadable':
      return {
        ...{ ...finding, rule: 'unreadable-tool' },
        evidence: message(reason, 300),
        remedy: 'Give the tool as a plain value with a JSON schema, zod or another Standard Schema.',
      };
  }
}

/** Names that differ in case or separators alone. */
export function likeNames({ tools }: LintedCatalog): readonly LintFinding[] {
  const alike = grouped(tools, ({ name }) => name.toLowerCase().replace(/[_-]/g, ''));
  return alike.flatMap(([first, ...others]) =>
    others.length === 0
      ? []
      : {
          ...({ rule: 'name-clash', severity: 'warning', toolName: first.name } as const),
          others: others.map(({ name }) => name),
          evidence: `${list([first, ...others].map(({ name }) => name))} differ in case or separators alone.`,
          remedy: 'Give each a name that says what it does and the other does not.',
        },
  );
}

/** Tools of several servers that have one name, with the name of the server in front. */
export function sharedNames({ tools }: LintedCatalog): readonly LintFinding[] {
  const told = tools.filter(({ server }) => server !== '');
  return grouped(told, ({ bareName }) => bareName.toLowerCase()).flatMap(([first, ...others]) => {
    const servers = [...new Set([first, ...others].map(({ server }) => server))];
    if (servers.length < 2) return [];
    return {
      ...({ rule: 'shadowed-name', severity: 'info', toolName: first.name } as const),
      others: others.map(({ name }) => name),
      evidence: `The servers ${list(servers)} each have a tool ${quote(first.bareName)}.`,
      remedy: 'Say in each description of which service it is, or take out what you do not need.',
    };
  });
}

/** Groups of tools by a text; each has one tool or more. */
function grouped(
  tools: readonly LintedTool[],
  keyOf: (tool: LintedTool) => string,
): readonly (readonly [LintedTool, ...LintedTool[]])[] {
  const groups = new Map<string, [LintedTool, ...LintedTool[]]>();
  for (const tool of tools) {
    const key = keyOf(tool);
    const group = groups.get(key);
    if (group) group.push(tool);
    else groups.set(key, [tool]);
  }
  return [...groups.values()];
}
