import { failingTools } from '../loaded/conversation/conversation.ts';
import type { Step } from '../step/step.ts';

/** The catalog names of tools whose last call in the run failed. */
export function failingIn({ calls, catalog }: Pick<Step, 'calls' | 'catalog'>): ReadonlySet<string> {
  return new Set([...failingTools(calls)].map((name) => catalog.nameOf(name)));
}
