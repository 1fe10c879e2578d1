import type { ToolContext } from '../catalog/tool.ts';
import { asGivenByLoop, ownerFrom } from './carrier.ts';
import { type Execute, type HandedTool, type HandedTools, RUN } from './marks.ts';

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
