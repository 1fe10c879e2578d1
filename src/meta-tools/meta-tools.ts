import type { MastraTool } from '../catalog/tool.ts';
import { stepError } from '../errors.ts';
import { PROVIDER_SEARCHES } from '../loaded/conversation/provider-searches.ts';
import { createLoadTool } from './load-tool.ts';
import { createSearchTool } from './search-tools.ts';
import type { Services, Step } from './step.ts';
import { createUnloadTool } from './unload-tool.ts';

/**
 * The names of the meta-tools of a step. With `autoLoad` there is none to load by name.
 *
 * @param search - the name of the search tool, where it is a provider's.
 */
export function metaToolNames(
  { options }: Services,
  autoLoad: boolean,
  search: string = options.metaTools.names.search,
): readonly string[] {
  const { names, unloadName } = options.metaTools;
  const loading = autoLoad ? [search] : [search, names.load];
  return unloadName === undefined ? loading : [...loading, unloadName];
}

/** The meta-tools of a step, by name. */
export function createMetaTools(step: Step, services: Services): Record<string, MastraTool> {
  const { names, unloadName } = services.options.metaTools;
  const all = {
    [names.search]: createSearchTool(step, services),
    ...(step.autoLoad ? {} : { [names.load]: createLoadTool(step, services) }),
    ...(unloadName === undefined ? {} : { [unloadName]: createUnloadTool(unloadName, step, services) }),
  };
  return withoutSpent(all, step);
}

/** The meta-tools without those that the run has called in a circle. */
export function withoutSpent<Tool>(tools: Readonly<Record<string, Tool>>, { spent }: Step): Record<string, Tool> {
  return Object.fromEntries(Object.entries(tools).filter(([name]) => !spent.has(name)));
}

/**
 * Refuses tools with the name of a meta-tool, the agent's or another processor's: one of the two would silently take the
 * place of the other.
 *
 * @param names - the names of the meta-tools that are sent.
 * @throws ToolSearchError `meta-tool-clash`
 */
export function refuseClash(
  tools: Readonly<Record<string, unknown>>,
  names: readonly string[],
  { options }: Services,
): void {
  const own = options.metaTools.names.search;
  for (const name of names) {
    if (!Object.hasOwn(tools, name)) continue;
    if (PROVIDER_SEARCHES.includes(name) && name !== own) {
      throw stepError(
        'meta-tool-clash',
        `The agent already has a tool called "${name}", its own or another ToolSearchProcessor's, and the provider's tool search can have no other name. Only one processor of an agent can use it: give the others mode: 'load'.`,
      );
    }
    throw stepError(
      'meta-tool-clash',
      `The agent already has a tool called "${name}", its own or another ToolSearchProcessor's. Give the meta-tools of this processor other names with metaTools.search.name, metaTools.load.name and metaTools.unload.name.`,
    );
  }
}
