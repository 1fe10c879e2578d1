import type { CatalogEntry } from '../catalog/entry.ts';
import { callsOfRun, succeededCalls, type ToolCall } from '../loaded/conversation/calls.ts';
import { believableLoads, type ConversationArgs, loadsInConversation } from '../loaded/conversation/loads.ts';
import type { Services, Step } from '../meta-tools/step.ts';

const ONLY_PROVIDERS = { search: '', load: '', withProviders: true };

/**
 * Loads what the provider's searches in the conversation found, through the load phase, and reports what they found in
 * this run.
 *
 * @param noted - names that were handled in this request; grows.
 */
export async function noteProviderFinds(
  step: Step,
  args: ConversationArgs,
  { registry, reporter }: Services,
  noted: Set<string>,
): Promise<void> {
  const { loaded, state } = step;
  const start = performance.now();
  const recent = callsOfRun(step.calls);
  const names = await findsIn(recent, step, args);
  const fresh = names.filter((name) => !loaded.has(name));

  // A store that reads the conversation has loaded these by now.
  const ofNow = new Set(loadsInConversation(recent, ONLY_PROVIDERS).map(({ name }) => step.catalog.nameOf(name)));
  const isNew = (name: string): boolean => fresh.includes(name) || registry.readsConversation;
  const told = names.filter((name) => !noted.has(name) && (fresh.includes(name) || ofNow.has(name)));
  for (const name of names) noted.add(name);
  for (const name of fresh) loaded.add(name);
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
  { calls, catalog, loaded, resident, permissions }: Step,
  args: ConversationArgs,
): Promise<readonly string[]> {
  const unknown = (spelling: string): CatalogEntry | undefined => {
    const name = catalog.nameOf(spelling);
    return loaded.has(name) || resident.has(name) ? undefined : catalog.get(name);
  };
  // What is loaded needs no belief: it counts, so that it is reported as found again.
  const found = await believableLoads(calls, args, ONLY_PROVIDERS, unknown, permissions, new Set(loaded));
  const called = [...succeededCalls(recent)].flatMap((name) => unknown(name) ?? []);
  const callable = await permissions.allowed(called, 'load');
  return [...new Set([...found.map((name) => catalog.nameOf(name)), ...callable.map(({ name }) => name)])];
}
