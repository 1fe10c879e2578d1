import { checkOption, invalidOption } from '../../../errors.ts';
import { type NamesOf, refuseUnknownOptions } from '../../../util/check.ts';
import { actions, alike, domains, everyday, related, spellings, translations, wishes } from './words.ts';

/**
 * Words that mean alike. A word of several parts is written with spaces: `['pr', 'pull request']`.
 *
 * @example
 * ```ts
 * const leave: SynonymGroup = { words: ['pto', 'vacation', 'days off'], weight: 0.9 };
 * bm25Scorer({ synonyms: [...toolSynonyms, leave] });
 * ```
 */
export interface SynonymGroup {
  readonly words: readonly string[];
  /**
   * Weight of a match by another word of the group, against 1 for the word itself.
   *
   * @default 0.8
   */
  readonly weight?: number;
  /**
   * Whether the group counts only for a word that no tool of the catalog has, in any form.
   *
   * @default false
   */
  readonly forUnknown?: boolean;
}

const groupOptions: NamesOf<SynonymGroup> = { words: true, weight: true, forUnknown: true };
export const DEFAULT_WEIGHT = 0.8;

/**
 * Checks groups of synonyms. Returns a copy, which later changes of the list do not reach.
 *
 * @throws ToolSearchError `invalid-option` unless it is a list of groups of words.
 */
export function checkedGroups(groups: unknown): readonly SynonymGroup[] {
  if (!Array.isArray(groups))
    throw invalidOption('synonyms', groups, 'a list of groups, e.g. [{ words: ["pto", "vacation"] }]');
  for (const group of groups as readonly Partial<SynonymGroup>[]) {
    const { words: members, weight = DEFAULT_WEIGHT, forUnknown = false } = group ?? {};
    if (!Array.isArray(members) || !members.every((member) => typeof member === 'string')) {
      throw invalidOption('synonyms', group, 'a list of groups, each with a list of words');
    }
    refuseUnknownOptions('a group of synonyms', group, groupOptions);
    if (typeof weight !== 'number' || !(weight > 0 && weight <= 1)) {
      throw invalidOption('synonyms[].weight', weight, 'a number above 0, at most 1');
    }
    checkOption(typeof forUnknown === 'boolean', 'synonyms[].forUnknown', forUnknown, 'true or false');
  }
  return (groups as readonly SynonymGroup[]).map((group) => ({ ...group, words: [...group.words] }));
}

/** Groups of one weight in one text, which is searched as it is: most of the many groups are never asked for. */
export interface KeyedGroups {
  /** Lower-case members, each after a space. Underscores join the words of a member; a semicolon ends a group. */
  readonly text: string;
  readonly weight: number;
  readonly forUnknown: boolean;
}

/** The built-in vocabulary. */
export function toolGroups(): readonly KeyedGroups[] {
  const groups = (weight: number, text: string, forUnknown = false): KeyedGroups => ({
    text: text.replaceAll('\n ', ''),
    ...{ weight, forUnknown },
  });
  return [
    groups(0.8, spellings),
    groups(0.8, translations),
    groups(0.6, actions),
    groups(0.45, related),
    groups(0.45, domains),
    groups(0.6, alike),
    groups(0.45, everyday, true),
    groups(0.6, wishes),
  ];
}
