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
  /** The score in the units of the scorer; 1 for a tool that was selected by its name. */
  readonly score: number;
  /** The probability that the tool is what was asked for. Absent if the scorer gives none. */
  readonly confidence?: number;
}

/**
 * How well the results of a search fit.
 *
 * - `fits`: some tool probably does what was asked for; with several queries, for at least one of them.
 * - `weak`: some tool matches, but probably none fits.
 * - `nothing`: no tool matches.
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
 * - `weak`: no result of a query clearly fits.
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
 * Why a called tool was not loaded.
 *
 * - `unknown`: no tool has such a name, or several tools could be meant.
 * - `denied`: the request may not load or use the tool.
 * - `no-room`: `maxLoaded`.
 * - `failed`: the definition of the tool could not be resolved, or cannot be sent.
 *
 * @example
 * ```ts
 * const isGuess = (cause: MissCause) => cause === 'unknown';
 * ```
 */
export type MissCause = 'unknown' | 'denied' | 'no-room' | 'failed';

/**
 * Why tools were unloaded.
 *
 * - `tools`, `tokens`: the part of `maxLoaded` that was reached.
 * - `left-catalog`: the catalog no longer has the tools, and others need their room.
 *
 * @example
 * ```ts
 * const isCap = (cause: EvictionCause) => cause !== 'left-catalog';
 * ```
 */
export type EvictionCause = 'tools' | 'tokens' | 'left-catalog';

/**
 * Why no tool was preselected.
 *
 * - `no-text`: the user's last message has no words, or is small talk.
 * - `no-match`: no tool that the request may search, load and use has a word of the message; or `preselect.choose`
 *   named no tool that the request may load.
 * - `below-confidence`: no tool is likely enough.
 * - `already-there`: the likely tools are sent anyway.
 * - `no-room`: `maxLoaded`.
 * - `timeout`: the query and the search, or `preselect.choose`, took longer than `timeouts.preselect`.
 * - `index-timeout`: the index was not built within `timeouts.index`; the build goes on for later runs.
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
 * Why native mode, or a part of it, is off.
 *
 * - `unsupported-model`: the model has no tool search, or is not known to have one.
 * - `model-changed`: `prepareStep` or a later processor chose another model than the step was prepared for.
 * - `refused`: the provider answered 400 and named its tool search.
 * - `append-refused`: the provider refused definitions in mid-conversation; its tool search goes on without them.
 * - `not-rewritten`: Mastra called neither `processLLMRequest` nor the model that the step returned, so the searches in
 *   the conversation cannot be rewritten for the provider.
 * - `failed`: `native.detect` or the rewriting of the prompt threw, or the code of native mode could not be loaded.
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
 * An operation of a store.
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
 * A flaw of a tool.
 *
 * - `missing-description`: the tool can be found only by its name.
 * - `renamed`: providers refuse the name of the tool, so the tool is searched, loaded and called under another.
 * - `left-out`: the tool is not in the catalog, for the reason in `message`; in the constructor, only if its repaired
 *   name is taken as well.
 * - `unreadable-schema`: the parameters of the tool cannot be searched.
 * - `sent-anyway`: the agent itself has the same tool, under another name.
 * - `not-pinned`: a trusted server wants the tool to be sent always, but there is no room for it; the tool is searched
 *   instead.
 * - `crowded-namespace`: OpenAI advises fewer than ten functions in a namespace. `toolName` is the namespace.
 * - `unsendable`: the tool cannot be read or converted. It is neither loaded nor called, and searches skip it.
 * - `refused-schema`: the provider of a model refuses the definition of the tool. For an hour, the tool is not sent to
 *   that model, and searches skip it; in call mode it stays usable.
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
