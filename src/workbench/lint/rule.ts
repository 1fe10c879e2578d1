import type { LintedCatalog, LintedTool } from './linted-catalog.ts';

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
 * What a rule is about.
 *
 * @example
 * ```ts
 * const line = ({ summary, help }: LintRuleDescription) => `${summary} ${help}`;
 * ```
 */
export interface LintRuleDescription {
  /** What is wrong with a tool that it finds. */
  readonly summary: string;
  /** Why it matters, and what helps. */
  readonly help: string;
}

/** A flaw of a tool, as a rule finds it. */
export interface Flaw {
  readonly severity: LintSeverity;
  /** The name by which the model calls the tool; of a tool that cannot be taken, the one it would have. */
  readonly toolName: string;
  /** The other tools of the finding, by their names. */
  readonly others?: readonly string[];
  /** The place in the definition: `description`, or a parameter as `filter.state`. Left out where it is the whole tool. */
  readonly path?: string;
  /** What is wrong, in a sentence. Texts of tools are quoted, cut, and what is not seen in them is escaped. */
  readonly evidence: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

/** One check of a catalog. */
export interface Run extends LintedCatalog {
  /** The tools that are checked; the others still count in searches. */
  readonly chosen: readonly LintedTool[];
  /** Lets others have their turn where that is due. */
  pause(): Promise<void>;
}

/** A rule: what it is about, and how it finds flaws. It runs in browsers too. */
export interface Rule extends LintRuleDescription {
  /** Looks at one tool. */
  readonly ofTool?: (tool: LintedTool) => readonly Flaw[];
  /** Looks at tools beside others. */
  readonly ofCatalog?: (run: Run) => readonly Flaw[] | Promise<readonly Flaw[]>;
}

/** Rules by their names: the keys of the groups are all rules that there are. */
export type Rules<Name extends string> = Readonly<Record<Name, Rule>>;
