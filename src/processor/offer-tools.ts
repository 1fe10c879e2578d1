import type { CatalogEntry } from '../catalog/entry.ts';
import { agentKey } from '../catalog/names.ts';
import type { MastraTool } from '../catalog/tool.ts';
import { callsIn } from '../loaded/conversation/calls.ts';
import type { ConversationArgs } from '../loaded/conversation/loads.ts';
import { createRequestState } from './request/request-state.ts';
import type { ProcessorServices } from './services.ts';

/**
 * The tools that Mastra is handed when a run begins: it converts what may be needed in the run, or by a call that is
 * resumed. No state is opened yet, as nothing but the request context tells whose run it is.
 *
 * @param resolved - the tools that the agent resolved for the run, by their keys.
 */
export async function offerTools(
  resolved: Readonly<Record<string, unknown>>,
  args: Pick<ConversationArgs, 'requestContext' | 'messages'>,
  services: ProcessorServices,
): Promise<Record<string, MastraTool>> {
  const { handover, runCatalogs, requestCatalogs } = services;
  void services.misses?.begin();
  const base = await runCatalogs.begin(args.requestContext);
  const { catalog } = requestCatalogs.of(resolved, base, resolved);
  // With the agent's own tools, the catalog of a step is another object, and all of them would be read twice.
  if (typeof services.options.tools === 'function' && !services.options.includeResolvedTools) {
    void services.preselect?.then((preselect) => preselect?.prepare(catalog));
  }
  // An agent's own tool wins over one of the constructor, under the name that Mastra will give it as well.
  const own = new Set(Object.keys(resolved).flatMap((key) => [key, agentKey(key)]));
  const absent = base.reach ? await (await import('./source-begin.ts')).begin(base, args, own, services) : [];
  const offered: CatalogEntry[] = [];
  const guarded: CatalogEntry[] = [];
  for (const entry of absent.length > 0 ? [...catalog.entries, ...absent] : catalog.entries) {
    if (entry.isResolved) guarded.push(entry);
    else if (!own.has(entry.name) && !own.has(agentKey(entry.name))) offered.push(entry);
  }

  const loadedNames = async (): Promise<readonly string[]> => {
    const { options, registry, requests, loadedTools, policy } = services;
    const pinned = [...options.alwaysLoaded].map((name) => catalog.nameOf(name));
    // The first step may find the Mastra instance.
    if (registry.wantsMastra) return pinned;
    // The request context tells the thread, and may not know it yet.
    const state = createRequestState(requests.scopeOf({ requestContext: args.requestContext }));
    const permissions = policy.permissionsOfStep(state, { requestContext: args.requestContext });
    const calls = args.messages && callsIn(args.messages);
    const loaded = await loadedTools.of(state, catalog, calls, args, permissions);
    return [...pinned, ...loaded.map(({ name }) => name)];
  };
  return handover.offer(base, offered, guarded, loadedNames, args.requestContext);
}
