import { MASTRA_TOOL_MARKER, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import type { EventOrigin } from '../events/origin.ts';
import { asRecord } from '../util/record.ts';
import { type Execute, type Mark, markedOutput, type Owner, type RegisteredTool } from './marks.ts';
import type { KnownSettings } from './resumed-call.ts';
import { ANYTHING, whatConversionReads } from './validated-call.ts';

/** The id of a call that only asks whose it is. */
const WHO = 'mastra-tool-search.who';

/**
 * A tool without its definition, for Mastra to convert: what it sends comes with the agent's id, hooks and tracing
 * policy, and with everything else that Mastra gives a call.
 *
 * There is nothing in it that could not be converted, and no trace of a run shows more of it than its name.
 *
 * @param resumed - runs a call that belongs to no step.
 */
export function proxyToolOf(name: string, tool: MastraTool, resumed: Execute): object {
  const mark: Mark = { name, kind: 'proxy' };
  const execute: Execute = async (input, context) => {
    const { agent, mastra } = (context ?? {}) as ToolContext;
    if (agent?.toolCallId === WHO) {
      return { agentId: agent.agentId ?? '', mastra, settings: settingsOf(context) } satisfies Owner;
    }
    return (mark.execute ?? resumed)(input, context);
  };
  return {
    ...whatConversionReads(tool),
    [MASTRA_TOOL_MARKER]: true,
    id: name,
    inputSchema: ANYTHING,
    // Keeps the schema away from Mastra's compatibility layers, which take ten times as long as the rest.
    strict: false,
    onOutput: markedOutput((output) => tool.onOutput?.(output), mark),
    ...(typeof tool.execute === 'function' ? { execute } : {}),
  };
}

/** Settings of the run, from the context that Mastra gives a call of a proxy tool. */
export function settingsOf(context: unknown): KnownSettings {
  const { agent, memory, workspace, runId, threadId, resourceId } = (context ?? {}) as ToolContext & KnownSettings;
  const settings = {
    ...{ agentId: agent?.agentId, memory, workspace, runId },
    ...{ threadId: agent?.threadId ?? threadId, resourceId: agent?.resourceId ?? resourceId },
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value)) as KnownSettings;
}

/** The origin of a call's events: that of its step, completed by the context of the call. */
export function originOfCall(context: unknown, step: EventOrigin = {}): EventOrigin {
  const { memory: _, workspace: __, ...ids } = settingsOf(context);
  return { ...ids, ...step };
}

/** The context that Mastra made of a call's, as the loop would have given it. */
export function asGivenByLoop(context: unknown): object {
  const { agent, ...others } = (context ?? {}) as ToolContext;
  // The call has a span already.
  return { ...others, ...agent, skipToolSpan: true };
}

/** Asks a proxy tool for its agent's id and Mastra instance. The id is empty where it cannot say. */
export async function ownerFrom({ tool, mark }: RegisteredTool, requestContext: unknown): Promise<Owner> {
  const { execute } = tool as { execute?: Execute };
  const call = { toolCallId: WHO, messages: [], skipToolSpan: true, requestContext };
  const unknown: Owner = { agentId: '' };
  mark.owner ??= execute
    ? execute({}, call).then(
        (answer) => (asRecord(answer) ? (answer as Owner) : unknown),
        () => unknown,
      )
    : Promise.resolve(unknown);
  return mark.owner;
}
