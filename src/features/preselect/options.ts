import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { checkOption } from '../../errors.ts';
import type { PreselectDecision } from '../../events/reasons.ts';
import type { ToolScorer } from '../../scorers/scorer.ts';
import {
  aFunction,
  type Complete,
  checkOptions,
  hasMethods,
  must,
  type OptionTable,
  object,
  share,
  wholeNumber,
  withDefaults,
} from '../../util/check.ts';
import { asRecord, isRecord } from '../../util/record.ts';

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
   * How likely the best tool must be to be what is asked for, from 0 to 1: less likely, nothing is sent. A further one is
   * sent with it, where it is at least 0.6 times as likely as this.
   *
   * @default 0.5
   */
  readonly minConfidence?: number;
  /** Tools that are sent at most. @default 2 */
  readonly maxTools?: number;
  /** The text that is searched. Nothing is preselected for an empty one. @default the text of the user's last message */
  readonly query?: (messages: Messages) => string | undefined | Promise<string | undefined>;
}

/**
 * Settings of `preselect`, where a classifier chooses: its question is answered about the user's last message, and the
 * tools of the choice are loaded.
 *
 * @example
 * ```ts
 * import { Classifier } from '@mastra/core/classifier';
 *
 * declare const model: ConstructorParameters<typeof Classifier>[0]['model'];
 * const criteria = { code: 'Issues, pull requests, repositories', none: 'Needs no tools' };
 * const classifier = new Classifier({ id: 'needs', model, questions: { domain: { type: 'choice', criteria } } });
 * const preselect: ClassifierPreselectOptions = { classifier, question: 'domain', tools: { code: ['create_issue'], none: [] } };
 * new ToolSearchProcessor({ tools, preselect });
 * ```
 */
export interface ClassifierPreselectOptions {
  /**
   * A `Classifier` of `@mastra/core` with configured questions, or the id of one that is registered with Mastra. It is told
   * the first 8,000 characters of the message.
   */
  readonly classifier: PreselectClassifier | string;
  /** The name of the classifier's choice question. */
  readonly question: string;
  /** The tools to load for each choice. Every choice has to be there, those without tools with an empty list. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
  /** The probability that a choice needs, where the classifier tells one. @default 0.6 */
  readonly minProbability?: number;
  /** Handed to the model of the classifier. */
  readonly providerOptions?: Readonly<Record<string, Record<string, unknown>>>;
  /** Told of each decision. What it throws changes nothing; the event `preselect` has it. */
  readonly onPreselect?: (decision: PreselectDecision) => void | Promise<void>;
}

/**
 * The part of Mastra's `Classifier` that is used.
 *
 * @example
 * ```ts
 * const always: PreselectClassifier = {
 *   questions: { domain: { type: 'choice', criteria: { code: 'Code' } } },
 *   evaluate: async () => ({ answers: { domain: { type: 'choice', choice: 'code' } } }),
 * };
 * ```
 */
export interface PreselectClassifier {
  readonly questions?: unknown;
  evaluate(options: {
    state: string;
    abortSignal?: AbortSignal;
    // biome-ignore lint/suspicious/noExplicitAny: the type is that of the provider's package.
    providerOptions?: any;
  }): Promise<{ readonly answers: object }>;
}

export type SearchPreselect = Complete<PreselectOptions, 'minConfidence' | 'maxTools'>;
export type ClassifierPreselect = ClassifierPreselectOptions & { readonly minProbability: number };

const searchOptions: OptionTable<PreselectOptions, 'minConfidence' | 'maxTools'> = {
  minConfidence: { default: 0.5, check: share },
  maxTools: { default: 2, check: wholeNumber },
  query: { check: aFunction },
};
const classifierOptions: OptionTable<ClassifierPreselectOptions, 'minProbability'> = {
  classifier: {
    isRequired: true,
    check: must(
      'a Classifier, or the id of a registered one',
      (value) => typeof value === 'string' || (isRecord(value) && hasMethods(value, 'evaluate')),
    ),
  },
  question: {},
  tools: { isRequired: true, check: object('a record of lists of names by choice') },
  minProbability: { default: 0.6, check: share },
  providerOptions: {},
  onPreselect: { check: aFunction },
};

/** @throws ToolSearchError `invalid-option` */
export function resolvePreselect(
  option: boolean | PreselectOptions | ClassifierPreselectOptions | undefined,
  scorer: ToolScorer,
): SearchPreselect | ClassifierPreselect | undefined {
  if (!option) return undefined;
  const given = option === true ? {} : option;
  if ('classifier' in given) {
    checkOptions('preselect with a classifier', { preselect: given }, { preselect: { of: classifierOptions } });
    const { minProbability } = withDefaults(classifierOptions, given);
    const options = { ...given, minProbability };
    if (typeof given.classifier !== 'string') checkChoices(given.classifier, options);
    return options;
  }
  checkOptions('preselect without a classifier', { preselect: given }, { preselect: { of: searchOptions } });
  checkGivesConfidence(scorer, 'preselect', option);
  return withDefaults(searchOptions, given);
}

/** @throws ToolSearchError `invalid-option`, for an option that a scorer without confidence cannot serve. */
export function checkGivesConfidence(scorer: ToolScorer, option: string, value: unknown): void {
  const expected = `left out with the scorer "${scorer.name}", which gives no confidence; the default scorer does`;
  checkOption(scorer.givesConfidence !== false, option, value, expected);
}

/** @throws ToolSearchError `invalid-option`, where the classifier lacks the question, or the mapping one of its choices. */
export function checkChoices(classifier: PreselectClassifier, { question, tools }: ClassifierPreselect): void {
  const questions = asRecord(classifier.questions);
  checkOption(questions !== undefined, 'preselect.classifier', classifier, 'one with configured questions');
  const { type, criteria } = asRecord(questions?.[question]) ?? {};
  checkOption(type !== undefined, 'preselect.question', question, 'one of the classifier; this is not configured');
  checkOption(type === 'choice', 'preselect.question', question, 'a choice question');
  const choices = Object.keys(criteria as object);
  const isListed = (choice: string): boolean => {
    const names: unknown = tools[choice];
    return Array.isArray(names) && names.every((name) => typeof name === 'string');
  };
  const missing = choices.filter((choice) => !isListed(choice));
  checkOption(missing.length === 0, 'preselect.tools', tools, `a list of names for every choice. Missing: ${missing}`);
  const unknown = Object.keys(tools).filter((choice) => !choices.includes(choice));
  checkOption(unknown.length === 0, 'preselect.tools', tools, `no choice that the question cannot return: ${unknown}`);
}
