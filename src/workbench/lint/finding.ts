import type { LintRule } from './rules.ts';

/**
 * How bad a finding is: an `error` keeps a tool from being found, called or trusted, a `warning` makes that less likely, an
 * `info` is good to know.
 *
 * @example
 * ```ts
 * const failing: readonly LintSeverity[] = ['error', 'warning'];
 * ```
 */
export type LintSeverity = 'error' | 'warning' | 'info';

/**
 * A flaw of a tool.
 *
 * @example
 * ```ts
 * const say = ({ severity, toolName, evidence, remedy }: LintFinding) => `${severity} ${toolName}: ${evidence} ${remedy}`;
 * ```
 */
export interface LintFinding {
  readonly rule: LintRule;
  readonly severity: LintSeverity;
  /** The name by which the model calls the tool; of a tool that cannot be taken, the one it would have. */
  readonly toolName: string;
  /** The server, or the group, of that tool; left out where it is not told. */
  readonly server?: string;
  /** The other tools of the finding, by their names. */
  readonly others?: readonly string[];
  /** The place in the definition: `description`, or a parameter as `filter.state`. Left out where it is the whole tool. */
  readonly path?: string;
  /** What is wrong, in a sentence. Texts of tools are quoted, cut, and what is not seen in them is escaped. */
  readonly evidence: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

const SEVERITIES: readonly LintSeverity[] = ['error', 'warning', 'info'];

/** The worst first, then by the names of tools. Findings of one tool stay in their order. */
export function sorted(findings: readonly LintFinding[]): readonly LintFinding[] {
  const rank = ({ severity }: LintFinding): number => SEVERITIES.indexOf(severity);
  const byName = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
  return findings.toSorted((one, other) => rank(one) - rank(other) || byName(one.toolName, other.toolName));
}
