import { failingTools } from '../loaded/conversation/conversation.ts';
import type { Step } from '../step/step.ts';

/** The tools whose last call in the run failed, by their names in the catalog. */
export function failingIn({ calls, catalog }: Pick<Step, 'calls' | 'catalog'>): ReadonlySet<string> {
  return new Set([...failingTools(calls)].map((name) => catalog.nameOf(name)));
}
