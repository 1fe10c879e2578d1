import type { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../catalog/tool.ts';
import type { ToolSearchFilterPhase } from '../events/phase.ts';

/**
 * What the filter is asked: about one tool, for one request, at one place.
 *
 * @example
 * ```ts
 * const isRead = ({ toolName }: ToolSearchFilterArgs) => toolName.startsWith('get_');
 * new ToolSearchProcessor({ tools, filter: isRead });
 * ```
 */
export type ToolSearchFilterArgs = {
  /** The name by which @mastra/core asks: the `id` of the tool, else its key. */
  toolName: string;
  /** The name the model calls. It differs where providers refuse `toolName`, or where that is a provider's own id. */
  callableName: string;
  tool: MastraTool;
  requestContext?: RequestContext;
  phase: ToolSearchFilterPhase;
};

/**
 * Decides whether a request may see, load or use a tool. Falsy results, exceptions, rejections and timeouts deny.
 *
 * @example
 * ```ts
 * const filter: ToolSearchFilter = ({ toolName, requestContext }) =>
 *   !toolName.startsWith('delete_') || requestContext?.get('isAdmin') === true;
 * new ToolSearchProcessor({ tools, filter });
 * ```
 */
export type ToolSearchFilter = (args: ToolSearchFilterArgs) => boolean | Promise<boolean>;
