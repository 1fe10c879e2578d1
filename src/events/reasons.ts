/**
 * A tool that a search returned.
 *
 * @example
 * ```ts
 * const line = ({ name, score, confidence }: ReturnedTool) => `${name} ${score} ${confidence ?? ''}`;
 * ```
 */
export interface ReturnedTool {
  readonly name: string;
  /** In the units of the scorer; 1 for a tool that was selected by its name. */
  readonly score: number;
  /** How likely it is what was asked for; absent where the scorer does not say. */
  readonly confidence?: number;
}

/**
 * - `fits`: something probably does what was asked for; of several queries, for one at least.
 * - `weak`: something matches, but probably nothing fits.
 * - `nothing`: nothing matches.
 * - `failed`: the scorer failed.
 *
 * @example
 * ```ts
 * const isSure = (verdict: SearchVerdict) => verdict === 'fits';
 * ```
 */
export type SearchVerdict = 'fits' | 'weak' | 'nothing' | 'failed';

/**
 * Why a search of the model searched the user's message as well.
 *
 * - `nothing`: a query found nothing, or the model asked for nothing.
 * - `unknown-name`: the model loaded, or called, a tool by a name that no tool has.
 * - `weak`: nothing that a query found clearly fits.
 * - `repeated`: a query was answered before in this run.
 * - `unrelated`: a query has no word in common with the message.
 * - `always`: none of these; `search.useMessage` is `true`.
 *
 * @example
 * ```ts
 * const isFallback = (reason: MessageReason) => reason !== 'always';
 * ```
 */
export type MessageReason = 'nothing' | 'unknown-name' | 'weak' | 'repeated' | 'unrelated' | 'always';

/**
 * - `unknown`: no tool has such a name, or several could be meant.
 * - `denied`: the request may not load or use it.
 * - `no-room`: `maxLoaded`.
 * - `failed`: it has no definition, or one that cannot be sent.
 *
 * @example
 * ```ts
 * const isGuess = (cause: MissCause) => cause === 'unknown';
 * ```
 */
export type MissCause = 'unknown' | 'denied' | 'no-room' | 'failed';

/**
 * - `tools`, `tokens`: the part of `maxLoaded` that was reached.
 * - `left-catalog`: the catalog no longer has them, and others need their room.
 *
 * @example
 * ```ts
 * const isCap = (cause: EvictionCause) => cause !== 'left-catalog';
 * ```
 */
export type EvictionCause = 'tools' | 'tokens' | 'left-catalog';

/**
 * - `no-text`: the user's last message has no words, or is small talk.
 * - `no-match`: nothing that the request may search, load and use has a word of it; `preselect.choose` named nothing that it
 *   may load.
 * - `below-confidence`: nothing is likely enough.
 * - `already-there`: what is likely is sent anyway.
 * - `no-room`: `maxLoaded`.
 * - `timeout`: the query and the search, or `preselect.choose`, took longer than `timeouts.preselect`.
 * - `index-timeout`: the index was not there within `timeouts.index`; it goes on being built.
 * - `failed`: the scorer, `preselect.query` or `preselect.choose` threw.
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
  | 'index-timeout'
  | 'failed';

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
 * What failed for `pins`: an operation of its store, or its function `scope`.
 *
 * @example
 * ```ts
 * const isOfStore = (operation: PinOperation) => operation !== 'scope';
 * ```
 */
export type PinOperation = 'read' | 'add' | 'useMastra' | 'scope';

/**
 * A method of a `ToolSource` that was called.
 *
 * @example
 * ```ts
 * const isOfSearch = (operation: SourceOperation) => operation !== 'get';
 * ```
 */
export type SourceOperation = 'search' | 'get' | 'list';

/**
 * - `missing-description`: it can only be found by its name.
 * - `renamed`: providers refuse its name, so it is searched, loaded and called under another.
 * - `left-out`: it cannot be taken, as `message` says; in the constructor only where its repaired name is taken as well.
 * - `unreadable-schema`: its parameters cannot be searched.
 * - `sent-anyway`: the agent has the same tool itself, under another name.
 * - `not-pinned`: its server wants it to be sent always, and is trusted, but there is no room; it is searched.
 * - `crowded-namespace`: OpenAI advises fewer than ten functions in a namespace. `toolName` is the namespace.
 * - `unsendable`: it cannot be read or converted, so that it is neither loaded nor called; searches pass it over.
 * - `refused-schema`: the provider of a model refuses its definition. For an hour it is not sent to that model, and searches
 *   pass it over; in call mode it stays usable.
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
  | 'unsendable'
  | 'refused-schema';
