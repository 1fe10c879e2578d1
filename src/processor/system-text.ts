import { type CatalogEntry, isClients } from '../catalog/entry.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { StepMode } from '../modes/mode.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import type { Step } from './step.ts';

type TextOptions = Pick<ResolvedOptions, 'metaTools' | 'injectCatalog'>;

/** Tools that are listed; the model reads when there are more. */
const MAX_LISTED = 1_000;

/** Cache: the injected catalog of each run, by wording. It stays the same over all steps, for the sake of the prompt cache. */
const catalogs = new WeakMap<object, Map<string, string>>();

/** What the model reads of its tools: how to search, hints of this request, the injected catalog. */
export async function systemTexts(
  step: Step,
  mode: StepMode,
  { metaTools, injectCatalog }: TextOptions,
): Promise<readonly string[]> {
  // A mode may send its search under another name than results have for it.
  const names = { ...metaTools.names, search: mode.metaNames[0] ?? metaTools.names.search };
  const injected = injectCatalog === false ? '' : await injectedCatalog(step, names, injectCatalog);
  const { systemText } = metaTools;
  const how =
    systemText === 'firm'
      ? prompts.firmSystemText(names, mode.autoLoad, mode.bridge?.name)
      : (systemText ?? mode.systemText(step));
  return [how, ...step.state.hints, injected];
}

/**
 * Writes texts under a tag of their own, in place of those of the step before: a DurableAgent keeps all system messages
 * over its steps, a plain agent the tagged ones.
 */
export function writeSystemText(
  { args: { messageList } }: Step,
  texts: readonly string[],
  { metaTools }: TextOptions,
): void {
  const tag = `tool-search:${metaTools.names.search}`;
  // A list that is not Mastra's own may lack the method.
  messageList.clearSystemMessages?.(tag);
  for (const text of texts) if (text !== '') messageList.addSystem(text, tag);
}

/**
 * The catalog as it stands in the system text: what the request may see, but for what is sent anyway. It is made in the
 * first step and stays, whatever the filter says later: the prompt cache and the asking are paid once.
 *
 * @param names - as the step sends the meta-tools.
 */
async function injectedCatalog(step: Step, names: prompts.MetaToolNames, style: true | 'names'): Promise<string> {
  const { autoLoad, bridge } = step.reach;
  const form = `${names.search} ${autoLoad} ${bridge !== undefined}`;
  const ofRun = catalogs.get(step.state.run) ?? new Map<string, string>();
  catalogs.set(step.state.run, ofRun);
  const cached = ofRun.get(form);
  if (cached !== undefined) return cached;
  const { tools, rest } = await listed(step);
  const write = style === 'names' ? prompts.catalogNames : prompts.catalogText;
  const text = write(tools.map(asListed), names, autoLoad, rest, bridge?.catalogIntro);
  if (!step.permissions.isAborted) ofRun.set(form, text);
  return text;
}

/** A tool as it is listed. Text that a client wrote must not become system text. */
function asListed(entry: CatalogEntry): prompts.ListedTool {
  return { name: entry.name, description: isClients(entry) ? '' : entry.description };
}

async function listed({
  catalog,
  tools,
  permissions,
  reach,
}: Step): Promise<{ readonly tools: readonly CatalogEntry[]; readonly rest: prompts.CatalogRest }> {
  const deferred = [...catalog.entries].filter(({ name }) => !tools.isResident(name));
  const search = permissions.inSearch();
  // One more than is listed: whether there are more must not depend on tools that the request may not see.
  const { permitted, left } = await search.choose(deferred, MAX_LISTED + 1, 'search');
  const first = permitted.slice(0, MAX_LISTED);
  if (permissions.isOpen) return { tools: first, rest: deferred.length - first.length };
  // A search that loads does not find the others.
  const loadable = reach.autoLoad ? await search.allowed(first, 'load') : first;
  return { tools: loadable, rest: left > 0 || permitted.length > MAX_LISTED ? 'unknown' : 0 };
}
