import {
  bm25Scorer,
  checkOption,
  inSlices,
  invalidOption,
  type NamesOf,
  providerSearches,
  refuseUnknownOptions,
  serverOf,
  type ToolGroup,
  type ToolScorer,
} from '../../kit.ts';
import type { EvaluateOptions } from '../evaluate/evaluate.ts';
import type { LintMode } from './catalog.ts';
import { check, type LintFinding, type LintRule, lintRules } from './check.ts';
import { readTools } from './read-tools.ts';
import type { LintSeverity } from './rule.ts';

/**
 * The options of `lint`.
 *
 * @example
 * ```ts
 * const options: LintOptions = { rules: { 'undescribed-parameters': 'info', 'crowded-namespace': 'off' } };
 * console.log(await lint(tools, options));
 * ```
 */
export interface LintOptions {
  /** The severity of a rule's findings in place of their own; `off` for none of them. */
  readonly rules?: Readonly<Partial<Record<LintRule, LintSeverity | 'off'>>>;
  /** Ranks tools for the rules that search. @default bm25Scorer() */
  readonly scorer?: ToolScorer;
  /** Results that a model is shown. @default 5 */
  readonly topK?: number;
  /** The processor's `search.keywords`. @default none */
  readonly keywords?: Readonly<Record<string, readonly string[]>>;
  /** The processor's `mode`: `crowded-namespace` is about native mode alone. @default 'load' */
  readonly mode?: 'load' | 'call' | 'native';
  /** The processor's `groups`. @default the MCP server of a tool, or the name of its toolset */
  readonly groups?: ToolGroup;
  /** Only findings about these tools, by the names the model calls. All others still count in searches. @default all */
  readonly only?: readonly string[];
}

const optionNames: NamesOf<LintOptions> = {
  rules: Object.fromEntries(Object.keys(lintRules).map((rule) => [rule, true])),
  ...{ scorer: true, topK: true, keywords: true, groups: true, mode: true, only: true },
};
/** The names that the processor refuses in each mode: those of its meta-tools. */
const RESERVED: Readonly<Record<LintMode, readonly string[]>> = {
  load: ['search_tools', 'load_tool'],
  call: ['search_tools', 'load_tool', 'call_tool'],
  native: ['search_tools', 'load_tool', ...providerSearches.keys()],
};
const SEVERITIES: readonly unknown[] = ['error', 'warning', 'info', 'off', undefined];

/**
 * Looks for flaws of tools that keep a model from finding, calling or trusting them. No model is called, and no tool runs.
 *
 * A tool that the processor would refuse is a finding here.
 *
 * @throws ToolSearchError `invalid-option` for wrong options, and for `tools` that are neither record nor list. What the
 * scorer throws is thrown.
 *
 * @example
 * ```ts
 * const findings = await lint(tools);
 * for (const { severity, toolName, evidence, remedy } of findings) console.log(severity, toolName, evidence, remedy);
 * process.exitCode = findings.some(({ severity }) => severity === 'error') ? 1 : 0;
 * ```
 */
export async function lint(
  tools: EvaluateOptions['tools'],
  options: LintOptions = {},
): Promise<readonly LintFinding[]> {
  refuseUnknownOptions('lint', options, optionNames);
  const {
    rules = {},
    scorer = bm25Scorer(),
    topK = 5,
    keywords = {},
    groups = serverOf,
    mode = 'load',
    only,
  } = options;
  checkOption(Number.isInteger(topK) && topK > 0, 'topK', topK, 'a whole number above 0');
  checkOption(typeof groups === 'function', 'groups', groups, 'a function');
  checkOption(Object.hasOwn(RESERVED, mode), 'mode', mode, '"load", "call" or "native"');
  for (const [rule, severity] of Object.entries(rules))
    checkOption(SEVERITIES.includes(severity), `rules["${rule}"]`, severity, '"error", "warning", "info" or "off"');
  if (only !== undefined && !(Array.isArray(only) && only.every((name) => typeof name === 'string')))
    throw invalidOption('only', only, 'a list of names');
  const read = await inSlices(readTools(tools, groups, new Map(Object.entries(keywords)), RESERVED[mode]));
  const index = await scorer.index(read.tools.map(({ document }) => document));
  return check({ ...read, index, topK, mode }, { rules, ...(only ? { only } : {}) });
}
