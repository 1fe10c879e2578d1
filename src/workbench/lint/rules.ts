import type { LintRuleDescription, Rule } from './rule.ts';
import { definitionRules, descriptionRules } from './rules/descriptions.ts';
import { characterRules } from './rules/hidden-characters.ts';
import { instructionRules } from './rules/instructions.ts';
import { nameRules, readingRules } from './rules/names.ts';
import { serverRules } from './rules/other-servers.ts';
import { ownWordsRules } from './rules/own-words.ts';

/**
 * The name of a rule.
 *
 * @example
 * ```ts
 * const rule: LintRule = 'missing-description';
 * ```
 */
export type LintRule =
  | keyof typeof readingRules
  | keyof typeof descriptionRules
  | keyof typeof ownWordsRules
  | keyof typeof nameRules
  | keyof typeof definitionRules
  | keyof typeof instructionRules
  | keyof typeof characterRules
  | keyof typeof serverRules;

const all: Readonly<Record<LintRule, Rule>> = {
  ...{ ...readingRules, ...descriptionRules, ...ownWordsRules, ...nameRules, ...definitionRules },
  ...{ ...instructionRules, ...characterRules, ...serverRules },
};

export const rules: readonly (readonly [name: LintRule, rule: Rule])[] = Object.entries(all) as [LintRule, Rule][];

/**
 * All rules, in the order in which findings of one tool stand.
 *
 * @example
 * ```ts
 * for (const [rule, { summary }] of Object.entries(lintRules)) console.log(rule, summary);
 * ```
 */
export const lintRules: Readonly<Record<LintRule, LintRuleDescription>> = Object.fromEntries(
  rules.map(([name, { summary, help }]) => [name, { summary, help }]),
) as Record<LintRule, LintRuleDescription>;
