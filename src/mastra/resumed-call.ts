import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { makeCoreTool } from '@mastra/core/utils';
import type { LazyTools } from '../catalog/lazy-tools.ts';
import { copyTool, type MastraTool } from '../catalog/tool.ts';
import { identifyRequest } from '../processor/request.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import type { Execute } from './marks.ts';
import { ANYTHING, runValidated } from './validated-call.ts';

/** The processor whose tools are called, and the Mastra instance whose agents are searched for the processor's own. */
export interface ToolOwner {
  /** The processor, as the agent was given it. */
  readonly processor: object;
  /** The Mastra instance; absent before the registration, when nothing can be resumed. */
  mastra?: Mastra;
  /** Resolves the definition of a tool that is a lazy tool. */
  readonly lazyTools: Pick<LazyTools, 'forCall'>;
}

/**
 * Runs a tool as if Mastra had converted it at the start of the run: with its input validated, a span, the ids of
 * agent, thread and resource, memory, writer, and what suspends it and resumed it. Mastra's loop gives a tool that is
 * not converted only the last.
 *
 * Without its id, the agent is found by its processor. Where several agents have this very one, the id, the memory and
 * the provider's schema are left out.
 */
export async function runResumed(
  { name, tool }: { readonly name: string; readonly tool: MastraTool },
  input: unknown,
  context: { readonly requestContext: RequestContext | undefined },
  owner: ToolOwner,
  known: KnownSettings = {},
): Promise<unknown> {
  const { lazyTools } = owner;
  const mastra = owner.mastra ?? (known.mastra as Mastra | undefined);
  const { requestContext } = context;
  const agents: Agent[] = Object.values(mastra?.listAgents?.() ?? {});
  const agent = known.agentId
    ? agents.find(({ id }) => id === known.agentId)
    : await agentOf(agents, owner.processor, requestContext);
  const settings: KnownSettings & { readonly name: string; readonly [other: string]: unknown } = {
    name,
    ...(await orUndefined(() => identifyRequest({ requestContext }))),
    requestContext,
    logger: mastra?.getLogger?.(),
    ...(agent ? await agentSettings(agent, requestContext) : {}),
    ...known,
    mastra,
  };
  const definition = await lazyTools.forCall({ name, tool }, requestContext);
  const execute: Execute = (given, call) => runValidated({ name, tool: definition }, settings.model, given, call);
  const form = copyTool(definition, { inputSchema: ANYTHING as never, strict: false, execute: execute as never });
  return (makeCoreTool(form, settings as never) as { execute?: Execute }).execute?.(input, context);
}

/** Settings of a run, as the context of a proxy tool's call has them. */
export interface KnownSettings {
  readonly agentId?: string;
  readonly mastra?: unknown;
  readonly model?: unknown;
  readonly memory?: unknown;
  readonly workspace?: unknown;
  readonly runId?: string;
  readonly threadId?: string;
  readonly resourceId?: string;
}

async function agentOf(
  agents: readonly Agent[],
  processor: object,
  requestContext: RequestContext | undefined,
): Promise<Agent | undefined> {
  const own = await Promise.all(
    agents.map(async (agent) => {
      const processors = await orUndefined(() => agent.listConfiguredInputProcessors(requestContext));
      return (processors as readonly unknown[] | undefined)?.includes(processor) === true;
    }),
  );
  const found = agents.filter((_, position) => own[position]);
  return found.length === 1 ? found[0] : undefined;
}

async function agentSettings(agent: Agent, requestContext: RequestContext | undefined): Promise<object> {
  const options = requestContext ? { requestContext } : {};
  const [model, memory] = await Promise.all([
    orUndefined(() => agent.getModel(options)),
    orUndefined(() => agent.getMemory(options)),
  ]);
  return { agentId: agent.id, agentName: agent.name, tracingPolicy: agent.getTracingPolicy?.(), model, memory };
}

/** The answer, or undefined where asking fails: a call must not fail of a setting that cannot be found out. */
async function orUndefined<Value>(ask: () => MaybePromise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
