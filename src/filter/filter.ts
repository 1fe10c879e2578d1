import type { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../catalog/tool.ts';
import type { ToolSearchFilterPhase } from '../phase.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';

export type ToolSearchFilterArgs = {
  /** The name by which @mastra/core asks: the `id` of the tool, else its key. */
  toolName: string;
  /** The name the model calls: another one where providers refuse `toolName`, or where it is a provider's own id. */
  callableName: string;
  tool: MastraTool;
  requestContext?: RequestContext;
  phase: ToolSearchFilterPhase;
};

/** May this request see, load or use the tool? Whatever is not truthy, a throw and a rejection mean no. */
export type ToolSearchFilter = (args: ToolSearchFilterArgs) => MaybePromise<boolean>;
