import { boilerplate } from './boilerplate.ts';
import { crowdedNamespaces } from './crowded-namespaces.ts';
import { thinDescription } from './descriptions.ts';
import { type LintFinding, type LintSeverity, sorted } from './finding.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { instructingText } from './instructions.ts';
import type { LintedCatalog, LintedTool } from './linted-catalog.ts';
import { likeNames, refusedName, refusedTools, sharedNames } from './names.ts';
import { steeringText } from './other-servers.ts';
import { askByOwnWords, indistinguishable, type OwnWords, wordsOf } from './own-words.ts';
import { undescribedParameters } from './parameter-descriptions.ts';
import type { LintRule } from './rules.ts';
import { heavyDefinition } from './weight.ts';

/** What is said of a tool alone. */
const ALONE: readonly ((tool: LintedTool) => readonly LintFinding[])[] = [
  thinDescription,
  refusedName,
  undescribedParameters,
  heavyDefinition,
  instructingText,
  hiddenCharacters,
];
/** What is said of tools beside others. */
const TOGETHER: readonly ((catalog: LintedCatalog) => readonly LintFinding[])[] = [
  refusedTools,
  likeNames,
  sharedNames,
  crowdedNamespaces,
  boilerplate,
  steeringText,
];

/** What is wanted of the rules. */
export interface Wanted {
  /** The severity of a rule's findings, in place of their own; `off` for none of them. */
  readonly rules?: Readonly<Partial<Record<LintRule, LintSeverity | 'off'>>>;
  /** Only findings about these tools. @default all */
  readonly only?: readonly string[];
}

/** Milliseconds of work before others get their turn. */
const SLICE = 10;

/** The findings of all rules, sorted. It runs in browsers too. What the index throws is thrown. */
export async function check(
  catalog: LintedCatalog,
  { rules = {}, only }: Wanted = {},
): Promise<readonly LintFinding[]> {
  const chosen = only && new Set(only);
  const tools = chosen ? catalog.tools.filter(({ name }) => chosen.has(name)) : catalog.tools;
  const asks = rules['not-found-by-own-words'] !== 'off' || rules.indistinguishable !== 'off';
  const findings: LintFinding[] = [];
  const asked: OwnWords[] = [];
  const equals = new Map<string, ReadonlySet<string>>();
  let end = performance.now() + SLICE;
  const rest = async (): Promise<void> => {
    if (performance.now() < end) return;
    await turn();
    end = performance.now() + SLICE;
  };
  for (const rule of TOGETHER) {
    findings.push(...rule(catalog));
    await rest();
  }
  for (const tool of tools) {
    for (const rule of ALONE) findings.push(...rule(tool));
    if (asks) {
      // Tools of the same words are asked once: what is said of the first one names the others.
      const words = wordsOf(tool);
      if (!equals.get(words)?.has(tool.name)) {
        const own = await askByOwnWords(tool, catalog);
        if (own) asked.push(own);
        if (own && !equals.has(words)) equals.set(words, new Set(own.equals));
      }
    }
    await rest();
  }
  findings.push(...asked.flatMap(({ finding }) => finding ?? []), ...indistinguishable(asked));
  const isAbout = ({ toolName, others = [] }: LintFinding): boolean =>
    chosen === undefined || [toolName, ...others].some((name) => chosen.has(name));
  const servers = serversOf(catalog);
  return sorted(
    findings.flatMap((finding) => {
      const { rule, toolName, severity: own } = finding;
      const severity = rules[rule] ?? own;
      const server = servers.get(toolName);
      return isAbout(finding) && severity !== 'off' ? { ...finding, severity, ...(server ? { server } : {}) } : [];
    }),
  );
}

/** The servers of tools by their names; of tools that were refused too, where those of one name have one server. */
function serversOf({ tools, refused }: LintedCatalog): ReadonlyMap<string, string> {
  const ofRefused = refused.map(
    ({ name, servers }) => [name, new Set(servers).size === 1 ? (servers[0] ?? '') : ''] as const,
  );
  return new Map([...ofRefused, ...tools.map(({ name, server }) => [name, server] as const)]);
}

/** The event loop's turn. Browsers have no `setImmediate`. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}
