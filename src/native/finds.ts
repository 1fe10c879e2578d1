import {
  believableLoads,
  type CatalogEntry,
  type NativeParts,
  type Prompt,
  providerSearches,
  type Step,
  toolPartsIn,
} from '../kit.ts';
import type { Dialect, NativePlan } from './dialect.ts';

/**
 * The tools whose definitions a model of this plan will read in the searches of the stored conversation, once that is
 * rewritten for the model. Other loaded tools (by another model, or in a part that was cut off) have to be sent eager.
 */
export function readableInCalls(
  calls: Step['calls'],
  { dialect, execution }: Pick<NativePlan, 'dialect' | 'execution'>,
  providerOptions: unknown,
): ReadonlySet<string> {
  const read = calls.filter(({ toolName, searchedBy }) => dialect.reads(toolName, searchedBy, execution));
  const isForgotten = read.some(
    ({ searchedBy, state, result }) => state === 'result' && searchedBy === 'server' && dialect.isForgotten(result),
  );
  const names = read.flatMap(({ loaded }) => loaded);
  // If the provider stores a search, but its result is lost here, the found tools are unknown. Then all called tools
  // count as found: a call of a tool that was not found would have failed.
  const called = calls.flatMap(({ toolName }) => toolName ?? []);
  return new Set(isForgotten && dialect.isStored(providerOptions) ? [...names, ...called] : names);
}

/**
 * Returns the names of the tools that the searches in a rewritten prompt show to the model. All called tools count as
 * found if the provider stores a search whose result is lost here.
 */
export function readableInPrompt(prompt: Prompt, dialect: Dialect, providerOptions: unknown): ReadonlySet<string> {
  const parts = toolPartsIn(prompt);
  const calls = new Map(parts.flatMap((part) => (part.type === 'tool-call' ? [[part.toolCallId, part] as const] : [])));
  const results = parts.filter(({ type }) => type === 'tool-result');
  const isForgotten = results.some(({ toolName, toolCallId, output }) => {
    const side = providerSearches.get(toolName)?.(calls.get(toolCallId)?.input);
    return side === 'server' && dialect.isForgotten(output?.value);
  });
  const names = results.flatMap((part) => dialect.namesRead(part));
  const knowsMore = isForgotten && dialect.isStored(providerOptions);
  return new Set(knowsMore ? [...names, ...[...calls.values()].map(({ toolName }) => toolName)] : names);
}

/**
 * Loads the tools that the provider's searches in the conversation found, if the load phase allows it, and reports those of
 * this run. A called tool counts as found: a DurableAgent forgets the results of such searches. `noted` holds the names that
 * this request has handled; this function adds to it.
 */
export async function noteProviderFinds(
  step: Step,
  { registry, reporter }: Pick<NativeParts, 'registry' | 'reporter'>,
  noted: Set<string>,
): Promise<void> {
  const { args, calls, tools, state, catalog, permissions } = step;
  const start = performance.now();
  const searches = calls.filter(({ searchedBy }) => searchedBy);
  const recent = calls.filter(({ isOfRun }) => isOfRun);
  const unknown = (spelling: string | undefined): CatalogEntry | undefined => {
    const name = catalog.nameOf(spelling ?? '');
    return tools.isLoaded(name) || tools.isResident(name) ? undefined : catalog.get(name);
  };
  // Loaded tools are believed without a check, so that finding one again is still reported.
  const found = await believableLoads(searches, args, unknown, permissions, new Set(tools.loaded));
  const called = recent.flatMap(({ state, toolName }) => (state === 'result' ? (unknown(toolName) ?? []) : []));
  const callable = await permissions.allowed([...new Set(called)], 'load');
  const names = [...new Set([...found.map((name) => catalog.nameOf(name)), ...callable.map(({ name }) => name)])];
  const fresh = names.filter((name) => !tools.isLoaded(name));

  // Tools that the searches of this run found. A store that reads the conversation already counts them as loaded.
  const ofNow = new Set(
    recent.flatMap(({ searchedBy, loaded }) => (searchedBy ? loaded : [])).map((name) => catalog.nameOf(name)),
  );
  const isNew = (name: string): boolean => fresh.includes(name) || registry.readsConversation;
  const reported = names.filter((name) => !noted.has(name) && (fresh.includes(name) || ofNow.has(name)));
  for (const name of names) noted.add(name);
  tools.add('loaded', fresh);
  await registry.add(state, fresh);
  if (reported.length === 0) return;
  const [loaded, alreadyLoaded] = [reported.filter(isNew), reported.filter((name) => !isNew(name))];
  const event = { type: 'load', by: 'provider', loaded, alreadyLoaded, notFound: [], denied: [] } as const;
  reporter.report({ ...event, ms: performance.now() - start }, step.origin);
}
