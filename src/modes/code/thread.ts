/**
 * What a program's thread and its process send each other: texts alone, but for names and numbers.
 *
 * @module
 */
export interface ProgramData {
  /** An async function without parameters, as JavaScript. Its second line is the first of the program. */
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
