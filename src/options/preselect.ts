import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { checkOption } from '../errors.ts';
import type { ToolScorer } from '../scorers/scorer.ts';
import { isRecord } from '../util/record.ts';

/** The messages of a conversation, as Mastra hands them to processors. */
type Messages = ProcessInputStepArgs['messages'];

/**
 * Settings of `preselect`, where the user's last message is searched.
 *
 * @example
 * ```ts
 * const preselect: PreselectOptions = { minConfidence: 0.7, maxTools: 2 };
 * new ToolSearchProcessor({ tools, preselect });
 * ```
 */
export interface PreselectOptions {
  /**
   * How likely the right tool is to be among those that are sent, from 0 to 1: tools are added, best first, until it is.
   * The best one needs half of this confidence, each further one four fifths. A higher value sends only what is clear,
   * and more of it where nothing is.
   *
   * @default 0.5
   */
  readonly minConfidence?: number;
  /** Tools that are sent at most. @default 3 */
  readonly maxTools?: number;
  /** The text that is searched. Nothing is preselected for an empty one. @default the text of the user's last message */
  readonly query?: (messages: Messages) => string | undefined | Promise<string | undefined>;
}

/** The option, checked, with its defaults. */
export interface ResolvedPreselect {
  readonly minConfidence: number;
  readonly maxTools: number;
  readonly query: NonNullable<PreselectOptions['query']> | undefined;
  /** Milliseconds that it may take. */
  readonly timeout: number;
}

/** Milliseconds by which a search may delay a run. */
const SEARCH_TIMEOUT = 150;

/**
 * @returns undefined where it is off.
 * @throws ToolSearchError `invalid-option`
 */
export function resolvePreselect(
  option: unknown,
  scorer: ToolScorer,
  timeout: number = SEARCH_TIMEOUT,
): ResolvedPreselect | undefined {
  if (option === undefined || option === false) return undefined;
  const expected = 'true, false or an object, e.g. { minConfidence: 0.5 }';
  checkOption(option === true || isRecord(option), 'preselect', option, expected);
  const { minConfidence = 0.5, maxTools = 3, query }: PreselectOptions = option === true ? {} : (option as object);
  const isShare = typeof minConfidence === 'number' && minConfidence >= 0 && minConfidence <= 1;
  checkOption(isShare, 'preselect.minConfidence', minConfidence, 'a number from 0 to 1');
  const isCount = Number.isInteger(maxTools) && maxTools >= 1;
  checkOption(isCount, 'preselect.maxTools', maxTools, 'a whole number of at least 1');
  checkOption(query === undefined || typeof query === 'function', 'preselect.query', query, 'a function');
  checkOption(
    scorer.givesConfidence !== false,
    'preselect',
    option,
    `left out with the scorer "${scorer.name}", which gives no confidence; bm25Scorer() does`,
  );
  return { minConfidence, maxTools, query, timeout };
}
