import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { EventOrigin } from '../events/origin.ts';
import type { PlacedOrigin } from '../events/place.ts';
import type { Handover } from '../mastra/handover.ts';
import type { SeparatedTools } from '../mastra/separation.ts';
import { asRecord } from '../util/record.ts';
import { type IdentitySources, identifyRequest } from './request/identity.ts';
import type { RequestState } from './request/request-state.ts';

/** The part of a step's arguments that says whose step it is. */
export interface OriginArgs extends IdentitySources {
  readonly runId?: string | undefined;
  readonly agent?: ProcessInputStepArgs['agent'] | undefined;
  readonly tracingContext?: ProcessInputStepArgs['tracingContext'] | undefined;
  readonly writer?: unknown;
}

/**
 * The origin of a step's events, with its place where the step is traced, or streamed. Never throws.
 *
 * @param streams - the option `streamEvents`.
 */
export async function originOf(
  args: OriginArgs,
  state: RequestState,
  separated: SeparatedTools,
  handover: Handover,
  streams: boolean,
): Promise<PlacedOrigin> {
  const ids = await idsOfStep(args, state, separated, handover);
  if (!streams && !args.tracingContext?.currentSpan) return ids;
  const code = await import('../events/trace-place.ts').catch(() => undefined);
  return { ...ids, place: code?.placeOf(args, streams) };
}

/** Found out once a request, as the rest stays the same. */
async function idsOfStep(
  args: OriginArgs,
  state: RequestState,
  separated: SeparatedTools,
  handover: Handover,
): Promise<EventOrigin> {
  const step = state.steps + 1;
  if (state.steps > 0) return { ...state.origin, step };
  const found = { ...identityOf(args), ...idsOf(args, idsOfSpan(args)) };
  if (found.runId && found.agentId) return { ...found, step };
  // Mastra tells these ids to tools alone.
  const owner = await handover.ownerOf(separated, args.requestContext).catch(() => undefined);
  const { agentId, settings } = owner ?? {};
  return { ...(agentId ? { agentId } : {}), ...asRecord(settings), ...found, step };
}

function identityOf({ requestContext, messageList, messages }: OriginArgs): EventOrigin {
  try {
    return identifyRequest({ requestContext, messageList, messages });
  } catch {
    return {};
  }
}

/** What newer versions of Mastra tell a processor, or else what stands in a trace. */
function idsOf({ runId, agent }: OriginArgs, ofSpan: EventOrigin): EventOrigin {
  return {
    ...ofSpan,
    ...(typeof runId === 'string' ? { runId } : {}),
    ...(typeof agent?.id === 'string' ? { agentId: agent.id } : {}),
  };
}

/** The ids in the span of the run, where it is traced. */
function idsOfSpan({ tracingContext }: OriginArgs): EventOrigin {
  try {
    const span = tracingContext?.currentSpan?.findParent('agent_run' as never);
    const { runId } = asRecord(span?.metadata) ?? {};
    const { entityId } = asRecord(span) ?? {};
    return {
      ...(typeof runId === 'string' ? { runId } : {}),
      ...(typeof entityId === 'string' ? { agentId: entityId } : {}),
    };
  } catch {
    return {};
  }
}
