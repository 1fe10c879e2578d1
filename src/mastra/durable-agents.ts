import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord } from '../util/record.ts';

/** A DurableAgent: what it wraps. */
interface DurableAgentLike {
  readonly agent: { listConfiguredInputProcessors(requestContext?: RequestContext): MaybePromise<readonly unknown[]> };
}

/** The answers by agent and request context: a function of processors makes new ones each time, and for each request. */
const searching = new WeakMap<object, WeakMap<object, Promise<boolean>>>();
const NO_CONTEXT = {};

/**
 * Whether a step may be one of a DurableAgent, which its arguments do not show: whether a registered one has a processor of
 * this id, or a workflow, which may hold one.
 *
 * A DurableAgent looks tools up in Mastra's own registry, and among all that was registered, when the step does not
 * have them; and where a call waited for approval in its process, it tells nobody.
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
