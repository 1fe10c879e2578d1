import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import { descriptionOf } from '../catalog/tool.ts';
import type { EventOrigin } from '../events/origin.ts';
import { placeOf } from '../events/places.ts';
import { type PlacedOrigin, placeIn, type Reporter } from '../events/reporter.ts';
import type { ToolSearchOccurrence } from '../events/table.ts';
import { isHidden } from '../mastra/hiding.ts';
import { idsIn, type SeparatedTools } from '../mastra/marks.ts';
import { settingsFrom } from '../mastra/proxy-tools.ts';
import type { Loader } from '../meta-tools/loading.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord } from '../util/record.ts';
import { CHUNK, inSlices, type SlicedWork } from '../util/time-slices.ts';
import { type HookArgs, identifyRequest, type RequestState } from './request.ts';
import type { SentTools, Step } from './step.ts';

/**
 * The origin of a step's events, with its place where the step is traced, or streamed. Never throws.
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

/** Found out once a request, as the rest stays the same. */
async function idsOfStep(args: HookArgs, state: RequestState, separated: SeparatedTools): Promise<EventOrigin> {
  const step = state.steps + 1;
  if (state.steps > 0) return { ...state.origin, step };
  const found = {
    ...orNone(() => identifyRequest(args)),
    ...orNone(() => idsOfSpan(args)),
    ...textsIn({ runId: args.runId, agentId: args.agent?.id }),
  };
  if (found.runId && found.agentId) return { ...found, step };
  // Mastra tells these ids to tools alone.
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

/** Cache: the tokens of all definitions of a catalog. */
const totals = new WeakMap<Catalog, MaybePromise<number>>();

/**
 * Reports what a step sends. Where a large catalog is counted first, the event comes later, with what was saved; spans and
 * streams, which may have ended by then, show the step at once. Never throws, and nobody waits for it.
 */
export function reportStep(prepared: SentTools, step: Step, ms: number, loader: Loader, reporter: Reporter): void {
  const { catalog, state, own } = step;
  const { origin } = state;
  const tools = new Map(sentTools(prepared));
  const sent = [...tools.keys()];
  const preselected = [...state.preselected];
  const isOfCatalog = (name: string): boolean => !Object.hasOwn(own, name) && catalog.get(name)?.name === name;
  const deferred = catalog.size - sent.filter(isOfCatalog).length;
  // Nobody knows what a source has.
  const isWhole = catalog.total !== undefined;
  const eventOf = (ofCatalog: number | undefined): ToolSearchOccurrence => {
    let tokensSent = 0;
    let ofOwn = 0;
    for (const [name, tool] of tools) {
      const found = isOfCatalog(name) ? catalog.get(name) : undefined;
      // The agent's own tools and the meta-tools are no part of the catalog.
      const other = { name, tool, description: descriptionOf(tool) } as CatalogEntry;
      const tokens = definitionTokens(found ? (loader.ready(found, step) ?? found) : other);
      tokensSent += tokens;
      if (Object.hasOwn(own, name)) ofOwn += tokens;
    }
    const saved = ofCatalog === undefined ? {} : { tokensSaved: ofCatalog + ofOwn - tokensSent };
    const known = isWhole ? { deferred, ...saved } : {};
    return { type: 'step', sent, ...known, preselected, tokensSent, ms };
  };
  try {
    const total = isWhole ? (totals.get(catalog) ?? inSlices(tokensOf(catalog))) : 0;
    if (isWhole) totals.set(catalog, total);
    if (typeof total === 'number') reporter.report(eventOf(total), origin);
    else {
      placeIn(origin)?.show({ time: Date.now(), ...eventOf(undefined) });
      const { place: _, ...ids }: PlacedOrigin = origin ?? {};
      void total.then((counted) => reporter.report(eventOf(counted), ids)).catch(() => {});
    }
  } catch {
    // What cannot be counted is not reported.
  }
}

/** The tools whose definitions the model gets: a provider holds back what is deferred. */
function* sentTools({ tools, activeTools }: SentTools): Iterable<[string, object]> {
  for (const name of activeTools ?? Object.keys(tools)) {
    const tool = Object.hasOwn(tools, name) ? asRecord(tools[name]) : undefined;
    if (tool && !isHidden(tool) && !isDeferred(tool)) yield [name, tool];
  }
}

function isDeferred({ providerOptions }: { readonly providerOptions?: unknown }): boolean {
  return Object.values(asRecord(providerOptions) ?? {}).some((options) => asRecord(options)?.['deferLoading'] === true);
}

function* tokensOf({ entries }: Catalog): SlicedWork<number> {
  let tokens = 0;
  let count = 0;
  for (const entry of entries) {
    tokens += definitionTokens(entry);
    if (++count % CHUNK === 0) yield;
  }
  return tokens;
}
