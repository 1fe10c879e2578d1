import { type LintFinding, sorted } from './finding.ts';
import type { LintedCatalog } from './linted-catalog.ts';
import type { LintSeverity, Run } from './rule.ts';
import { type LintRule, rules } from './rules.ts';

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
export async function check(catalog: LintedCatalog, wanted: Wanted = {}): Promise<readonly LintFinding[]> {
  const only = wanted.only && new Set(wanted.only);
  const chosen = only ? catalog.tools.filter(({ name }) => only.has(name)) : catalog.tools;
  let end = performance.now() + SLICE;
  const pause = async (): Promise<void> => {
    if (performance.now() < end) return;
    await turn();
    end = performance.now() + SLICE;
  };
  const run: Run = { ...catalog, chosen, pause };
  const servers = serversOf(catalog);
  const findings: LintFinding[] = [];
  for (const [rule, { ofTool, ofCatalog }] of rules) {
    const severity = wanted.rules?.[rule];
    if (severity === 'off') continue;
    const flaws = [...((await ofCatalog?.(run)) ?? [])];
    await pause();
    for (const tool of ofTool ? chosen : []) {
      flaws.push(...(ofTool?.(tool) ?? []));
      await pause();
    }
    for (const flaw of flaws) {
      const { toolName, others = [] } = flaw;
      if (only && ![toolName, ...others].some((name) => only.has(name))) continue;
      const server = servers.get(toolName);
      findings.push({ rule, ...flaw, ...(severity ? { severity } : {}), ...(server ? { server } : {}) });
    }
  }
  return sorted(findings);
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
