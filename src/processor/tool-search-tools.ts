import type { MastraTool } from '../catalog/tool.ts';
import type { ToolSearchProcessorOptions } from '../options/table.ts';
import { ToolSearchProcessor } from './processor.ts';

/**
 * Returns a catalog as two tools, `search_tools` and `call_tool`, for places where no processor runs: an `MCPServer`
 * whose clients search it, a step of a workflow, realtime voice. Each call asks the filter with the request context of
 * its caller. A tool that requires an approval is refused, because nobody can be asked.
 *
 * @param of - options, to which `mode: 'call'` is added; or a processor with that mode, whose index, filter and events
 * are shared.
 * @throws ToolSearchError as the constructor does, and `invalid-option` for a processor in another mode.
 *
 * @example
 * ```ts
 * import { MCPServer } from '@mastra/mcp';
 *
 * const server = new MCPServer({ id: 'catalog', name: 'Catalog', version: '1.0.0', tools: await toolSearchTools({ tools }) });
 * ```
 */
export async function toolSearchTools(
  of: ToolSearchProcessor | Omit<ToolSearchProcessorOptions, 'mode'>,
): Promise<Record<string, MastraTool>> {
  const processor = of instanceof ToolSearchProcessor ? of : new ToolSearchProcessor({ ...of, mode: 'call' });
  return processor.asTools();
}
