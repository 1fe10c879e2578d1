import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord } from '../util/record.ts';

/** The part of a DurableAgent that is read: the agent that it wraps. */
interface DurableAgentLike {
  readonly agent: { listConfiguredInputProcessors(requestContext?: RequestContext): MaybePromise<readonly unknown[]> };
}

/**
 * Cached answers, by agent and request context. A function of processors would return new processors at each question,
 * and others for each request.
 */
const searching = new WeakMap<object, WeakMap<object, Promise<boolean>>>();
const NO_CONTEXT = {};

/**
 * Whether a step may belong to a DurableAgent. The arguments of a step do not show that. So the answer is true if a
 * registered DurableAgent has a processor with this id, or a workflow, which may contain one.
 *
 * If a step lacks a called tool, a DurableAgent looks for it in Mastra's registry and among all registered tools. And
 * after a call has waited for approval in the same process, its context does not show the wait.
 */
export async function mayBeDurable(
  mastra: Mastra | undefined,
  id: string,
  requestContext: RequestContext | undefined,
): Promise<boolean> {
  for (const agent of Object.values(mastra?.listAgents?.() ?? {}) as unknown[]) {
    if (!isDurable(agent)) continue;
    const answers = searching.get(agent) ?? new WeakMap<object, Promise<boolean>>();
    searching.set(agent, answers);
    const asked = requestContext ?? NO_CONTEXT;
    const answer = answers.get(asked) ?? hasProcessor(agent, id, requestContext);
    answers.set(asked, answer);
    if (await answer) return true;
  }
  return false;
}

export function isDurable(agent: unknown): agent is DurableAgentLike {
  const { agent: inner, recover } = (asRecord(agent) ?? {}) as { agent?: unknown; recover?: unknown };
  return typeof recover === 'function' && typeof asRecord(inner)?.['listConfiguredInputProcessors'] === 'function';
}

export async function hasProcessor(
  { agent }: DurableAgentLike,
  id: string,
  context?: RequestContext,
): Promise<boolean> {
  try {
    const processors = await agent.listConfiguredInputProcessors(context);
    return processors.map(asRecord).some((it) => it?.['id'] === id || it?.['stepGraph'] !== undefined);
  } catch {
    return true;
  }
}
