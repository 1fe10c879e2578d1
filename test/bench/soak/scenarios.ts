// What the scripted model does in the course of a request, step by step.

import { isDeepStrictEqual } from 'node:util';
import type { LoadToolResult, SearchToolsResult, UnloadToolResult } from '../../../src/index.ts';
import type { ToolResult } from '../../support/scripted-model.ts';
import { pick } from '../speed/random.ts';
import type { AbortPoint, Turn } from './turn.ts';

/** The next action is asked for when the last one has been looked at, so that it can build on it. */
export type Scenario = Iterator<Action, void>;

const ABORTS: readonly AbortPoint[] = ['model', 'search', 'load', 'call'];

function* plain(turn: Turn): Generator<Action, void> {
  const name = usable(turn);
  if (name === undefined) return;
  yield search(turn, name);
  yield load(turn, name);
  yield call(turn, name);
}

function* several(turn: Turn): Generator<Action, void> {
  const names = distinct(usable(turn), usable(turn), usable(turn));
  yield search(turn, ...names);
  yield load(turn, ...names);
  yield call(turn, ...names);
}

function* selected(turn: Turn): Generator<Action, void> {
  const names = distinct(
    usable(turn),
    turn.find(() => true),
  );
  yield select(turn, ...names);
  const sent = names.filter((name) => isSent(turn, name));
  if (sent.length > 0) yield call(turn, ...sent);
}

function* missed(turn: Turn): Generator<Action, void> {
  const name = turn.find((one) => !isSent(turn, one));
  if (name === undefined) return;
  yield callInVain(turn, name);
  if (isSent(turn, name)) yield call(turn, name);
}

function* unloaded(turn: Turn): Generator<Action, void> {
  yield* plain(turn);
  const { names } = turn.loads;
  if (names.length > 0) yield unload(turn, pick(names, turn.random));
  const other = turn.find((name) => !turn.loads.has(name));
  if (other !== undefined) yield unload(turn, other);
}

function* denied(turn: Turn): Generator<Action, void> {
  const hidden = turn.find((name) => !turn.may(name, 'search'));
  if (hidden !== undefined) yield search(turn, hidden);
  const unloadable = turn.find((name) => !turn.may(name, 'load'));
  if (unloadable === undefined) return;
  yield load(turn, unloadable);
  yield callInVain(turn, unloadable);
  yield* plain(turn);
}

/** A tool that is loaded, but never sent. */
function* hiddenTools(turn: Turn): Generator<Action, void> {
  const name = turn.find((one) => turn.may(one, 'load') && !turn.may(one, 'active'));
  if (name === undefined) return;
  yield load(turn, name);
  yield callInVain(turn, name);
  yield load(turn, name);
}

function* pattern(turn: Turn): Generator<Action, void> {
  const name = usable(turn);
  if (name === undefined) return;
  const prefix = name.slice(0, name.indexOf('_') + 1);
  // Else it depends on which of them have room.
  if (turn.loads.names.some((one) => one.startsWith(prefix))) return yield* plain(turn);
  yield loadAll(turn, prefix);
  const sent = turn.loads.names.filter((one) => one.startsWith(prefix) && isSent(turn, one));
  yield call(turn, ...sent.slice(0, 2));
}

function* inVain(turn: Turn): Generator<Action, void> {
  yield searchInVain(turn);
  yield* plain(turn);
}

function* withdrawn(turn: Turn): Generator<Action, void> {
  yield* plain(turn);
  const name = turn.loads.names.find((one) => isSent(turn, one));
  if (name === undefined) return;
  yield callWithdrawn(turn, name);
  yield load(turn, name);
}

function* aborted(turn: Turn): Generator<Action, void> {
  const name = usable(turn, (one) => !turn.loads.has(one));
  if (name === undefined) return;
  const point = pick(ABORTS, turn.random);
  if (point === 'call') yield load(turn, name);
  turn.abortAt = point;
  if (point === 'call') yield call(turn, name);
  else yield point === 'load' ? load(turn, name) : search(turn, name);
  turn.fault(`the run goes on, though it was aborted (${point})`);
}

/** The plain one is the commonest. */
const SCENARIOS = [
  plain,
  plain,
  plain,
  several,
  several,
  selected,
  missed,
  unloaded,
  denied,
  hiddenTools,
  pattern,
  inVain,
  withdrawn,
  aborted,
];

export function scenarioOf(turn: Turn): Scenario {
  return pick(SCENARIOS, turn.random)(turn);
}

function usable(turn: Turn, holds: (name: string) => boolean = () => true): string | undefined {
  return turn.find((name) => turn.may(name, 'search', 'load', 'active') && holds(name));
}

/** Whether the model has been sent the tool. */
function isSent(turn: Turn, name: string): boolean {
  return turn.loads.has(name) && turn.may(name, 'active');
}

function distinct(...names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}

// What the scripted model does in one step, and what has to come of it.

export interface Action {
  readonly calls: readonly { readonly toolName: string; readonly input: unknown }[];
  /** Names that the calls are about. */
  readonly names: readonly string[];
  /** Looks at the results of the calls, and notes what should be loaded now. */
  check(results: readonly ToolResult[]): void;
}

