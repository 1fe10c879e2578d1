import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { Tool } from '@mastra/core/tools';
import type { LoadToolInput, LoadToolResult } from '../meta-tools/load-tool.ts';
import type { SearchToolsInput, SearchToolsResult } from '../meta-tools/search-tool.ts';

/**
 * The result of `processInputStep`: the step as Mastra is to run it.
 *
 * @example
 * ```ts
 * const step: ToolSearchStepResult = await processor.processInputStep(stepArgs);
 * console.log(Object.keys(step.tools)); // ['search_tools', 'load_tool', …]
 * ```
 */
export interface ToolSearchStepResult {
  /** Tools in the order meta-tools, resident, loaded. `metaTools` may give the meta-tools other names. */
  tools: Record<string, unknown> & {
    search_tools: Tool<SearchToolsInput, SearchToolsResult>;
    load_tool?: Tool<LoadToolInput, LoadToolResult>;
  };
  /**
   * Names of the tools that may be used: the caller's list, extended by what this processor adds. Always there with the
   * modes `'native'` and `'call'`, and in a step of an agent with `onMiss: 'run'`.
   */
  activeTools?: string[];
  /** Where the caller's `toolChoice` names a tool of the catalog that is called otherwise, or is not sent. */
  toolChoice?: 'auto' | { readonly type: 'tool'; readonly toolName: string };
  /**
   * The model of the step, wrapped: with the modes `'native'` and `'call'`, and in a step of an agent with `onMiss: 'run'`.
   */
  model?: ProcessInputStepArgs['model'];
}

/** The arguments of `getLoadedToolsForRequestContext`. */
export interface LoadedToolsArgs {
  requestContext?: RequestContext;
  stepArgs?: ProcessInputStepArgs;
  /** The stored conversation of a run that goes on, where there is no step yet. Read where the storage reads it. */
  messages?: ProcessInputStepArgs['messages'];
  /** The tools the agent resolved for the request. Mastra sends them; leave them out to list the loaded tools. */
  tools?: Record<string, unknown>;
}

/** The prompt of a model call, as Mastra hands it to `processLLMRequest`. */
export interface LLMRequestArgs {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly model: unknown;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
  readonly state?: Record<string, unknown>;
}

/** The end of a run, as Mastra hands it to `processOutputResult`. */
export type OutputResultArgs = Parameters<NonNullable<Processor['processOutputResult']>>[0];

/** A failed model call, as Mastra hands it to `processAPIError`. */
export interface APIErrorArgs {
  readonly error: unknown;
  readonly messageList?: unknown;
  readonly requestContext?: RequestContext | undefined;
  readonly state?: Record<string, unknown>;
}
