import { CROWD, crowds, definitionTexts, MAX_NAME } from '../../../kit.ts';
import { grouped } from '../../grouped.ts';
import type { Flaw, LintedTool, RefusedTool, Rules, Run, ToolFlaw } from '../rule.ts';

const { list, message, quote } = definitionTexts;

const RENAME = 'Rename it: 1 to 64 letters, digits, "_" and "-".';
/** Google's models want a letter or `_` first. */
const STARTS_WELL = /^[A-Za-z_]/;
const REFUSED_CHARACTERS = /[^A-Za-z0-9_-]/u;

export const readingRules: Rules<'unreadable-tool'> = {
  'unreadable-tool': {
    summary: 'The tool, or its input schema, cannot be read.',
    help: 'No search finds what cannot be read. Give the tool as a plain value with a JSON schema, zod or another Standard Schema.',
    ofCatalog: (run) =>
      refused(run, 'unreadable', (tool) => ({
        evidence: message(tool.message, 300),
        remedy: 'Give the tool as a plain value with a JSON schema, zod or another Standard Schema.',
      })),
  },
};

export const nameRules: Rules<'refused-name' | 'name-clash' | 'reserved-name' | 'shadowed-name' | 'crowded-namespace'> =
  {
    'refused-name': {
      summary: 'Some providers refuse the name.',
      help: 'The tool is called by another name than its own, or by none. Use 1 to 64 letters, digits, "_" and "-", a letter first.',
      ofTool: refusedName,
      ofCatalog: (run) =>
        refused(run, 'left-out', ({ name }) => ({
          evidence: `Some providers refuse the name ${quote(name)}, and the repaired name is taken. The tool is left out.`,
          remedy: RENAME,
        })),
    },
    'name-clash': {
      summary: 'Two tools have one name, or names that differ in case or separators alone.',
      help: 'Of two tools of one name, one cannot be called; like names are mixed up. Rename one of them.',
      ofCatalog: (run) => [...equalNames(run, false), ...likeNames(run)],
    },
    'reserved-name': {
      summary: 'The tool has the name of a meta-tool.',
      help: 'The processor refuses it. Rename the tool, or the meta-tool in metaTools.',
      ofCatalog: (run) =>
        refused(run, 'reserved-name', ({ name }) => ({
          evidence: `The processor gives the model a tool ${quote(name)} of its own.`,
          remedy: 'Rename the tool, or the meta-tool in metaTools.',
        })),
    },
    'shadowed-name': {
      summary: 'Tools of two servers have the same name.',
      help: 'The model may call the wrong server. Put the name of its server in front of each, or take one away.',
      ofCatalog: (run) => [...equalNames(run, true), ...sharedNames(run)],
    },
    'crowded-namespace': {
      summary: 'A namespace has ten functions or more.',
      help: 'OpenAI advises fewer than ten in a namespace of its tool search. Split it with groups.',
      ofCatalog: crowdedNamespaces,
    },
  };

/** Findings about tools that the catalog refused or could not read, one for each name. */
function refused(
  run: Run,
  why: RefusedTool['why'],
  say: (tool: RefusedTool) => Pick<Flaw, 'evidence' | 'remedy'> | undefined,
): readonly Flaw[] {
  const last = new Map(run.refused.filter((tool) => tool.why === why).map((tool) => [tool.name, tool]));
  return [...last.values()].flatMap((tool): readonly Flaw[] => {
    const said = say(tool);
    return said ? [{ severity: 'error', toolName: tool.name, ...said }] : [];
  });
}

/** Finds an original name that some providers refuse, so that the tool has another one. */
function refusedName({ name, originalName }: LintedTool): ToolFlaw | undefined {
  const reason = reasonOf(originalName);
  if (reason !== undefined)
    return {
      severity: 'error',
      evidence: `Some providers refuse the name ${quote(originalName)}, ${reason}. The tool is called ${quote(name)}.`,
      remedy: RENAME,
    };
  if (STARTS_WELL.test(name)) return undefined;
  return {
    severity: 'warning',
    evidence: `The name ${quote(name)} begins with ${quote(name.charAt(0))}, which Google's models refuse.`,
    remedy: 'Put a letter in front.',
  };
}

/** The reason why some providers refuse a name; undefined if none does. */
function reasonOf(name: string): string | undefined {
  const refused = REFUSED_CHARACTERS.exec(name)?.[0];
  if (name === '') return 'which is empty';
  if (refused !== undefined) return `which has ${quote(refused)}`;
  if (name.length > MAX_NAME) return `which has ${name.length} characters`;
  return name === '__proto__' ? 'which no object can have for a key' : undefined;
}

/** Finds tools with one name, either of several servers or of one. */
function equalNames(run: Run, ofSeveral: boolean): readonly Flaw[] {
  return refused(run, 'duplicate-tool', ({ name, servers }) => {
    const known = [...new Set(servers.filter((server) => server !== ''))];
    if (known.length > 1 !== ofSeveral) return undefined;
    const evidence = ofSeveral
      ? `The servers ${list(known)} each have a tool called ${quote(name)}.`
      : `${servers.length} tools are called ${quote(name)}.`;
    const remedy = ofSeveral ? 'Put the name of its server in front of each.' : 'Give the others another name.';
    return { evidence: `${evidence} Only one of them can be called.`, remedy };
  });
}

function about([first, ...others]: readonly [LintedTool, ...LintedTool[]]): Pick<Flaw, 'toolName' | 'others'> {
  return { toolName: first.name, others: others.map(({ name }) => name) };
}

function likeNames({ tools }: Run): readonly Flaw[] {
  const groups = grouped(tools, ({ name }) => name.toLowerCase().replace(/[_-]/g, ''));
  return [...groups.values()]
    .filter((alike) => alike.length > 1)
    .map((alike) => ({
      ...({ severity: 'warning', ...about(alike) } as const),
      evidence: `${list(alike.map(({ name }) => name))} differ in case or separators alone.`,
      remedy: 'Give each a name that says what it does and the other does not.',
    }));
}

/** Finds tools of several servers with one name, apart from the server's name as a prefix. */
function sharedNames({ tools }: Run): readonly Flaw[] {
  const told = tools.filter(({ server }) => server !== '');
  return [...grouped(told, ({ bareName }) => bareName.toLowerCase()).values()].flatMap((alike): readonly Flaw[] => {
    const servers = [...new Set(alike.map(({ server }) => server))];
    if (servers.length < 2) return [];
    return [
      {
        ...({ severity: 'info', ...about(alike) } as const),
        evidence: `The servers ${list(servers)} each have a tool ${quote(alike[0].bareName)}.`,
        remedy: 'Say in each description of which service it is, or take out what you do not need.',
      },
    ];
  });
}

/** Finds servers or groups with more functions than OpenAI advises for a namespace, which only native mode uses. */
function crowdedNamespaces({ tools, mode }: Run): readonly Flaw[] {
  if (mode !== 'native') return [];
  const told = tools.filter(({ server }) => server !== '');
  const groups = grouped(told, ({ server }) => server);
  return crowds(told.map(({ server }) => server)).flatMap(([server, size]): readonly Flaw[] => {
    const crowd = groups.get(server);
    if (!crowd) return [];
    return [
      {
        ...({ severity: 'info', ...about(crowd) } as const),
        evidence: `The namespace ${quote(server)} has ${size} functions; OpenAI advises fewer than ${CROWD}.`,
        remedy: "With OpenAI's tool search, split it with groups.",
      },
    ];
  });
}
