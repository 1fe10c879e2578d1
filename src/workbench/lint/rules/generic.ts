import { definitionTexts, parseQuery } from '../../../kit.ts';
import { splitIdentifier, stem } from '../../../util/words.ts';
import type { Flaw, LintedCatalog, LintedTool, Rules } from '../rule.ts';

const { list } = definitionTexts;

/** A kind of tool that does anything of its kind. */
interface Kind {
  /** Words that identify the kind: a name has one of each list, in any form. */
  readonly name: readonly (readonly string[])[];
  /** Requests that people would make of such a tool, without a word of its name. */
  readonly wishes: readonly string[];
}

const RUNS = ['run', 'execute', 'exec', 'invoke', 'query'];
const KINDS: readonly Kind[] = [
  {
    name: [['sql', 'database', 'db', 'postgres', 'mysql', 'sqlite'], RUNS],
    wishes: ['count rows in a table', 'average of a column', 'add a row to a table', 'join two tables'],
  },
  {
    name: [['kubectl', 'kubernetes', 'k8s']],
    wishes: ['list pods', 'which pods keep crashing', 'list deployments in a namespace', 'nodes of the cluster'],
  },
  {
    name: [
      ['shell', 'bash', 'terminal', 'command', 'cmd'],
      [...RUNS, 'start'],
    ],
    wishes: ['run a script', 'install a package', 'how much disk space is left', 'list running processes'],
  },
  {
    name: [
      ['websearch', 'web', 'google', 'internet', 'online'],
      ['search', 'websearch', 'lookup'],
    ],
    wishes: ['news online', 'look up a fact on the internet', 'find a website', 'recent articles about a topic'],
  },
  {
    name: [['webbrowser', 'browser', 'browse', 'url', 'webpage']],
    wishes: ['open a web page', 'read an article online', 'what does this website say', 'follow a link'],
  },
  {
    name: [
      ['http', 'rest', 'api', 'curl'],
      ['request', 'call', 'fetch', 'send', 'curl'],
    ],
    wishes: ['call an API', 'post data to an endpoint', 'check whether a server answers'],
  },
];
/** Longer descriptions are assumed to say what the tool is good for. */
const MAX_WORDS = 30;

/** Generic tools with a short description. */
export const genericRules: Rules<'generic-tool'> = {
  'generic-tool': {
    summary: 'A tool for anything of its kind does not say what people ask for.',
    help: 'Whoever asks for rows, pods or a web page finds another tool. Give it their words as keywords.',
    isOfChosen: true,
    async ofCatalog({ tools, chosen, pause, index, topK }) {
      const flaws: Flaw[] = [];
      const kinds = KINDS.map(({ name, wishes }) => {
        const parts = name.map((words) => words.map(stem));
        return { parts, wishes, names: new Set<string>(), lost: undefined as Lost | undefined };
      });
      for (const { name, bareName } of tools) {
        const stems = new Set(splitIdentifier(bareName).map(stem));
        for (const { parts, names } of kinds)
          if (parts.every((words) => words.some((word) => stems.has(word)))) names.add(name);
        await pause();
      }
      for (const tool of chosen) {
        const own = kinds.find(({ names }) => names.has(tool.name));
        const isBrief = tool.description.split(/\s+/).length <= MAX_WORDS;
        if (!own || !isBrief) continue;
        own.lost ??= await lostBy(own.wishes, own.names, index, topK);
        if (own.lost.length > 0) flaws.push(flawOf(tool, own.lost));
        await pause();
      }
      return flaws;
    },
  },
};

type Lost = readonly string[];

/** The requests for which a search shows no tool of the kind. */
async function lostBy(
  wishes: Kind['wishes'],
  names: ReadonlySet<string>,
  index: LintedCatalog['index'],
  topK: number,
): Promise<Lost> {
  const lost: string[] = [];
  for (const wish of wishes) {
    const matches = await index.search(parseQuery(wish));
    if (!matches.slice(0, topK).some((match) => names.has(match.name))) lost.push(wish);
  }
  return lost;
}

function flawOf({ name, document }: LintedTool, lost: readonly string[]): Flaw {
  const keywords = lost.filter((wish) => !document.keywords.includes(wish));
  const setting = `search.keywords: { ${JSON.stringify(name)}: ${JSON.stringify(keywords)} }`;
  return {
    ...{ severity: 'info', toolName: name, path: 'description' },
    evidence: `It may serve ${list(lost)}, and no search for these shows it.`,
    remedy: `Say in the description what it is asked for, or add ${setting}.`,
  };
}
