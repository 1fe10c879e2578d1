import type { Flaw, LintedCatalog, LintRuleDescription, LintSeverity, Rule, Run } from './rule.ts';
import { definitionRules, descriptionRules } from './rules/descriptions.ts';
import { genericRules } from './rules/generic.ts';
import { nameRules, readingRules } from './rules/names.ts';
import { ownWordsRules } from './rules/own-words.ts';
import { schemaRules } from './rules/schemas.ts';
import { trustRules } from './rules/trust.ts';

/**
 * The name of a rule.
 *
 * @example
 * ```ts
 * const rule: LintRule = 'missing-description';
 * ```
 */
export type LintRule =
  | keyof (typeof readingRules & typeof descriptionRules & typeof ownWordsRules & typeof genericRules)
  | keyof (typeof nameRules & typeof definitionRules & typeof schemaRules & typeof trustRules);

const entries = Object.entries({
  ...{ ...readingRules, ...descriptionRules, ...ownWordsRules, ...genericRules, ...nameRules, ...definitionRules },
  ...{ ...schemaRules, ...trustRules },
}) as [name: LintRule, rule: Rule][];

/** The rules about texts that mislead the model. */
export const TRUST_RULES: readonly LintRule[] = Object.keys(trustRules) as LintRule[];

/**
 * All rules, in the order of a tool's findings.
 *
 * @example
 * ```ts
 * for (const [rule, { summary }] of Object.entries(lintRules)) console.log(rule, summary);
 * ```
 */
export const lintRules: Readonly<Record<LintRule, LintRuleDescription>> = Object.fromEntries(
  entries.map(([name, { summary, help }]) => [name, { summary, help }]),
) as Record<LintRule, LintRuleDescription>;

/**
 * A flaw of a tool.
 *
 * @example
 * ```ts
 * const say = ({ severity, toolName, evidence, remedy }: LintFinding) => `${severity} ${toolName}: ${evidence} ${remedy}`;
 * ```
 */
export interface LintFinding extends Flaw {
  readonly rule: LintRule;
  /** The server, or the group, of the tool; absent if unknown. */
  readonly server?: string;
}

const SEVERITIES: readonly LintSeverity[] = ['error', 'warning', 'info'];

export interface Wanted {
  /** Overrides the severity of a rule's findings; `off` drops them. */
  readonly rules?: Readonly<Partial<Record<LintRule, LintSeverity | 'off'>>>;
  /** Only findings about these tools. @default all */
  readonly only?: readonly string[];
  /** The tools that are checked one by one and searched by their own words; rules that compare tools see all. @default all */
  readonly chosen?: readonly string[];
  /** Called with the number of tools that have been compared with the others. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** Milliseconds of work before it yields to the event loop. */
const SLICE = 10;

/** Returns the sorted findings of all rules. Also runs in browsers. Errors of the index are thrown. */
export async function check(catalog: LintedCatalog, wanted: Wanted = {}): Promise<readonly LintFinding[]> {
  const only = wanted.only && new Set(wanted.only);
  const looked = wanted.chosen ? new Set(wanted.chosen) : only;
  const chosen = looked ? catalog.tools.filter(({ name }) => looked.has(name)) : catalog.tools;
  let end = performance.now() + SLICE;
  const pause = async (): Promise<void> => {
    if (performance.now() < end) return;
    await turn();
    end = performance.now() + SLICE;
  };
  const compared = (done: number): void => wanted.onProgress?.({ done, total: chosen.length });
  const run: Run = { ...catalog, chosen, pause, compared };
  const servers = serversOf(catalog);
  const findings: LintFinding[] = [];
  for (const [rule, { ofTool, ofCatalog }] of entries) {
    const severity = wanted.rules?.[rule];
    if (severity === 'off') continue;
    const flaws: Flaw[] = [...((await ofCatalog?.(run)) ?? [])];
    await pause();
    for (const tool of ofTool ? chosen : []) {
      const flaw = ofTool?.(tool);
      if (flaw) flaws.push(Object.assign({ severity: flaw.severity, toolName: tool.name }, flaw));
      await pause();
    }
    for (const flaw of flaws) {
      const { toolName, others = [] } = flaw;
      if (only && ![toolName, ...others].some((name) => only.has(name))) continue;
      const server = servers.get(toolName);
      findings.push({ rule, ...flaw, ...(severity ? { severity } : {}), ...(server ? { server } : {}) });
    }
  }
  return inOrder(findings);
}

const RULES = entries.map(([rule]) => rule);
/** The rules that compare tools with each other, independent of the chosen tools. */
const BESIDE = new Set(
  entries.flatMap(([rule, { ofCatalog, ofTool, isOfChosen }]) => (ofCatalog && !ofTool && !isOfChosen ? [rule] : [])),
);

/**
 * Updates findings after a change of some tools, because searching for thousands of tools by their own words takes minutes. An
 * unchanged tool that now loses to a changed one is not found.
 */
export async function checkChanged(
  catalog: LintedCatalog,
  before: readonly LintFinding[],
  changed: ReadonlySet<string>,
): Promise<readonly LintFinding[]> {
  const affected = new Set(changed);
  for (const { rule, toolName, others = [] } of before) {
    if (BESIDE.has(rule) || ![toolName, ...others].some((name) => changed.has(name))) continue;
    for (const name of [toolName, ...others]) affected.add(name);
  }
  const kept = before.filter(({ rule, toolName }) => !BESIDE.has(rule) && !affected.has(toolName));
  return inOrder([...kept, ...(await check(catalog, { chosen: [...affected] }))]);
}

/** Sorts findings by severity, the worst first, then by the names of tools, and by the order of the rules. */
function inOrder(findings: LintFinding[]): readonly LintFinding[] {
  const rank = ({ severity }: LintFinding): number => SEVERITIES.indexOf(severity);
  const place = ({ rule }: LintFinding): number => RULES.indexOf(rule);
  const byName = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
  return findings.sort(
    (one, other) => rank(one) - rank(other) || byName(one.toolName, other.toolName) || place(one) - place(other),
  );
}

/** The servers of tools, by name; also of refused tools, unless those of one name have different servers. */
function serversOf({ tools, refused }: LintedCatalog): ReadonlyMap<string, string> {
  const ofRefused = refused.map(
    ({ name, servers }) => [name, new Set(servers).size === 1 ? (servers[0] ?? '') : ''] as const,
  );
  return new Map([...ofRefused, ...tools.map(({ name, server }) => [name, server] as const)]);
}

/** Yields to the event loop. Browsers have no `setImmediate`. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}
