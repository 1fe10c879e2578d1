import { calledLater, calledUnderAnotherName } from '../prompts.ts';
import { spelledAlike } from '../query/suggest.ts';
import { failedCalls } from '../registry/conversation-calls.ts';
import { loadByName } from './loading.ts';
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
  const { state } = step;
  const failed = failedCalls(step.messages()).filter(({ id }) => !state.seenCalls?.has(id));
  // What had failed before this request began is history.
  const isFirst = state.seenCalls === undefined;
  state.seenCalls ??= new Set();
  for (const { id } of failed) state.seenCalls.add(id);
  if (isFirst) return;

  const names = new Set(failed.flatMap(({ missing }) => missing ?? []));
  for (const called of [...names].slice(0, MAX_MISSED)) {
    const name = await meant(called, step, services);
    if (name === undefined) continue;
    const outcome = await loadByName([name], step, services, ['load']);
    if (outcome.loaded.length > 0) services.reporter.report({ type: 'load-on-miss', called, loaded: name });
    if (outcome.notFound.length + outcome.leftOut.length > 0) continue;
    state.hints.push(called === name ? calledLater(name) : calledUnderAnotherName(called, name));
  }
}

/** The one tool that the name can mean, among those that this request may load. */
async function meant(called: string, step: Step, { policy }: Services): Promise<string | undefined> {
  const exact = step.catalog.get(called);
  const names = exact ? [exact.name] : spelledAlike(called, [...step.catalog.names, ...step.resident]);
  if (names.some((name) => step.resident.has(name))) return names.length === 1 ? names[0] : undefined;
  const entries = names.flatMap((name) => step.catalog.get(name) ?? []);
  const permitted = await policy.allowed(entries, 'load', step.requestContext);
  return permitted.length === 1 ? permitted[0]?.name : undefined;
}
