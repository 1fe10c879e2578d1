import type { UnknownName } from '../prompts.ts';
import { similarNames } from '../query/suggest.ts';
import type { Services, Step } from './step.ts';

/** Suggestions for one unknown name. */
const MAX_SUGGESTIONS = 3;
/** Unknown names of one call that get suggestions: each costs a look at every name of the catalog. */
const MAX_SUGGESTED_FOR = 5;
/** Similar names that the filter is asked about for one unknown name. */
const MAX_SUGGESTION_CANDIDATES = 48;

/** Unknown names with what their writer may have meant, as far as this request may know of it. */
export function withSuggestions(names: readonly string[], step: Step, services: Services): Promise<UnknownName[]> {
  const { policy } = services;
  return Promise.all(
    names.map(async (name, position) => {
      if (position >= MAX_SUGGESTED_FOR) return { name, suggestions: [] };
      // A kind without a permitted name counts for nothing: else its silence would tell of the forbidden ones.
      for (const similar of similarNames(name, step.catalog.names)) {
        const candidates = similar.slice(0, MAX_SUGGESTION_CANDIDATES);
        const entries = candidates.flatMap((candidate) => step.catalog.get(candidate) ?? []);
        const visible = await policy.allowed(entries, 'search', step.requestContext);
        const allowed = await policy.firstAllowed(visible, MAX_SUGGESTIONS, 'load', step.requestContext);
        if (allowed.length > 0) return { name, suggestions: allowed.map((entry) => entry.name) };
      }
      return { name, suggestions: [] };
    }),
  );
}
