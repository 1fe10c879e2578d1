/**
 * Messages between the thread of a program and the main thread. Inputs, results and logs are texts.
 *
 * @module
 */
export interface ProgramData {
  /** The JavaScript source of an async function without parameters. The program begins at the second line of the source. */
  readonly program: string;
  readonly toolIds: readonly string[];
  readonly memoryLimitMb: number;
}

export type FromProgram =
  | { readonly type: 'call'; readonly id: number; readonly toolId: string; readonly input: string | undefined }
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'done'; readonly result: string | undefined }
  | { readonly type: 'failed'; readonly name: string; readonly message: string; readonly line?: number };

export interface ToProgram {
  readonly id: number;
  readonly result?: string | undefined;
  readonly error?: { readonly name: string; readonly message: string };
}