/** Searches for tools by the words of their names. Those that may be shown have to be found, a single one first. */
function search(turn: Turn, ...names: readonly string[]): Action {
  const words = names.map((name) => name.replaceAll('_', ' '));
  return one('search_tools', { query: words.length === 1 ? words[0] : words }, names, (result) => {
    const { results } = result.value as SearchToolsResult;
    const shown = results.map(({ name }) => name);
    for (const { name, description } of results) {
      turn.expect(turn.may(name, 'search'), () => `a search shows ${name}, which is not for it`);
      turn.expect(description === turn.describe(name), () => `a search shows another ${name}: ${description}`);
    }
    for (const name of names) {
      const isFound = names.length === 1 ? shown[0] === name : shown.includes(name);
      if (turn.may(name, 'search')) turn.expect(isFound, () => `a search for ${name} finds ${shown}`);
    }
  });
}

function searchInVain(turn: Turn): Action {
  return one('search_tools', { query: 'xqvzkw jjqxgh' }, [], ({ value }) => {
    const { results } = value as SearchToolsResult;
    turn.expect(results.length === 0, () => `a search for nothing finds ${results.map(({ name }) => name)}`);
  });
}

function select(turn: Turn, ...names: readonly string[]): Action {
  return one('search_tools', { query: `select:${names.join()}` }, names, ({ value }) => {
    const found = names.filter((name) => turn.may(name, 'search') && turn.isLoadable(name));
    const { loaded, already } = noteLoaded(turn, found);
    expectEqual(turn, 'a select loads', (value as SearchToolsResult).loaded, [...loaded, ...already]);
  });
}

function load(turn: Turn, ...names: readonly string[]): Action {
  const input = names.length === 1 ? { toolName: names[0] } : { toolNames: names };
  return one('load_tool', input, names, ({ value }) => {
    const found = names.filter((name) => turn.isLoadable(name));
    const { loaded, already } = noteLoaded(turn, found);
    const result = value as LoadToolResult;
    if (names.length === 1) expectEqual(turn, `a load of ${names}`, result.success, found.length === 1);
    else expectLoaded(turn, result, loaded, already);
  });
}

/** Loads all whose names begin so. */
function loadAll(turn: Turn, prefix: string): Action {
  const names = turn.names.filter((name) => name.startsWith(prefix));
  return one('load_tool', { toolName: `${prefix}*` }, names, ({ value }) => {
    const found = names.filter((name) => turn.isLoadable(name));
    const { loaded, already } = noteLoaded(turn, found);
    expectLoaded(turn, value as LoadToolResult, loaded, already);
  });
}

function unload(turn: Turn, name: string): Action {
  return one('unload_tool', { toolNames: [name] }, [name], ({ value }) => {
    const unloaded = turn.loads.has(name) ? [name] : [];
    turn.loads.unload(unloaded);
    turn.reckon('unloads', unloaded.length);
    expectEqual(turn, 'unloaded', (value as UnloadToolResult).unloaded ?? [], unloaded);
  });
}

/** Calls tools that are loaded, all at once. */
function call(turn: Turn, ...names: readonly string[]): Action {
  return {
    calls: names.map((toolName) => ({ toolName, input: { from: turn.id } })),
    names,
    check(results) {
      for (const [position, name] of names.entries()) {
        expectEqual(turn, `${name} returns`, results[position]?.value, turn.resultOf(name));
        turn.loads.use(name);
      }
    },
  };
}

/** Calls a tool that is not sent. It must not run, but is loaded for the next step where it may be. */
function callInVain(turn: Turn, name: string): Action {
  return one(name, { from: turn.id }, [name], ({ value, isError }) => {
    const isMissing = isError && String(value).includes('not found');
    turn.expect(isMissing, () => `a call of ${name}, which is not sent, returns ${JSON.stringify(value)}`);
    turn.loads.use(name);
    if (!turn.loads.has(name) && turn.may(name, 'load', 'active')) noteLoaded(turn, [name]);
  });
}

/** Calls a tool which the user may not use any longer by the time it would run. */
function callWithdrawn(turn: Turn, name: string): Action {
  turn.withdrawn.add(name);
  turn.reckon('refusedCalls', 1);
  return one(name, { from: turn.id }, [name], ({ value, isError }) => {
    const isRefused = isError && String(value).includes('not available');
    turn.expect(isRefused, () => `a call of ${name}, which was withdrawn, returns ${JSON.stringify(value)}`);
    turn.loads.use(name);
  });
}

function one(toolName: string, input: unknown, names: readonly string[], check: (result: ToolResult) => void): Action {
  return { calls: [{ toolName, input }], names, check: ([result]) => result && check(result) };
}

/** Notes that the names have been loaded, as far as there is room. What is loaded already, and asked for again, stays. */
function noteLoaded(turn: Turn, names: readonly string[]): Record<'loaded' | 'already', readonly string[]> {
  const already = names.filter((name) => turn.loads.has(name));
  turn.loads.use(...already);
  const { loaded, evicted } = turn.loads.load(names.filter((name) => !already.includes(name)));
  turn.loads.use(...names.filter((name) => turn.loads.has(name)));
  turn.reckon('evictions', evicted.length);
  return { loaded, already };
}

function expectLoaded(turn: Turn, result: LoadToolResult, loaded: readonly string[], already: readonly string[]): void {
  const { loaded: reallyLoaded = [], alreadyLoaded = [] } = result;
  expectEqual(turn, 'a load loads', reallyLoaded, loaded);
  expectEqual(turn, 'a load says already loaded', alreadyLoaded, already);
}

function expectEqual(turn: Turn, what: string, got: unknown, expected: unknown): void {
  turn.expect(
    isDeepStrictEqual(got, expected),
    () => `${what} ${JSON.stringify(got)}, not ${JSON.stringify(expected)}`,
  );
}
