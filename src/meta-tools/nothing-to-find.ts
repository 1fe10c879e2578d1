import { noTools } from '../prompts.ts';
import type { Step } from './step.ts';

/**
 * What the model is told where this request has nothing to find, whatever it searches for; undefined where it has, or
 * where there was no time to ask. A catalog without tools and one whose tools are all forbidden are the same.
 */
export async function nothingToFind({ catalog, permissions, state }: Step): Promise<string | undefined> {
  const { permitted, left } = await permissions.inSearch().choose(catalog.entries, 1, 'search');
  if (permitted.length + left > 0 || permissions.isAborted) return undefined;
  return noTools((await state.base)?.isUnknown === true);
}
