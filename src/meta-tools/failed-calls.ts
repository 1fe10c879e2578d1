import { exampleOf, signatureOf } from '../catalog/signature.ts';
import { failedAgain, failingTools } from '../loaded/conversation/conversation.ts';
import type { Step } from '../processor/step.ts';
import * as prompts from './prompts.ts';

/**
 * Tells a model how to call a tool whose call failed twice in the run with the same input. `withResults` puts the sentence
 * beside the result of the call; else it is system text until the request ends.
 */
export function explainFailedCalls({ calls, catalog, tools, state }: Step, withResults: boolean): void {
  for (const { id, toolName } of failedAgain(calls)) {
    const entry = catalog.get(toolName);
    if (!entry || !tools.isCallable(entry.name)) continue;
    const hint = prompts.failedAgain(entry.name, prompts.howToCall(signatureOf(entry), exampleOf(entry)));
    if (withResults) state.sentences.set(id, hint);
    else if (!state.hints.includes(hint)) state.hints.push(hint);
  }
}

/** The tools whose last call in the run failed, by their names in the catalog. */
export function failingIn({ calls, catalog }: Pick<Step, 'calls' | 'catalog'>): ReadonlySet<string> {
  return new Set([...failingTools(calls)].map((name) => catalog.nameOf(name)));
}
