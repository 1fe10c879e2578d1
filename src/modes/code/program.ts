import type { CodeModeToolResult } from '@mastra/core/tools';
import { messageOf } from '../../errors.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import { Semaphore } from '../../util/semaphore.ts';
import type { ResolvedCode } from './options.ts';

/** Calls of a program, in all and at once. */
const MAX_CALLS = 100;
const MAX_AT_ONCE = 8;
/** Bytes of a program's result that its model reads, and characters of its log. */
const MAX_RESULT = 256 * 1024;
const MAX_LOG = 16 * 1024;
/** Bytes of one tool's result that a program is given. */
const MAX_ANSWER = 8 * 1024 * 1024;
/** Names of functions that are read from a program. */
const MAX_NAMES = 1_000;
/** Functions that every program has, by the names that transports are given. No tool can have such a name. */
export const SEARCH = '$search';
export const CALL = '$call';

/** Answers a call of a program: by the name behind `external_`, by {@link SEARCH} or {@link CALL}. */
export type Dispatch = (id: string, input: unknown, place: number, signal: AbortSignal) => Promise<unknown>;

/** What the model reads of its program. */
export interface ProgramResult extends CodeModeToolResult {
  /** What to do next, where the program did not come to its end. */
  readonly message?: string;
}

/**
 * Runs one program, within its bounds. Whatever becomes of it, no call is under way when it has ended: each has its signal.
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

/** The functions that a program calls by their names. Each is there: what becomes of its call, its caller reads. */
function namesIn(code: string): readonly string[] {
  const names = new Set<string>();
  for (const [, name = ''] of code.matchAll(/\bexternal_([A-Za-z0-9_$]+)/g)) {
    if (names.size < MAX_NAMES && name !== SEARCH && name !== CALL) names.add(name);
  }
  return [...names].filter((name) => /^[A-Za-z_$]/.test(name));
}

/** A program with its two functions, on its own lines. They stand around it, so that it may have others of these names. */
function withFunctions(code: string, search: string): string {
  const functions = [
    `const ${search.replace(/[^A-Za-z0-9_]/g, '_')} = (query) => external_${SEARCH}(typeof query === 'object' && !Array.isArray(query) ? query : { query })`,
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

/** Bytes of a value as JSON. What is no JSON is found out by the transport. */
function sizeOf(value: unknown): number {
  try {
    return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value) ?? '');
  } catch {
    return 0;
  }
}
