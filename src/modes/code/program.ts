import type { CodeModeToolResult } from '@mastra/core/tools';
import { messageOf } from '../../errors.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import { Semaphore } from '../../util/semaphore.ts';
import type { ResolvedCode } from './options.ts';

/** Limits of the calls of one program: in total, and at once. */
const MAX_CALLS = 100;
const MAX_AT_ONCE = 8;
/** Limits of what the model reads: bytes of a program's result, and characters of its log. */
const MAX_RESULT = 256 * 1024;
const MAX_LOG = 16 * 1024;
/** Limit, in bytes, of one tool result that a program receives. */
const MAX_ANSWER = 8 * 1024 * 1024;
/** Limit of the function names that are read from one program. */
const MAX_NAMES = 1_000;
/** The ids under which transports know the two functions of every program. No tool name can equal such an id. */
export const SEARCH = '$search';
export const CALL = '$call';

/** Answers a call in a program. `id` is the name after `external_`, {@link SEARCH} or {@link CALL}. */
export type Dispatch = (id: string, input: unknown, place: number, signal: AbortSignal) => Promise<unknown>;

/** The result of a program, as the model reads it. */
export interface ProgramResult extends CodeModeToolResult {
  /** What to do next. Present if the program failed, or its result was cut. */
  readonly message?: string;
}

/**
 * Runs one program within its limits. When the program ends for any reason, the signal of its pending calls is aborted.
 *
 * @param search - the name of the function that searches.
 */
export async function runProgram(
  code: string,
  { transport, sandbox, timeout }: ResolvedCode,
  search: string,
  dispatch: Dispatch,
  abortSignal: AbortSignal | undefined,
): Promise<ProgramResult> {
  const ended = new AbortController();
  const signal = abortSignal ? AbortSignal.any([abortSignal, ended.signal]) : ended.signal;
  const running = new Semaphore();
  let count = 0;
  const bounded = async (id: string, input: unknown): Promise<unknown> => {
    const place = ++count;
    if (place > MAX_CALLS) throw new Error(prompts.tooManyCalls(MAX_CALLS));
    const result = await running.run(MAX_AT_ONCE, async () => {
      if (signal.aborted) throw new Error(prompts.programOver());
      return dispatch(id, input, place, signal);
    });
    if (sizeOf(result) > MAX_ANSWER) throw new Error(prompts.tooLarge(MAX_ANSWER));
    return result;
  };
  try {
    const runner = transport ?? new (await import('@mastra/core/tools')).StdioCodeModeTransport();
    const result = await runner.run({
      ...(sandbox ? { sandbox } : {}),
      program: withFunctions(code, search),
      toolIds: [SEARCH, CALL, ...namesIn(code)],
      dispatch: bounded,
      timeout,
      abortSignal: signal,
    });
    return shown(result);
  } catch (error) {
    return { success: false, error: { message: messageOf(error) }, message: prompts.programFailed() };
  } finally {
    ended.abort();
  }
}

/** The names after `external_` in a program. Unknown ones too: calling such a function rejects with an explanation. */
function namesIn(code: string): readonly string[] {
  const names = new Set<string>();
  for (const [, name = ''] of code.matchAll(/\bexternal_([A-Za-z0-9_$]+)/g)) {
    if (names.size < MAX_NAMES && name !== SEARCH && name !== CALL) names.add(name);
  }
  return [...names].filter((name) => /^[A-Za-z_$]/.test(name));
}

/** Wraps a program in a scope with its two functions, so that the program may redeclare them. Keeps its line numbers. */
function withFunctions(code: string, search: string): string {
  const functions = [
    `const ${search} = (query) => external_${SEARCH}(typeof query === 'object' && !Array.isArray(query) ? query : { query })`,
    `external = (name, input) => external_${CALL}({ name, input })`,
  ];
  return `${functions.join(', ')}; return await (async () => { ${code}\n})();`;
}

function shown({ success, result, logs = [], error }: CodeModeToolResult): ProgramResult {
  let room = MAX_LOG;
  const kept = logs.flatMap((text) => {
    const line = String(text).slice(0, Math.max(0, room));
    room -= line.length;
    return line === '' ? [] : [line];
  });
  const log = kept.length > 0 ? { logs: kept } : {};
  if (!success) {
    const { message = '', name, line } = error ?? {};
    const told = { message: String(message).slice(0, MAX_LOG), ...(name ? { name } : {}), ...(line ? { line } : {}) };
    return { success: false, error: told, ...log, message: prompts.programFailed() };
  }
  if (sizeOf(result) <= MAX_RESULT) return { success: true, ...(result === undefined ? {} : { result }), ...log };
  const text = JSON.stringify(result).slice(0, MAX_RESULT);
  return { success: true, result: text, ...log, message: prompts.resultCut(MAX_RESULT) };
}

/** The size of a value as JSON, in bytes. 0 for a value that is not JSON, which the transport refuses. */
function sizeOf(value: unknown): number {
  try {
    return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value) ?? '');
  } catch {
    return 0;
  }
}
