import type { MastraTool, ToolContext } from '../../catalog/tool.ts';
import { isHooked, ownerFrom } from '../../mastra/carrier.ts';
import { type Execute, type HandedTool, type HandedTools, KNOWN, RUN } from '../../mastra/marks.ts';
import { whatTheLoopReads } from '../../mastra/waiting-call.ts';

/**
 * A tool that was handed over, as Mastra's loop runs it by itself, outside the tools of a step. A stand-in is told of the
 * run by a carrier, and is left to find its agent where that has hooks.
 *
 * @param run - runs a call of it.
 * @param resolved - the tool itself, where a stub was handed over.
 */
export function runByLoop(
  { tool, mark }: HandedTool,
  handed: HandedTools,
  run: Execute,
  resolved?: MastraTool,
): object {
  const { execute } = tool as { readonly execute?: Execute };
  const fields = resolved
    ? { ...tool, requireApproval: undefined, needsApprovalFn: undefined, ...whatTheLoopReads(resolved) }
    : tool;
  if (mark.kind !== 'stand-in' || !execute) {
    mark.execute = run;
    return fields;
  }
  const known = async (context: ToolContext): Promise<object> => {
    const carrier = [...handed.values()].find((other) => other.mark.kind === 'carrier' && 'execute' in other.tool);
    if (!carrier || isHooked(carrier)) return {};
    const { agentId, mastra, settings } = await ownerFrom(carrier, context.requestContext);
    return { ...settings, ...(mastra ? { mastra } : {}), ...(agentId === '' ? {} : { agentId }) };
  };
  const runKnown: Execute = async (input, context) => {
    const call = (context ?? {}) as ToolContext;
    return execute(input, { ...call, [KNOWN]: await known(call), [RUN]: run });
  };
  return { ...fields, execute: runKnown };
}
