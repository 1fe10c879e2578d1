import { type CatalogEntry, isClients } from '../catalog/entry.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { Services, Step } from '../meta-tools/step.ts';

/** Tools that are listed; the model is told when there are more. */
const MAX_LISTED = 1_000;

/** Cache: the text of each run, by wording. It stays the same over all steps, for the sake of the prompt cache. */
const texts = new WeakMap<object, Map<string, string>>();

/**
 * The catalog as it stands in the system text: what the request may see, but for what is sent anyway. It is made in the
 * first step and stays, whatever the filter says later: the prompt cache and the asking are paid once.
 *
 * @param names - as the step sends the meta-tools.
 */
export async function injectedCatalog(step: Step, names: prompts.MetaToolNames, services: Services): Promise<string> {
  const { injectCatalog } = services.options;
  const form = `${names.search} ${step.autoLoad} ${step.bridge !== undefined}`;
  const ofRun = texts.get(step.state.run) ?? new Map<string, string>();
  texts.set(step.state.run, ofRun);
  const cached = ofRun.get(form);
  if (cached !== undefined) return cached;
  const { tools, rest } = await listed(step, services);
  const write = injectCatalog === 'names' ? prompts.catalogNames : prompts.catalogText;
  const text = write(tools.map(asListed), names, step.autoLoad, rest, step.bridge?.catalogIntro);
  if (!step.permissions.isAborted) ofRun.set(form, text);
  return text;
}

/** A tool as it is listed. Text that a client wrote must not become system text. */
function asListed(entry: CatalogEntry): prompts.ListedTool {
  return { name: entry.name, description: isClients(entry) ? '' : entry.description };
}

async function listed(
  { catalog, resident, permissions, autoLoad }: Step,
  { policy }: Services,
): Promise<{ readonly tools: readonly CatalogEntry[]; readonly rest: prompts.CatalogRest }> {
  const deferred = [...catalog.entries].filter(({ name }) => !resident.has(name));
  const search = permissions.inSearch();
  // One more than is listed: whether there are more must not depend on tools that the request may not see.
  const { permitted, left } = await search.choose(deferred, MAX_LISTED + 1, 'search');
  const listed = permitted.slice(0, MAX_LISTED);
  if (policy.isOpen) return { tools: listed, rest: deferred.length - listed.length };
  // A search that loads does not find the others.
  const tools = autoLoad ? await search.allowed(listed, 'load') : listed;
  return { tools, rest: left > 0 || permitted.length > MAX_LISTED ? 'unknown' : 0 };
}
