/**
 * The thread of one program of `quickJsTransport()`.
 *
 * @module
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
} from 'quickjs-emscripten-core';

import type { FromProgram, ProgramData, ToProgram } from '../modes/code/thread.ts';

/** Limit of the stack, in bytes. */
const STACK = 256 * 1024;
/** Limit of a line of the log, in characters. */
const MAX_LINE = 65_536;
const MB = 1024 * 1024;
const PAGE = 65_536;

/** The types of Node do not declare `WebAssembly`. */
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: new (limits: object) => object } }).WebAssembly;

/**
 * Defines the functions of a program, inside QuickJS. Only texts leave QuickJS, so that a program which changes its own
 * objects and prototypes changes nothing outside.
 */
const PRELUDE = `(call, log, ids) => {
  const { parse, stringify } = JSON;
  const reply = (text) => (text === undefined ? undefined : parse(text));
  for (const id of parse(ids))
    Object.defineProperty(globalThis, 'external_' + id, {
      value: async (input) => reply(await call(id, stringify(input))),
    });
  const shown = (value) => {
    if (typeof value === 'string') return value;
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  const line = (...values) => { log(values.map(shown).join(' ')); };
  globalThis.console = { log: line, info: line, warn: line, error: line, debug: line };
  return async (program) => stringify(await program());
}`;

async function run({ program, toolIds, memoryLimitMb }: ProgramData, port: MessagePort): Promise<void> {
  const { default: variant } = await import('@jitl/quickjs-wasmfile-release-sync');
  // The memory limit of QuickJS does not count what its WebAssembly build allocates. The limit of the WebAssembly
  // memory does.
  const wasmMemory = new Memory({
    initial: (16 * MB) / PAGE,
    maximum: Math.floor((memoryLimitMb * MB) / PAGE),
  });
  const runtime = (
    await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: wasmMemory as never }))
  ).newRuntime();
  runtime.setMaxStackSize(STACK);
  const vm = runtime.newContext();
  const calls = new Map<number, ReturnType<QuickJSContext['newPromise']>>();
  let count = 0;
  const send = (message: FromProgram): void => port.postMessage(message);
  const call = vm.newFunction('call', (toolId, input) => {
    const deferred = vm.newPromise();
    calls.set(++count, deferred);
    send({ type: 'call', id: count, toolId: vm.getString(toolId), input: textIn(vm, input) });
    return deferred.handle;
  });
  const log = vm.newFunction('log', (line) => {
    send({ type: 'log', text: vm.getString(line).slice(0, MAX_LINE) });
  });

  const fail = (handle: QuickJSHandle): void => send({ type: 'failed', ...errorIn(vm, handle) });
  const start = vm.unwrapResult(vm.evalCode(PRELUDE, 'prelude.js'));
  const ids = vm.newString(JSON.stringify(toolIds));
  const runner = vm.unwrapResult(vm.callFunction(start, vm.undefined, call, log, ids));
  const main = vm.evalCode(`(${program})`, 'program.js');
  if (main.error) return fail(main.error);
  const promise = vm.unwrapResult(vm.callFunction(runner, vm.undefined, main.value));
  /** Continues the program until it waits for a call or has ended. */
  const goOn = (): void => {
    const jobs = runtime.executePendingJobs();
    if (jobs.error) {
      fail(jobs.error);
      return;
    }
    const state = vm.getPromiseState(promise);
    if (state.type === 'rejected') fail(state.error);
    else if (state.type === 'fulfilled') send({ type: 'done', result: textIn(vm, state.value) });
    else if (calls.size === 0)
      send({ type: 'failed', name: 'Error', message: 'The program waits for what never comes: there are no timers.' });
  };
  port.on('message', ({ id, result, error }: ToProgram) => {
    const deferred = calls.get(id);
    calls.delete(id);
    if (error) deferred?.reject(vm.newError(error));
    else deferred?.resolve(result === undefined ? vm.undefined : vm.newString(result));
    goOn();
  });
  goOn();
}

function textIn(vm: QuickJSContext, handle: QuickJSHandle): string | undefined {
  return vm.typeof(handle) === 'undefined' ? undefined : vm.getString(handle);
}

/** Returns what a program threw, with its line if the line is known. */
function errorIn(vm: QuickJSContext, handle: QuickJSHandle): { name: string; message: string; line?: number } {
  const thrown = vm.dump(handle) as { readonly name?: unknown; readonly message?: unknown; readonly stack?: unknown };
  if (typeof thrown !== 'object' || thrown === null)
    return { name: 'Error', message: `The program threw ${String(thrown)}.` };
  const [, line] = /program\.js:(\d+)/.exec(String(thrown.stack)) ?? [];
  const told = { name: String(thrown.name ?? 'Error'), message: String(thrown.message ?? '') };
  return line === undefined ? told : { ...told, line: Number(line) - 1 };
}

if (parentPort) {
  const port = parentPort;
  run(workerData as ProgramData, port).catch((error: unknown) => {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    port.postMessage({ type: 'failed', name, message });
  });
}
