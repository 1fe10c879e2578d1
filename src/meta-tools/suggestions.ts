import type { UnknownName } from '../prompts.ts';
import { similarNames } from '../query/suggest.ts';
import type { Step } from './step.ts';

/** Suggestions for one unknown name. */
const MAX_SUGGESTIONS = 3;
/** Unknown names of one call that get suggestions: each costs a look at every name of the catalog. */
const MAX_SUGGESTED_FOR = 5;
/** Similar names that the filter is asked about for one unknown name. */
const MAX_SUGGESTION_CANDIDATES = 48;

/** Unknown names with what their writer may have meant, as far as this request may know of it. */
export function withSuggestions(names: readonly string[], step: Step): Promise<UnknownName[]> {
  const { catalog } = step;
  const permissions = step.permissions.inSearch();
  return Promise.all(
    names.map(async (name, position) => {
      if (position >= MAX_SUGGESTED_FOR) return { name, suggestions: [] };
      // A kind without a permitted name counts for nothing: else its silence would tell of the forbidden ones.
      for (const similar of similarNames(name, catalog.names)) {
        const candidates = similar.slice(0, MAX_SUGGESTION_CANDIDATES);
        const entries = candidates.flatMap((candidate) => catalog.get(candidate) ?? []);
        const visible = await permissions.allowed(entries, 'search');
        const allowed = await permissions.firstAllowed(visible, MAX_SUGGESTIONS, 'load');
        if (allowed.length > 0) return { name, suggestions: allowed.map((entry) => entry.name) };
      }
      return { name, suggestions: [] };
    }),
  );
}
