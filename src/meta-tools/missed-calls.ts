import type { MissCause } from '../events/reasons.ts';
import type { Reporter } from '../events/reporter.ts';
import type { ToolSearchFilterPhase } from '../filter/filter.ts';
import { callsOfRun, type FailedCall, failedCalls, succeededCalls } from '../loaded/conversation/conversation.ts';
import { mapToolParts, type Prompt } from '../loaded/conversation/prompt.ts';
import type { Step } from '../processor/step.ts';
import { spelledAlike } from '../scorers/words/suggest.ts';
import { echo } from '../util/text.ts';
import { inSlices } from '../util/time-slices.ts';
import { behindPrefixes, type Loader, withSuggestions } from './loading.ts';
import * as prompts from './prompts.ts';

/** Missed calls of one step that are answered with a load; a model that makes more at once is guessing. */
const MAX_MISSED = 10;

/**
 * Loads the tools of calls that failed as they were not sent, or tells how they are called, and leaves a sentence until the request ends: taking one back
 * would change the prompt once more. `withResults` puts it beside the result of the call; else it is system text.
 */
export async function loadMissedCalls(
  step: Step,
  withResults: boolean,
  loader: Loader,
  reporter: Reporter,
): Promise<void> {
  const { calls, state } = step;
  const isFirst = state.steps === 1;
  // Calls that failed before this request are history; a resumed run goes on behind the user's last message.
  const failed = failedCalls(isFirst ? callsOfRun(calls) : calls);
  if (isFirst) for (const { id } of failedCalls(calls)) state.seenCalls.add(id);
  const isNew = ({ id }: FailedCall): boolean => isFirst || !state.seenCalls.has(id);

  const names = new Map<string, string[]>();
  const succeeded = isFirst ? succeededCalls(calls) : undefined;
  for (const { id, toolName, missing } of failed.filter(isNew)) {
    state.seenCalls.add(id);
    // The error text of a tool that was sent may speak of another tool.
    if (missing !== undefined && !state.sent.has(toolName) && !succeeded?.has(missing))
      names.set(missing, [...(names.get(missing) ?? []), id]);
  }
  const say = (hint: string, ids: readonly string[]): void => {
    if (withResults) for (const id of ids) state.sentences.set(id, hint);
    else if (!state.hints.includes(hint)) state.hints.push(hint);
  };
  for (const [called, ids] of [...names].slice(0, MAX_MISSED)) {
    if (step.spent.has(called)) {
      say(prompts.calledInCircle(called), ids);
      continue;
    }
    const miss = (cause: MissCause): void => {
      // A model's guess may be of any length.
      reporter.report({ type: 'miss', called: echo(called), cause }, step.origin);
    };
    const name = await meant(called, step);
    if (name === undefined) {
      miss(step.catalog.get(called) ? 'denied' : 'unknown');
      // The same words for an unknown name as for a forbidden tool.
      const [unknown] = await withSuggestions([called], step);
      if (unknown && unknown.suggestions.length > 0) say(prompts.notFound(unknown, step.reach.names), ids);
      continue;
    }
    const { bridge } = step.reach;
    if (bridge) {
      say(prompts.calledWithoutBridge(name, bridge.name), ids);
      continue;
    }
    const outcome = await loader.byName([name], step);
    if (outcome.loaded.length > 0) reporter.report({ type: 'load-on-miss', called, loaded: name }, step.origin);
    if (outcome.failed.length > 0) {
      miss('failed');
      say(prompts.roomNotes(outcome).trim(), ids);
    } else if (outcome.leftOut.length > 0) miss('no-room');
    else if (outcome.notFound.length > 0) miss('denied');
    else say(called === name ? prompts.calledLater(name) : prompts.calledUnderAnotherName(name), ids);
  }
}

/** The one tool that a called name can mean. A degree of similarity without a permitted tool is passed over. */
export async function meant(called: string, step: Step): Promise<string | undefined> {
  const { catalog, tools, allowance, permissions } = step;
  await catalog.reach([called], { ...permissions.asker, origin: step.origin });
  const exact = await usableOf([catalog.nameOf(called)], ['load', 'active'], step);
  if (exact.length > 0) return exact[0];
  if (allowance.comparisons <= 0) return undefined;
  const [bare, ...others] = (await behindPrefixes([called], step, ['load', 'active'])).get(called) ?? [];
  if (bare !== undefined) return others.length > 0 ? undefined : bare;
  const all = await catalog.near(called, { ...permissions.asker, origin: step.origin });
  allowance.comparisons -= all.spellingCount;
  const alike = await inSlices(spelledAlike(called, [...all.spellings(), ...tools.available]));
  const hurried = { ...step, permissions: step.permissions.inSearch() };
  for (const kind of alike) {
    // The model reads a name that it did not write, so the search phase is asked as well.
    const usable = await usableOf(kind, ['search', 'load', 'active'], hurried);
    if (usable.length > 0) return usable.length === 1 ? usable[0] : undefined;
  }
  return undefined;
}

/** The given names without those that some phase denies. Tools that are sent anyway need no permission. */
async function usableOf(
  names: readonly string[],
  phases: readonly ToolSearchFilterPhase[],
  { catalog, tools, permissions }: Step,
): Promise<readonly string[]> {
  const others = new Set(names.filter((name) => !tools.isResident(name)).flatMap((name) => catalog.get(name) ?? []));
  const usable = await permissions.allowed(others, phases);
  return [...names.filter((name) => tools.isAvailable(name)), ...usable.map(({ name }) => name)];
}

/** The prompt with sentences added to the results of calls, by their ids. The conversation is stored without them. */
export function withSentences(prompt: Prompt, sentences: ReadonlyMap<string, string>): Prompt {
  if (sentences.size === 0 || !Array.isArray(prompt)) return prompt;
  return mapToolParts(prompt, (part) => {
    const sentence = part.type === 'tool-result' ? sentences.get(part.toolCallId) : undefined;
    if (sentence === undefined) return part;
    const { type = 'error-text', value } = part.output ?? {};
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
    const kept = type === 'text' || type === 'error-text' ? type : 'error-text';
    return { ...part, output: { ...part.output, type: kept, value: `${text} ${sentence}` } };
  });
}
