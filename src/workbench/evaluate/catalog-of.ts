import { Groups, isLazyTool, isTool, listedTools, type MemoryCatalog, readCatalog, type ToolGroup } from '../../kit.ts';

/**
 * Tools as the processor takes them, by name, or a list as `tools/list` of an MCP server returns it.
 *
 * @example
 * ```ts
 * const listed: ToolsToRead = [{ name: 'send_email' }];
 * ```
 */
export type ToolsToRead = Readonly<Record<string, unknown>> | readonly { readonly name: string }[];

/**
 * The catalog of tools outside a processor. What is doubtful about one is not reported.
 *
 * @throws ToolSearchError as the processor does.
 */
export function catalogOf(
  tools: ToolsToRead,
  keywords: Readonly<Record<string, readonly string[]>> = {},
  groupOf?: ToolGroup,
): MemoryCatalog {
  const groups = groupOf && new Groups(groupOf);
  const words = new Map(Object.entries(keywords));
  return readCatalog(listedTools(recordOf(tools)), {
    keywords: words,
    groupOf: groups && ((tool) => groups.describe(tool)),
  });
}

/** A list of definitions by their names. */
function recordOf(tools: ToolsToRead): unknown {
  if (!Array.isArray(tools)) return tools;
  return Object.fromEntries((tools as readonly { readonly name: string }[]).map((tool) => [tool.name, listed(tool)]));
}

/** A definition of a list. One without a schema takes no input, as some servers leave it out. */
function listed(tool: object): object {
  const isWhole: boolean = isTool(tool) || isLazyTool(tool);
  return isWhole ? tool : { ...tool, inputSchema: { type: 'object', properties: {} } };
}
