/**
 * Runs the programs of code mode in QuickJS, compiled to WebAssembly: in a thread of this process, without files, network, timers or
 * modules.
 *
 * @module
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CodeModeToolResult, CodeModeTransport } from '@mastra/core/tools';
import { messageOf } from '../errors.ts';
import type { FromProgram, ProgramData, ToProgram } from '../modes/code/thread.ts';
import { milliseconds, must, type OptionTable, readOptions } from '../util/check.ts';

/**
 * Limits of the programs of {@link quickJsTransport}.
 *
 * @example
 * ```ts
 * const bounds: QuickJsOptions = { memoryLimitMb: 32, timeout: 10_000 };
 * ```
 */
export interface QuickJsOptions {
  /** Megabytes that a program may hold, from 16 to 2,048. @default 64 */
  readonly memoryLimitMb?: number;
  /** Milliseconds from a program's begin to its end, the calls of its tools included. @default `code.timeout` of the processor */
  readonly timeout?: number;
}

const quickJsOptions: OptionTable<QuickJsOptions, 'memoryLimitMb'> = {
  memoryLimitMb: {
    default: 64,
    check: must('megabytes from 16 to 2,048', (mb) => typeof mb === 'number' && mb >= 16 && mb <= 2_048),
  },
  timeout: { check: milliseconds },
};

/** Limits of a program's log, in lines and in characters. */
const MAX_LOGS = 1_000;
const MAX_LOG_TEXT = 262_144;
/** The longest time that `setTimeout` takes. */
const LONGEST = 2 ** 31 - 1;

type Run = Parameters<CodeModeTransport['run']>[0];

/**
 * A transport for `code.transport`, and for Mastra's own `createCodeMode()`. Each program has its own thread and its
 * own instance of QuickJS, so an endless program blocks nothing and is ended. Requires the packages
 * `quickjs-emscripten-core` and `@jitl/quickjs-wasmfile-release-sync`.
 *
 * @throws ToolSearchError `invalid-option`
 *
 * @example
 * ```ts
 * new ToolSearchProcessor({ tools, mode: 'code', code: { transport: quickJsTransport({ memoryLimitMb: 32 }) } });
 * ```
 */
export function quickJsTransport(options: QuickJsOptions = {}): CodeModeTransport {
  const bounds = readOptions('quickJsTransport', options, quickJsOptions);
  return {
    requiresSandbox: false,
    async run(run) {
      const logs: string[] = [];
      const limit = Math.min(run.timeout, bounds.timeout ?? LONGEST, LONGEST);
      try {
        const program = await withoutTypes(`async () => {\n${run.program}\n}`);
        const data: ProgramData = { program, toolIds: run.toolIds, memoryLimitMb: bounds.memoryLimitMb };
        const result = await runInThread(data, { ...run, timeout: limit }, logs);
        return { success: true, logs, ...(result === undefined ? {} : { result: JSON.parse(result) as unknown }) };
      } catch (error) {
        const { name = 'Error', line } = error as { readonly name?: string; readonly line?: number };
        const told = { message: messageOf(error), name, ...(line === undefined ? {} : { line }) };
        return { success: false, logs, error: told } satisfies CodeModeToolResult;
      }
    },
  };
}

/** Runs a program in a thread, and returns its result as JSON. Undefined if the program returns nothing. */
async function runInThread(workerData: ProgramData, run: Run, logs: string[]): Promise<string | undefined> {
  run.abortSignal?.throwIfAborted();
  // The worker is a file beside this one, in the source and in both built formats.
  const url = new URL(`./quickjs-worker${extname(import.meta.url)}`, import.meta.url);
  // The flags of the process are not passed on, because threads refuse some of them.
  const worker = new Worker(url, { workerData, env: {}, execArgv: [], stdout: true, stderr: true });
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      const fail = (name: string, message: string): void => reject(Object.assign(new Error(message), { name }));
      stop = () => fail('AbortError', 'The program was stopped.');
      run.abortSignal?.addEventListener('abort', stop);
      timer = setTimeout(() => fail('TimeoutError', `The program took longer than ${run.timeout} ms.`), run.timeout);
      worker.on('error', reject);
      worker.on('exit', () => fail('Error', 'The program ended without a result.'));
      let room = MAX_LOG_TEXT;
      worker.on('message', (message: FromProgram) => {
        if (message.type === 'done') resolve(message.result);
        else if (message.type === 'failed') reject(Object.assign(new Error(message.message), message));
        else if (message.type === 'log') {
          if (logs.length < MAX_LOGS && room > 0) logs.push(message.text.slice(0, room));
          room -= message.text.length;
        } else answer(message, run).then((reply) => worker.postMessage(reply), reject);
      });
    });
  } finally {
    clearTimeout(timer);
    run.abortSignal?.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

/** Answers one call of a program. The threads send each other only texts. */
async function answer({ id, toolId, input }: FromProgram & { type: 'call' }, run: Run): Promise<ToProgram> {
  const start = performance.now();
  const tell = (error?: unknown): void => run.onExternalResult?.(toolId, performance.now() - start, error);
  try {
    const args = input === undefined ? undefined : (JSON.parse(input) as unknown);
    run.onExternalCall?.(toolId, args);
    if (!run.toolIds.includes(toolId)) throw new Error(`Tool "${toolId}" is not available in this program.`);
    const result = JSON.stringify(await run.dispatch(toolId, args)) as string | undefined;
    tell();
    return { id, result };
  } catch (error) {
    tell(error);
    return { id, error: { name: error instanceof Error ? error.name : 'Error', message: messageOf(error) } };
  }
}

/** Removes the types from a program. If the runtime cannot do that, the program must be written without types. */
async function withoutTypes(program: string): Promise<string> {
  const { stripTypeScriptTypes } = await import('node:module');
  try {
    return stripTypeScriptTypes ? stripTypeScriptTypes(program) : program;
  } catch (error) {
    const { name, message, stack } = error as Error;
    // Only the beginning of the stack tells the line.
    const [, line] = /^:(\d+)\n/.exec(stack ?? '') ?? [];
    throw Object.assign(new Error(message), { name, ...(line === undefined ? {} : { line: Number(line) - 1 }) });
  }
}
