import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import { copyTool } from '../catalog/tool.ts';
import { ToolSearchError } from '../errors.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { ResolvedOptions } from '../options/resolve.ts';

type Prepare = (args: ProcessInputStepArgs) => Promise<{ readonly tools: object }>;

/** Stands in for the arguments that an agent would pass to a step: no conversation, no model, no own tools. */
function stepWithout(context: Partial<ToolContext> | undefined): ProcessInputStepArgs {
  const messageList = { addSystem() {}, clearSystemMessages() {}, get: { all: { db: () => [] } } };
  const { requestContext, abortSignal } = context ?? {};
  return {
    ...{ messages: [], messageList, tools: {}, state: {}, model: {}, stepNumber: 0, steps: [], systemMessages: [] },
    ...(requestContext ? { requestContext } : {}),
    ...(abortSignal ? { abortSignal } : {}),
  } as unknown as ProcessInputStepArgs;
}

/**
 * The search and the bridge of call mode as plain tools. Each call is a step with the request context of its caller, so the
 * catalog, the filter and the answers are the same as in a run.
 *
 * @throws ToolSearchError `invalid-option` for a processor without `mode: 'call'`.
 */
export async function asTools(
  { call, mode, metaTools }: Pick<ResolvedOptions, 'call' | 'mode' | 'metaTools'>,
  prepare: Prepare,
): Promise<Record<string, MastraTool>> {
  if (mode !== 'call' || !call)
    throw new ToolSearchError(
      'invalid-option',
      `"mode" is '${mode}': outside of an agent, nothing can be loaded. Give toolSearchTools() a processor with mode: 'call', or its options.`,
    );
  const toolsFor = async (context?: Partial<ToolContext>): Promise<Readonly<Record<string, MastraTool>>> =>
    (await prepare(stepWithout(context))).tools as never;
  const names = [metaTools.names.search, call.name];
  const shape = await toolsFor();
  const made = names.map((name) => {
    const execute = async (input: unknown, context: ToolContext | undefined): Promise<unknown> => {
      const tool = (await toolsFor(context))[name];
      // No one can approve a call here. The bridge refuses tools that need an approval; if it cannot tell, all are refused.
      if (!tool || tool.requireApproval === true) return { success: false, message: prompts.notHere(name, 'approval') };
      const { agent: _, ...outside } = (context ?? {}) as ToolContext & { agent?: unknown };
      return tool.execute?.(input as never, outside as never);
    };
    const without = {
      execute: execute as never,
      requireApproval: undefined as never,
      suspendSchema: undefined as never,
    };
    return [name, copyTool(shape[name] as MastraTool, without)] as const;
  });
  return Object.fromEntries(made);
}
