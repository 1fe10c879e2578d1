// What the scripted model does in the course of a request, step by step.
import { pick } from '../speed/random.ts';
import {
  type Action,
  call,
  callInVain,
  callWithdrawn,
  load,
  loadAll,
  search,
  searchInVain,
  select,
  unload,
} from './actions.ts';
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
