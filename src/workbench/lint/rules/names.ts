import { CROWD, crowds, isAcceptedName, MAX_NAME } from '../../../kit.ts';
import type { LintedTool, RefusedTool } from '../linted-catalog.ts';
import { list, message, quote } from '../quote.ts';
import type { Flaw, Rules, Run } from '../rule.ts';

const RENAME = 'Rename it: 1 to 64 letters, digits, "_" and "-".';
/** Google's models want a letter or `_` first. */
const STARTS_WELL = /^[A-Za-z_]/;
const REFUSED_CHARACTERS = /[^A-Za-z0-9_-]/u;

/** A tool, or a schema, that the catalog could not read. */
export const readingRules: Rules<'unreadable-tool'> = {
  'unreadable-tool': {
    summary: 'The tool, or its input schema, cannot be read.',
    help: 'No search finds what cannot be read. Give the tool as a plain value with a JSON schema, zod or another Standard Schema.',
    ofCatalog: (run) =>
      refused(run, 'unreadable').map((tool) => ({
        ...errorOf(tool),
        evidence: message(tool.message, 300),
        remedy: 'Give the tool as a plain value with a JSON schema, zod or another Standard Schema.',
      })),
  },
};

/** What is said of names, and of the names of servers. */
export const nameRules: Rules<'refused-name' | 'name-clash' | 'reserved-name' | 'shadowed-name' | 'crowded-namespace'> =
  {
    'refused-name': {
      summary: 'Some providers refuse the name.',
      help: 'The tool is called by another name than its own, or by none. Use 1 to 64 letters, digits, "_" and "-", a letter first.',
      ofTool: refusedName,
      ofCatalog: (run) =>
        refused(run, 'left-out').map((tool) => ({
          ...errorOf(tool),
          evidence: `Some providers refuse the name ${quote(tool.name)}, and the repaired name is taken. The tool is left out.`,
          remedy: RENAME,
        })),
    },
    'name-clash': {
      summary: 'Two tools have one name, or names that differ in case or separators alone.',
      help: 'Of two tools of one name, one cannot be called; like names are mixed up. Rename one of them.',
      ofCatalog: (run) => [...clashing(run), ...likeNames(run)],
    },
    'reserved-name': {
      summary: 'The tool has the name of a meta-tool.',
      help: 'The processor refuses it. Rename the tool, or the meta-tool in metaTools.',
      ofCatalog: (run) =>
        refused(run, 'reserved-name').map((tool) => ({
          ...errorOf(tool),
          evidence: `The processor gives the model a tool ${quote(tool.name)} of its own.`,
          remedy: 'Rename the tool, or the meta-tool in metaTools.',
        })),
    },
    'shadowed-name': {
      summary: 'Tools of two servers have the same name.',
      help: 'The model may call the wrong server. Put the name of its server in front of each, or take one away.',
      ofCatalog: (run) => [...shadowing(run), ...sharedNames(run)],
    },
    'crowded-namespace': {
      summary: 'A namespace has ten functions or more.',
      help: 'OpenAI advises fewer than ten in a namespace of its tool search. Split it with native.namespace.',
      ofCatalog: crowdedNamespaces,
    },
  };

/** Tools that the catalog did not take, or whose schema it could not read. What many have in common is said once. */
function refused({ refused: all }: Run, why: RefusedTool['why']): readonly RefusedTool[] {
  const last = new Map(all.filter((tool) => tool.why === why).map((tool) => [tool.name, tool]));
  return [...last.values()];
}

function errorOf({ name }: RefusedTool): Pick<Flaw, 'severity' | 'toolName'> {
  return { severity: 'error', toolName: name };
}

/** A name that some providers refuse, of a tool that is there under another one. */
export function refusedName({ name, originalName }: LintedTool): readonly Flaw[] {
  const finding = (severity: 'error' | 'warning', evidence: string, remedy: string): Flaw[] => [
    { severity, toolName: name, evidence, remedy },
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

/** The servers of tools of one name, as far as they are told. */
function knownServers({ servers }: RefusedTool): readonly string[] {
  return [...new Set(servers.filter((server) => server !== ''))];
}

/** Tools of one name, of one server. */
function clashing(run: Run): readonly Flaw[] {
  const ofOne = refused(run, 'duplicate-tool').filter((tool) => knownServers(tool).length < 2);
  return ofOne.map((tool) => ({
    ...errorOf(tool),
    evidence: `${tool.servers.length} tools are called ${quote(tool.name)}. Only one of them can be called.`,
    remedy: 'Give the others another name.',
  }));
}

/** Tools of one name, of several servers. */
function shadowing(run: Run): readonly Flaw[] {
  return refused(run, 'duplicate-tool').flatMap((tool): readonly Flaw[] => {
    const servers = knownServers(tool);
    if (servers.length < 2) return [];
    return [
      {
        ...errorOf(tool),
        evidence: `The servers ${list(servers)} each have a tool called ${quote(tool.name)}. Only one of them can be called.`,
        remedy: 'Put the name of its server in front of each.',
      },
    ];
  });
}

/** Names that differ in case or separators alone. */
function likeNames({ tools }: Run): readonly Flaw[] {
  const alike = grouped(tools, ({ name }) => name.toLowerCase().replace(/[_-]/g, ''));
  return alike.flatMap(([first, ...others]) =>
    others.length === 0
      ? []
      : {
          ...({ severity: 'warning', toolName: first.name } as const),
          others: others.map(({ name }) => name),
          evidence: `${list([first, ...others].map(({ name }) => name))} differ in case or separators alone.`,
          remedy: 'Give each a name that says what it does and the other does not.',
        },
  );
}

/** Tools of several servers that have one name, with the name of the server in front. */
function sharedNames({ tools }: Run): readonly Flaw[] {
  const told = tools.filter(({ server }) => server !== '');
  return grouped(told, ({ bareName }) => bareName.toLowerCase()).flatMap(([first, ...others]) => {
    const servers = [...new Set([first, ...others].map(({ server }) => server))];
    if (servers.length < 2) return [];
    return {
      ...({ severity: 'info', toolName: first.name } as const),
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

/** Servers, or groups, of more functions than OpenAI advises in a namespace. No other mode than native has namespaces. */
function crowdedNamespaces({ tools, mode }: Run): readonly Flaw[] {
  if (mode !== 'native') return [];
  const groups = new Map(grouped(tools, ({ server }) => server).map((group) => [group[0].server, group]));
  const servers = tools.flatMap(({ server }) => (server === '' ? [] : server));
  return crowds(servers).map(([server, size]) => {
    const [toolName = '', ...others] = (groups.get(server) ?? []).map(({ name }) => name);
    return {
      ...({ severity: 'info', toolName, others } as const),
      evidence: `The namespace ${quote(server)} has ${size} functions; OpenAI advises fewer than ${CROWD}.`,
      remedy: "With OpenAI's tool search, split it with native.namespace.",
    };
  });
}
