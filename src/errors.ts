/** What went wrong, for programs. Stable across versions; messages are not. */
export type ToolSearchErrorCode =
  /** An option has the wrong type or lies outside its range. */
  | 'invalid-option'
  /** An entry of `tools` is not a tool. */
  | 'invalid-tool'
  /** Two tools would be called by the same name. */
  | 'duplicate-tool'
  /** A tool has the name of a meta-tool. */
  | 'reserved-name'
  /** Another processor, or the agent itself, already has a tool with the name of a meta-tool. */
  | 'meta-tool-clash';

/**
 * Every error this package throws on purpose. Match on `code`; messages may change.
 *
 * Only the developer's mistakes are thrown. The model's mistakes are results that say what to do next, and the
 * faults of a store, scorer or filter are events.
 */
export class ToolSearchError extends Error {
  override readonly name: string = 'ToolSearchError';
  readonly code: ToolSearchErrorCode;

  constructor(code: ToolSearchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
