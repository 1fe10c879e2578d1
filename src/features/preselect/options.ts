import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { checkOption } from '../../errors.ts';
import type { ToolScorer } from '../../scorers/scorer.ts';
import {
  aFunction,
  type Complete,
  checkOptions,
  type OptionTable,
  share,
  wholeNumber,
  withDefaults,
} from '../../util/check.ts';

type Messages = ProcessInputStepArgs['messages'];

/**
 * The settings of `preselect` by search, whose query is the user's last message.
 *
 * @example
 * ```ts
 * const preselect: PreselectOptions = { minConfidence: 0.7, maxTools: 2 };
 * new ToolSearchProcessor({ tools, preselect });
 * ```
 */
export interface PreselectOptions {
  /**
   * Minimum confidence of the best tool, from 0 to 1. Below it, no tool is sent. A further tool is sent if it has at
   * least 0.6 times this confidence.
   *
   * @default 0.5
   */
  readonly minConfidence?: number;
  /** Limit of the preselected tools. @default 2 */
  readonly maxTools?: number;
  /**
   * Returns the text that is searched. For an empty text, nothing is preselected. @default the text of the user's last
   * message
   */
  readonly query?: (messages: Messages) => string | undefined | Promise<string | undefined>;
}

/**
 * `preselect` by a function: a classifier, rules, or a model of yours name the tools that a run begins with.
 *
 * @example
 * ```ts
 * const preselect: ChoosingPreselectOptions = {
 *   choose: (_, { text }) => (/\binvoices?\b/i.test(text) ? ['create_invoice', 'list_invoices'] : []),
 * };
 * new ToolSearchProcessor({ tools, preselect });
 * ```
 */
export interface ChoosingPreselectOptions {
  /**
   * Returns the names of the tools to send, as `load_tool` takes them; with an empty list, none is sent. Called once a
   * run, before the first model call, and limited by `timeouts.preselect`. The filter's load phase decides about these
   * tools. If the function throws or is late, the run goes on without them.
   */
  readonly choose: (
    messages: Messages,
    about: PreselectContext,
  ) => readonly string[] | undefined | Promise<readonly string[] | undefined>;
}

/**
 * The second argument of `preselect.choose`.
 *
 * @example
 * ```ts
 * const isLong = ({ text }: PreselectContext) => text.length > 8_000;
 * ```
 */
export interface PreselectContext {
  /** The text of the user's last message. Empty if the message has none. */
  readonly text: string;
  readonly requestContext?: NonNullable<ProcessInputStepArgs['requestContext']>;
  /** Aborted when the run is aborted, when the time is over, or when the function has answered. */
  readonly abortSignal: AbortSignal;
}

export type SearchPreselect = Complete<PreselectOptions, 'minConfidence' | 'maxTools'>;

const searchOptions: OptionTable<PreselectOptions, 'minConfidence' | 'maxTools'> = {
  minConfidence: { default: 0.5, check: share },
  maxTools: { default: 2, check: wholeNumber },
  query: { check: aFunction },
};
const choosingOptions: OptionTable<ChoosingPreselectOptions> = { choose: { isRequired: true, check: aFunction } };

/** @throws ToolSearchError `invalid-option` */
export function resolvePreselect(
  option: boolean | PreselectOptions | ChoosingPreselectOptions | undefined,
  scorer: ToolScorer,
): SearchPreselect | ChoosingPreselectOptions | undefined {
  if (!option) return undefined;
  const given = option === true ? {} : option;
  const isByClassifier = 'classifier' in given;
  checkOption(!isByClassifier, 'preselect', option, 'one with `choose`, a function that may ask a classifier');
  if ('choose' in given) {
    checkOptions('preselect with a function', { preselect: given }, { preselect: { of: choosingOptions } });
    return given;
  }
  checkOptions('preselect by search', { preselect: given }, { preselect: { of: searchOptions } });
  checkGivesConfidence(scorer, 'preselect', option);
  return withDefaults(searchOptions, given);
}

/** @throws ToolSearchError `invalid-option`, for an option that a scorer without confidence cannot serve. */
export function checkGivesConfidence(scorer: ToolScorer, option: string, value: unknown): void {
  const expected = `left out with the scorer "${scorer.name}", which gives no confidence; the default scorer does`;
  checkOption(scorer.givesConfidence !== false, option, value, expected);
}
