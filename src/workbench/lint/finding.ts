import type { Flaw, LintSeverity } from './rule.ts';
import type { LintRule } from './rules.ts';

export type { LintSeverity } from './rule.ts';

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
  /** The server, or the group, of that tool; left out where it is not told. */
  readonly server?: string;
}

const SEVERITIES: readonly LintSeverity[] = ['error', 'warning', 'info'];

/** The worst first, then by the names of tools. Findings of one tool stay in their order. */
export function sorted(findings: readonly LintFinding[]): readonly LintFinding[] {
  const rank = ({ severity }: LintFinding): number => SEVERITIES.indexOf(severity);
  const byName = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);
  return findings.toSorted((one, other) => rank(one) - rank(other) || byName(one.toolName, other.toolName));
}
