/**
 * - `no-text`: the user's last message has no words, or is small talk.
 * - `no-match`: nothing that the request may search, load and use has a word of it.
 * - `below-confidence`: nothing is likely enough.
 * - `already-there`: what is likely is sent anyway.
 * - `no-room`: `maxLoaded`.
 * - `timeout`: it took longer than `timeouts.preselect`.
 * - `failed`: the scorer, or `preselect.query`, threw.
 *
 * A classifier's reasons are those of {@link PreselectDecision}.
 *
 * @example
 * ```ts
 * const isFault = (reason: PreselectReason) => reason === 'timeout' || reason === 'failed';
 * ```
 */
export type PreselectReason =
  | 'no-text'
  | 'no-match'
  | 'below-confidence'
  | 'already-there'
  | 'no-room'
  | 'timeout'
  | 'failed'
  | NonNullable<PreselectDecision['reason']>;

/**
 * What a classifier's answer about a message led to.
 *
 * - `classifier-error`: the classifier failed, took longer than `timeouts.preselect`, or is not registered.
 * - `no-answer`: it did not answer the question.
 * - `below-threshold`: its choice is less probable than `minProbability`.
 * - `no-tools-for-choice`: its choice needs no tools.
 * - `tools-filtered-out`: the filter denies all of them, or there is no room.
 *
 * @example
 * ```ts
 * const log = ({ tools, choice, reason }: PreselectDecision) => console.log(choice, tools, reason);
 * ```
 */
export interface PreselectDecision {
  /** The tools that were loaded, or are there. */
  readonly tools: readonly string[];
  readonly choice?: string;
  readonly probability?: number;
  /** Whether nothing was loaded, for this reason. */
  readonly abstained: boolean;
  readonly reason?: 'classifier-error' | 'no-answer' | 'below-threshold' | 'no-tools-for-choice' | 'tools-filtered-out';
}

/**
 * - `unsupported-model`: it has no tool search, or is not known to have one.
 * - `model-changed`: another model than the step was prepared for, by `prepareStep` or a later processor.
 * - `refused`: the provider answered 400 and named its tool search.
 * - `append-refused`: it named definitions in mid-conversation; the tool search goes on without them.
 * - `not-rewritten`: neither `processLLMRequest` nor the model that the step returned was called, so that the searches in the
 *   conversation cannot be given the form that the provider wants.
 * - `failed`: `native.detect`, or the rewriting of the prompt, threw.
 *
 * @example
 * ```ts
 * const isPassing = (reason: NativeOffReason) => reason === 'model-changed';
 * ```
 */
export type NativeOffReason =
  | 'unsupported-model'
  | 'model-changed'
  | 'refused'
  | 'append-refused'
  | 'not-rewritten'
  | 'failed';

/**
 * An operation that a store was asked for.
 *
 * @example
 * ```ts
 * const isWrite = (operation: StoreOperation) => operation === 'add' || operation === 'remove';
 * ```
 */
export type StoreOperation = 'get' | 'add' | 'remove' | 'clear' | 'useMastra';

/**
 * - `missing-description`: it can only be found by its name.
 * - `renamed`: providers refuse its name, so it is searched, loaded and called under another.
 * - `left-out`: it cannot be taken, as `message` says; in the constructor only where its repaired name is taken as well.
 * - `unreadable-schema`: its parameters cannot be searched.
 * - `sent-anyway`: the agent has the same tool itself, under another name.
 * - `not-pinned`: its server wants it to be sent always, and is trusted, but there is no room; it is searched.
 * - `crowded-namespace`: OpenAI advises fewer than ten functions in a namespace. `toolName` is the namespace.
 * - `unsendable`: it cannot be read or converted, so that it is neither loaded nor called; searches pass it over.
 *
 * @example
 * ```ts
 * const isHidden = (problem: ToolProblem) => problem === 'left-out' || problem === 'unsendable';
 * ```
 */
export type ToolProblem =
  | 'missing-description'
  | 'renamed'
  | 'left-out'
  | 'unreadable-schema'
  | 'sent-anyway'
  | 'not-pinned'
  | 'crowded-namespace'
  | 'unsendable';
