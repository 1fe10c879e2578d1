import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import { asGivenByLoop, isHooked, ownerFrom } from './carrier.ts';
import { type Execute, type HandedTool, type HandedTools, KNOWN, RUN } from './marks.ts';
import { whatTheLoopReads } from './waiting-call.ts';

/** Runs a call with all that Mastra gave the carrier, behind the agent's hooks. */
export function throughCarrier({ tool, mark }: HandedTool, run: Execute): Execute {
  mark.execute = run;
  const { execute } = tool as { execute: Execute };
  return (input, context) => execute(input, asGivenByLoop(context));
}

/** Runs a call behind the agent's hooks, with the agent's id from a carrier. */
export function throughStandIn(standIn: HandedTool, run: Execute, handed: HandedTools): Execute {
  const { execute } = standIn.tool as { execute: Execute };
  return async (input, context) => {
    const call = (context ?? {}) as ToolContext;
    const agent = call.agent && { ...call.agent, agentId: await agentId(call, standIn, handed) };
    return execute(input, {
      ...call,
      [RUN]: run,
      ...(agent ? { agent, toolCallId: agent.toolCallId, messages: agent.messages } : {}),
    });
  };
}

/**
 * A tool that was handed over, as Mastra's loop runs it by itself, outside the tools of a step. A stand-in is told of the
 * run by a carrier, and is left to find its agent where that has hooks.
 *
 * @param resolved - the tool and its run, where a stub was handed over.
 */
export function runByLoop(
  { tool, mark }: HandedTool,
  handed: HandedTools,
  resolved?: { readonly tool: MastraTool; readonly run: Execute },
): object {
  const { execute } = tool as { readonly execute?: Execute };
  const fields = resolved
    ? { ...tool, requireApproval: undefined, needsApprovalFn: undefined, ...whatTheLoopReads(resolved.tool) }
    : tool;
  if (mark.kind !== 'stand-in' || !execute) {
    if (resolved) mark.execute = resolved.run;
    return fields;
  }
  const known = async (context: ToolContext): Promise<object> => {
    const carrier = [...handed.values()].find((other) => other.mark.kind === 'carrier' && 'execute' in other.tool);
    if (!carrier || isHooked(carrier)) return {};
    const { agentId, mastra, settings } = await ownerFrom(carrier, context.requestContext);
    return { ...settings, ...(mastra ? { mastra } : {}), ...(agentId === '' ? {} : { agentId }) };
  };
  const run: Execute = async (input, context) => {
    const call = (context ?? {}) as ToolContext;
    return execute(input, { ...call, [KNOWN]: await known(call), ...(resolved ? { [RUN]: resolved.run } : {}) });
  };
  return { ...fields, execute: run };
}

/**
 * The agent's id, which only carriers know. None is asked where the agent has hooks: they would take it for a call of
 * the model, and the id stays empty, as it is in @mastra/core.
 */
async function agentId(call: ToolContext, standIn: HandedTool, handed: HandedTools): Promise<string> {
  const known = call.agent?.agentId;
  if (known || standIn.tool !== standIn.mark.standIn) return known ?? '';
  for (const carrier of handed.values()) {
    if (carrier.mark.kind === 'carrier') return (await ownerFrom(carrier, call.requestContext)).agentId;
  }
  return '';
}
