import { ToolSearchError } from '../errors.ts';
import { createLoadTool } from './load-tool.ts';
import { createSearchTool } from './search-tools.ts';
import type { Services, Step } from './step.ts';
import { createUnloadTool } from './unload-tool.ts';

/** The meta-tools that are sent: with `autoLoad` there is nothing to load by name. */
export function metaToolNames({ options }: Services): readonly string[] {
  const { names, unloadName } = options.metaTools;
  const loading = options.autoLoad ? [names.search] : [names.search, names.load];
  return unloadName === undefined ? loading : [...loading, unloadName];
}

export function createMetaTools(step: Step, services: Services): Record<string, unknown> {
  const { autoLoad, metaTools } = services.options;
  const { names, unloadName } = metaTools;
  return {
    [names.search]: createSearchTool(step, services),
    ...(autoLoad ? {} : { [names.load]: createLoadTool(step, services) }),
    ...(unloadName === undefined ? {} : { [unloadName]: createUnloadTool(unloadName, step, services) }),
  };
}

/**
 * Two processors, or the agent and a processor, cannot both have a tool of the same name: one would silently take the
 * place of the other.
 *
 * @throws ToolSearchError `meta-tool-clash`
 */
export function refuseClash(tools: Readonly<Record<string, unknown>>, services: Services): void {
  for (const name of metaToolNames(services)) {
    if (!Object.hasOwn(tools, name)) continue;
    throw new ToolSearchError(
      'meta-tool-clash',
      `The agent already has a tool called "${name}", its own or another ToolSearchProcessor's. Give the meta-tools of this processor other names with metaTools.search.name, metaTools.load.name and metaTools.unload.name.`,
    );
  }
}
