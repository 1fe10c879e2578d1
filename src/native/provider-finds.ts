import {
  believableLoads,
  type CatalogEntry,
  callsOfRun,
  loadsInConversation,
  type Registry,
  type Reporter,
  type Step,
  succeededCalls,
  type ToolCall,
} from '../kit.ts';

const ONLY_PROVIDERS = { search: '', load: '', withProviders: true };

/**
 * Loads what the provider's searches in the conversation found, through the load phase, and reports what they found in
 * this run.
 *
 * @param noted - names that were handled in this request; grows.
 */
export async function noteProviderFinds(
  step: Step,
  registry: Registry,
  reporter: Reporter,
  noted: Set<string>,
): Promise<void> {
  const { tools, state } = step;
  const start = performance.now();
  const recent = callsOfRun(step.calls);
  const names = await findsIn(recent, step);
  const fresh = names.filter((name) => !tools.isLoaded(name));

  // A store that reads the conversation has loaded these by now.
  const ofNow = new Set(loadsInConversation(recent, ONLY_PROVIDERS).map(({ name }) => step.catalog.nameOf(name)));
  const isNew = (name: string): boolean => fresh.includes(name) || registry.readsConversation;
  const told = names.filter((name) => !noted.has(name) && (fresh.includes(name) || ofNow.has(name)));
  for (const name of names) noted.add(name);
  tools.add('loaded', fresh);
  await registry.add(state, fresh);
  if (told.length === 0) return;
  const alreadyLoaded = told.filter((name) => !isNew(name));
  const none = { notFound: [], denied: [] };
  const event = { type: 'load', by: 'provider', loaded: told.filter(isNew), alreadyLoaded, ...none } as const;
  reporter.report({ ...event, ms: performance.now() - start }, step.origin);
}

/** Names that the provider found. What was called has been found too: a DurableAgent forgets results of such searches. */
async function findsIn(
  recent: readonly ToolCall[],
  { args, calls, catalog, tools, permissions }: Step,
): Promise<readonly string[]> {
  const unknown = (spelling: string): CatalogEntry | undefined => {
    const name = catalog.nameOf(spelling);
    return tools.isLoaded(name) || tools.isResident(name) ? undefined : catalog.get(name);
  };
  // What is loaded needs no belief: it counts, so that it is reported as found again.
  const found = await believableLoads(calls, args, ONLY_PROVIDERS, unknown, permissions, new Set(tools.loaded));
  const called = [...succeededCalls(recent)].flatMap((name) => unknown(name) ?? []);
  const callable = await permissions.allowed(called, 'load');
  return [...new Set([...found.map((name) => catalog.nameOf(name)), ...callable.map(({ name }) => name)])];
}
