// What the scripted model does in one step, and what has to come of it.
import { isDeepStrictEqual } from 'node:util';
import type { LoadToolResult, SearchToolsResult, UnloadToolResult } from '../../../src/index.ts';
import type { ToolResult } from '../../support/scripted-model.ts';
import type { Turn } from './turn.ts';

export interface Action {
  readonly calls: readonly { readonly toolName: string; readonly input: unknown }[];
  /** Names that the calls are about. */
  readonly names: readonly string[];
  /** Looks at the results of the calls, and notes what should be loaded now. */
  check(results: readonly ToolResult[]): void;
}

/** Searches for tools by the words of their names. Those that may be shown have to be found, a single one first. */
export function search(turn: Turn, ...names: readonly string[]): Action {
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

export function searchInVain(turn: Turn): Action {
  return one('search_tools', { query: 'xqvzkw jjqxgh' }, [], ({ value }) => {
    const { results } = value as SearchToolsResult;
    turn.expect(results.length === 0, () => `a search for nothing finds ${results.map(({ name }) => name)}`);
  });
}

export function select(turn: Turn, ...names: readonly string[]): Action {
  return one('search_tools', { query: `select:${names.join()}` }, names, ({ value }) => {
    const found = names.filter((name) => turn.may(name, 'search') && turn.isLoadable(name));
    const { loaded, already } = noteLoaded(turn, found);
    expectEqual(turn, 'a select loads', (value as SearchToolsResult).loaded, [...loaded, ...already]);
  });
}

export function load(turn: Turn, ...names: readonly string[]): Action {
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
export function loadAll(turn: Turn, prefix: string): Action {
  const names = turn.names.filter((name) => name.startsWith(prefix));
  return one('load_tool', { toolName: `${prefix}*` }, names, ({ value }) => {
    const found = names.filter((name) => turn.isLoadable(name));
    const { loaded, already } = noteLoaded(turn, found);
    expectLoaded(turn, value as LoadToolResult, loaded, already);
  });
}

export function unload(turn: Turn, name: string): Action {
  return one('unload_tool', { toolNames: [name] }, [name], ({ value }) => {
    const unloaded = turn.loads.has(name) ? [name] : [];
    turn.loads.unload(unloaded);
    turn.reckon('unloads', unloaded.length);
    expectEqual(turn, 'unloaded', (value as UnloadToolResult).unloaded ?? [], unloaded);
  });
}

/** Calls tools that are loaded, all at once. */
export function call(turn: Turn, ...names: readonly string[]): Action {
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
export function callInVain(turn: Turn, name: string): Action {
  return one(name, { from: turn.id }, [name], ({ value, isError }) => {
    const isMissing = isError && String(value).includes('not found');
    turn.expect(isMissing, () => `a call of ${name}, which is not sent, returns ${JSON.stringify(value)}`);
    turn.loads.use(name);
    if (!turn.loads.has(name) && turn.may(name, 'load', 'active')) noteLoaded(turn, [name]);
  });
}

/** Calls a tool which the user may not use any longer by the time it would run. */
export function callWithdrawn(turn: Turn, name: string): Action {
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
