import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { IndexCache } from '../catalog/index-cache.ts';
import type { Reporter } from '../events.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Policy } from '../policy.ts';
import type { UnknownName } from '../prompts.ts';
import { similarNames } from '../query/suggest.ts';
import type { LoadState, Registry } from '../registry/registry.ts';

/** The parts of one processor, shared by all its requests. */
export interface Services {
  readonly options: ResolvedOptions;
  readonly policy: Policy;
  readonly registry: Registry;
  readonly indexes: IndexCache;
  readonly reporter: Reporter;
}

/** One step of one request, as the meta-tools see it. */
export interface Step {
  readonly catalog: Catalog;
  readonly requestContext: RequestContext | undefined;
  readonly state: LoadState;
  /** Names that are loaded, those of this step's own calls included. */
  readonly loaded: Set<string>;
  /** Names that are sent on every step and need no loading: meta-tools, the agent's own, `alwaysLoaded`. */
  readonly resident: ReadonlySet<string>;
}

/** How a load went, in the order asked. */
export interface LoadOutcome {
  readonly loaded: readonly string[];
  readonly alreadyLoaded: readonly string[];
  /** Names that are unknown to this request, or forbidden, which the model cannot tell apart. */
  readonly notFound: readonly string[];
}

/** Suggestions for one unknown name. */
const MAX_SUGGESTIONS = 3;
/** Unknown names of one call that get suggestions: each costs a look at every name of the catalog. */
const MAX_SUGGESTED_FOR = 5;
/** Similar names that the filter is asked about for one unknown name. */
const MAX_SUGGESTION_CANDIDATES = 48;

/**
 * Loads tools by name through the load phase of the filter. The search phase is asked first where the names come from
 * a search, so that `select:` shows nothing that a search hides.
 */
export async function loadByName(
  names: readonly string[],
  step: Step,
  services: Services,
  phases: readonly ('search' | 'load')[],
): Promise<LoadOutcome> {
  const { policy, registry } = services;
  const isAllowed = async (entry: CatalogEntry): Promise<boolean> => {
    for (const phase of phases) if (!(await policy.allows(entry, phase, step.requestContext))) return false;
    return true;
  };
  const entries = names.map((name) => ({ name, entry: step.catalog.get(name) }));
  const verdicts = await Promise.all(entries.map(({ entry }) => (entry ? isAllowed(entry) : false)));

  const loaded = new Set<string>();
  const alreadyLoaded = new Set<string>();
  const notFound = new Set<string>();
  for (const [position, { name, entry }] of entries.entries()) {
    if (step.resident.has(name)) alreadyLoaded.add(name);
    else if (!entry || !verdicts[position]) notFound.add(name);
    else if (step.resident.has(entry.name) || step.loaded.has(entry.name)) alreadyLoaded.add(entry.name);
    else loaded.add(entry.name);
  }
  const added = [...loaded];
  for (const name of added) step.loaded.add(name);
  await registry.add(step.state, added);
  return { loaded: added, alreadyLoaded: [...alreadyLoaded], notFound: [...notFound] };
}

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
