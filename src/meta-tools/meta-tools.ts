import { ToolSearchError } from '../errors.ts';
import { createLoadTool } from './load-tool.ts';
import { createSearchTool } from './search-tools.ts';
import type { Services, Step } from './step.ts';

/** The meta-tools that are sent: with `autoLoad` there is nothing to load by name. */
export function metaToolNames({ options }: Services): readonly string[] {
  const { search, load } = options.metaTools.names;
  return options.autoLoad ? [search] : [search, load];
}

export function createMetaTools(step: Step, services: Services): Record<string, unknown> {
  const { search, load } = services.options.metaTools.names;
  const searchTool = createSearchTool(step, services);
  return services.options.autoLoad
    ? { [search]: searchTool }
    : { [search]: searchTool, [load]: createLoadTool(step, services) };
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
      `The agent already has a tool called "${name}", its own or another ToolSearchProcessor's. Give the meta-tools of this processor other names with metaTools.search.name and metaTools.load.name.`,
    );
  }
}
