/**
 * The kind of a fault, for programs. Codes are stable across versions; messages are not.
 *
 * @example
 * ```ts
 * const isMine = (code: ToolSearchErrorCode) => code === 'invalid-option' || code === 'invalid-tool';
 * ```
 */
export type ToolSearchErrorCode =
  /** An option has the wrong type, lies outside its range, is unknown, or contradicts another. */
  | 'invalid-option'
  /** An entry of `tools` is not a tool. */
  | 'invalid-tool'
  /** Two different tools would be called by the same name. */
  | 'duplicate-tool'
  /** A tool has the name of a meta-tool. */
  | 'reserved-name'
  /** Another processor, or the agent itself, already has a tool with the name of a meta-tool. */
  | 'meta-tool-clash'
  /** `native.fallback: 'error'`: the model of a step has no tool search. */
  | 'native-unsupported'
  /** `search()` of the class: the scorer, or the source, failed. */
  | 'search-failed'
  /**
   * `threadStateStore()`: there is no Mastra storage, or the storage cannot hold loaded tools. `postgresSource()`: its
   * tables are missing, or belong to another release.
   */
  | 'storage-unavailable'
  /** The page of the inspector was not deployed with the package. */
  | 'inspector-unavailable';

/**
 * Every error this package throws on purpose. Match on `code`; messages may change.
 *
 * Only the developer's mistakes are thrown. The model's mistakes are results that say what to do next, and the
 * faults of a store, scorer or filter are events.
 *
 * @example
 * ```ts
 * try {
 *   new ToolSearchProcessor({ tools, ttl: -1 });
 * } catch (error) {
 *   if (error instanceof ToolSearchError && error.code === 'invalid-option') console.error(error.message);
 * }
 * ```
 */
export class ToolSearchError extends Error {
  override readonly name: string = 'ToolSearchError';
  readonly code: ToolSearchErrorCode;

  constructor(code: ToolSearchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Makes an error for a step. Mastra wraps the error and keeps only the message, so the message ends with the code. */
export function stepError(code: ToolSearchErrorCode, message: string): ToolSearchError {
  return new ToolSearchError(code, `${message} (${code})`);
}

/** Makes the error for an option. `hint` begins with a space. */
export function invalidOption(option: string, value: unknown, expected: string, hint = ''): ToolSearchError {
  return new ToolSearchError('invalid-option', `"${option}" must be ${expected}; got ${show(value)}.${hint}`);
}

/** @throws ToolSearchError `invalid-option` unless `holds` is true. */
export function checkOption(holds: boolean, option: string, value: unknown, expected: string): void {
  if (!holds) throw invalidOption(option, value, expected);
}

/**
 * Shows a value in short form, without possible secrets: the code of functions, the fields of objects, the password of
 * a URL.
 */
function show(value: unknown): string {
  if (typeof value === 'string') {
    const text = value.replace(/\/\/[^/\s]*@/g, '//…@');
    return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  }
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value instanceof Promise) return 'a promise';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** Returns the message of a thrown value. Never throws, whatever the value does. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.message}` : String(error);
  } catch {
    return 'an error that cannot be shown';
  }
}
