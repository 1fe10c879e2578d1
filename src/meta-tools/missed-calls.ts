import { callsOfRun, type FailedCall, failedCalls, succeededCalls } from '../conversation/calls.ts';
import type { ToolSearchFilterPhase } from '../phase.ts';
import { calledLater, calledUnderAnotherName } from '../prompts.ts';
import { spelledAlike } from '../query/suggest.ts';
import { inSlices } from '../util/time-slices.ts';
import { loadByName } from './loading.ts';
import { allPermit } from './named.ts';
import type { Services, Step } from './step.ts';

/** Missed calls of one step that are mended; a model that calls more at once is guessing. */
const MAX_MISSED = 10;

/**
 * Finds the calls of the last step that failed because the tool was not there, loads what was meant, and leaves a
 * sentence for the model, so that its next try works.
 *
 * The name has to be a tool's, or the spelling of one alone among those that the request may load. Sentences stay until
 * the request ends: taking one back would change the prompt once more.
 */
export async function loadMissedCalls(step: Step, services: Services): Promise<void> {
  const { calls, state } = step;
  const isFirst = state.steps === 1;
  // What had failed before this request began is history; a resumed run goes on behind the user's last message.
  const failed = failedCalls(isFirst ? callsOfRun(calls) : calls);
  if (isFirst) for (const { id } of failedCalls(calls)) state.seenCalls.add(id);
  const isNew = ({ id }: FailedCall): boolean => isFirst || !state.seenCalls.has(id);

  const names = new Set<string>();
  const succeeded = isFirst ? succeededCalls(calls) : undefined;
  for (const { id, toolName, missing } of failed.filter(isNew)) {
    state.seenCalls.add(id);
    // A tool that was there may say so of another in its own error text.
    if (missing !== undefined && !state.sent.has(toolName) && !succeeded?.has(missing)) names.add(missing);
  }
  for (const called of [...names].slice(0, MAX_MISSED)) {
    const name = await meant(called, step);
    if (name === undefined) continue;
    const outcome = await loadByName([name], step, services, ['load']);
    if (outcome.loaded.length > 0) services.reporter.report({ type: 'load-on-miss', called, loaded: name });
    if (outcome.notFound.length + outcome.leftOut.length > 0) continue;
    const hint = called === name ? calledLater(name) : calledUnderAnotherName(name);
    if (!state.hints.includes(hint)) state.hints.push(hint);
  }
}

/**
 * The one tool that the name can mean, among those that this request may load and use. A kind of likeness without such
 * a tool counts for nothing, so that a forbidden one can neither be told nor stand in the way.
 */
async function meant(called: string, step: Step): Promise<string | undefined> {
  const { catalog, available, allowance } = step;
  const exact = await usableOf([catalog.nameOf(called)], ['load', 'active'], step);
  if (exact.length > 0) return exact[0];
  if (allowance.comparisons <= 0) return undefined;
  allowance.comparisons -= catalog.spellingCount;
  const alike = await inSlices(spelledAlike(called, both(catalog.spellings(), available)));
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  for (const kind of alike) {
    // Its name is told to who has written another.
    const usable = await usableOf(kind, ['search', 'load', 'active'], hurried);
    if (usable.length > 0) return usable.length === 1 ? usable[0] : undefined;
  }
  return undefined;
}

/** The names of tools that all phases permit, and of those that the request is sent anyway. */
async function usableOf(
  names: readonly string[],
  phases: readonly ToolSearchFilterPhase[],
  { catalog, resident, available, permissions }: Step,
): Promise<readonly string[]> {
  const others = new Set(names.filter((name) => !resident.has(name)).flatMap((name) => catalog.get(name) ?? []));
  const usable = await allPermit(phases, [...others], permissions);
  return [...names.filter((name) => available.has(name)), ...usable.map(({ name }) => name)];
}

function* both(first: Iterable<string>, second: Iterable<string>): Iterable<string> {
  yield* first;
  yield* second;
}
