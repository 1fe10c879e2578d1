import type { EventOrigin } from '../events/origin.ts';
import { placeOf } from '../events/places.ts';
import type { PlacedOrigin } from '../events/reporter.ts';
import { identifyRequest } from '../loaded/identity.ts';
import { idsIn, type SeparatedTools } from '../mastra/marks.ts';
import { settingsFrom } from '../mastra/proxy-tools.ts';
import type { HookArgs, RequestState } from '../step/request.ts';
import { asRecord } from '../util/record.ts';

/**
 * The origin of a step's events. Has a `place` if the step is traced or streamed. Never throws.
 *
 * @param streams - the option `streamEvents`.
 */
export async function originOf(
  args: HookArgs,
  state: RequestState,
  separated: SeparatedTools,
  streams: boolean,
): Promise<PlacedOrigin> {
  const ids = await idsOfStep(args, state, separated);
  if (!streams && !args.tracingContext?.currentSpan) return ids;
  return { ...ids, place: placeOf(args, streams) };
}

/** Determines the ids once a request. Only the number of the step changes after that. */
async function idsOfStep(args: HookArgs, state: RequestState, separated: SeparatedTools): Promise<EventOrigin> {
  const step = state.steps + 1;
  if (state.steps > 0) return { ...state.origin, step };
  const found = {
    ...orNone(() => identifyRequest(args)),
    ...orNone(() => idsOfSpan(args)),
    ...textsIn({ runId: args.runId, agentId: args.agent?.id }),
  };
  if (found.runId && found.agentId) return { ...found, step };
  // Mastra passes these ids only to tools, so a proxy tool is asked.
  const settings = await settingsFrom(separated.registered, args.requestContext);
  return { ...idsIn(settings ?? {}), ...found, step };
}

function idsOfSpan({ tracingContext }: HookArgs): EventOrigin {
  const span = asRecord(tracingContext?.currentSpan?.findParent('agent_run' as never));
  return textsIn({ runId: asRecord(span?.['metadata'])?.['runId'], agentId: span?.['entityId'] });
}

function textsIn(ids: Readonly<Record<'runId' | 'agentId', unknown>>): EventOrigin {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => typeof id === 'string'));
}

function orNone(ids: () => EventOrigin): EventOrigin {
  try {
    return ids();
  } catch {
    return {};
  }
}
