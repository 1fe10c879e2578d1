import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { CatalogEntry } from '../catalog/entry.ts';
import { isMastraTool } from '../catalog/tool.ts';
import { placeIn } from '../events/place.ts';
import { callsIn, failedCalls, type ToolCall } from '../loaded/conversation/calls.ts';
import { type ConversationArgs, repeatedTools } from '../loaded/conversation/loads.ts';
import { conversationOf } from '../loaded/conversation/messages.ts';
import { PROVIDER_SEARCHES } from '../loaded/conversation/provider-searches.ts';
import { lastUserText } from '../loaded/conversation/user-message.ts';
import { isSearched, markSent } from '../mastra/marks.ts';
import { watched } from '../mastra/watched.ts';
import { forcedName, isLegacy } from '../mastra/wrapped-model.ts';
import { keepWithinCaps, resolveLoaded, unusable } from '../meta-tools/load.ts';
import { createMetaTools, metaToolNames, refuseClash } from '../meta-tools/meta-tools.ts';
import { newAllowance, type Step } from '../meta-tools/step.ts';
import type { OriginArgs } from './origin.ts';
import type { RequestState } from './request/request-state.ts';
import type { ProcessorServices } from './services.ts';
import {
  type OpenStep,
  result,
  type SentTools,
  type StepToSend,
  sendableIn,
  sendables,
  wrappedResult,
} from './step-tools.ts';
import { systemTexts, writeSystemText } from './system-text.ts';

/** The part of a step's arguments by which it is opened. */
interface OpenArgs extends ConversationArgs, Pick<OriginArgs, 'runId' | 'agent' | 'tracingContext' | 'writer'> {
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
  readonly messageList?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * Takes what was handed over out of the tools of a step, and splits the rest into the catalog and the agent's own.
 */
export async function openStep(args: OpenArgs, state: RequestState, services: ProcessorServices): Promise<OpenStep> {
  const { handover, registry, runCatalogs, requestCatalogs, policy, reporter } = services;
  const { streamEvents } = services.options;
  const separated = handover.separate(state, args.tools, args.messageList);
  if (reporter.isHeard || streamEvents || args.tracingContext?.currentSpan)
    state.origin = (await (await services.reports())?.originOf(args, state, separated, handover, streamEvents)) ?? {};
  if (registry.wantsMastra) {
    const mastra = await handover.mastraFrom(separated, args.requestContext);
    if (mastra) registry.useMastra(mastra);
  }
  const base = await runCatalogs.ofStep(state, args.requestContext, separated);
  if (base.reach) (await import('./source-begin.ts')).useSpare(services);
  const { catalog, own } = requestCatalogs.of(state, base, separated.own);
  const permissions = policy.permissionsOfStep(state, args);
  // By hand, a step may have its messages in either place.
  const messages = args.messages?.length ? args.messages : conversationOf(args);
  const calls = args.messages || args.messageList ? callsIn(messages) : undefined;
  return { state, separated, catalog, own, permissions, calls };
}

/**
 * Decides which tools a step is sent, and writes into the system text what the model is told of them.
 *
 * @throws ToolSearchError `meta-tool-clash`, and in native mode `native-unsupported`.
 */
export async function prepareStep(args: ProcessInputStepArgs, services: ProcessorServices): Promise<SentTools> {
  const { options, requests, handover, cutRuns, reporter } = services;
  const start = performance.now();
  const state = requests.of(args);
  const open = await openStep(args, state, services);
  const isDurable = await handover.isDurable(open.separated, 'tool-search', args.requestContext);
  const mayBeDurable = isDurable !== false;
  const native = await services.native?.forStep(state, args);
  // A legacy model cannot be wrapped: its step is one of load mode.
  const canWrap = !isLegacy(args.model);
  const calling = canWrap ? await services.call?.forStep(state) : undefined;
  const misses =
    canWrap && isOfRun(open)
      ? await services.misses?.forStep(state, (error) => reporter.report({ type: 'call-off', error }, state.origin))
      : undefined;
  const step: StepToSend = { ...open, calls: open.calls ?? [], args, isDurable, mayBeDurable, native, calling, misses };
  if (options.passthroughBelow.length > 0) {
    const { isSentWhole } = await import('./passthrough.ts');
    const { passthroughBelow } = options;
    state.isSentWhole ??= await isSentWhole(open.catalog, open.permissions, passthroughBelow, reporter, state.origin);
  }
  state.steps += 1;
  if (state.steps === 1) cutRuns.atBegin(conversationOf(args), state.origin);
  state.noteCall = cutRuns.atStep(state, state.steps, args, () => state.origin);
  native?.rememberConversation(state, args);
  const sent = await (state.isSentWhole ? sendWhole(step, services) : sendLoaded(step, services));
  if (reporter.isHeard || placeIn(state.origin))
    (await services.reports())?.reportStep(sent, step, performance.now() - start, services);
  return { ...sent, tools: watched(sent.tools, args.tools) };
}

/** Sends all that the request may find, load and use, and what is always loaded; no meta-tools. */
async function sendWhole(open: StepToSend, services: ProcessorServices): Promise<SentTools> {
  const { args, catalog, own, permissions } = open;
  const all = [...catalog.entries].filter(({ name }) => !Object.hasOwn(own, name));
  const loadable = await permissions.allowed(await permissions.allowed(all, 'search'), 'load');
  const wanted = new Set([...(await pinnedTools(open, services)), ...loadable]);
  const active = await permissions.allowed(
    all.filter((entry) => wanted.has(entry)),
    'active',
  );
  const entries = await definedOf(active, open, services);
  const sent = new Set(entries.map(({ name }) => name));
  writeSystemText(args, [], services);
  const sendable = sendableIn(open, (name) => sent.has(name), services);
  const whole = result(open, {}, sendables(entries, sendable));
  if (forcedName(args.toolChoice) === undefined) return whole;
  const { chosen, forcedOfAll } = await import('./forced-tool.ts');
  const forced = forcedOfAll(open);
  return forced ? chosen(whole, forced, open, services) : whole;
}

/** Sends the meta-tools, what is resident and what is loaded and allowed. */
async function sendLoaded(open: StepToSend, services: ProcessorServices): Promise<SentTools> {
  const { args, state, catalog, permissions, calls, native } = open;
  const { options, indexes, loadedTools, sendability, stubs } = services;
  const plan = await native?.planFor(state, args, calls, open.isDurable === true);
  const calling = plan ? undefined : open.calling;
  const autoLoad = plan !== undefined || (options.autoLoad && !calling);
  const metaNames = calling?.metaNames ?? metaToolNames(services, autoLoad, plan?.searchName);
  refuseClash(open.separated.own, plan ? [...metaNames, ...PROVIDER_SEARCHES] : metaNames, services);
  if (plan?.execution !== 'server') indexes.prepare(state.origin);

  const pinned = await pinnedTools(open, services);
  const { resident, available } = namesSentAnyway(open, [...metaNames, ...pinned.map(({ name }) => name)]);
  const inStore = calling ? [] : await loadedTools.of(state, catalog, calls, args, permissions);
  const loaded = new Set(inStore.map(({ name }) => name).filter((name) => !resident.has(name)));
  const step: Step = {
    ...{ catalog, permissions, state, calls, resident, available, autoLoad, own: open.own },
    requestContext: args.requestContext,
    origin: state.origin,
    model: args.model,
    isUnusable: (entry) => sendability.isRefused((stubs.ready(entry, state.run) ?? entry).tool),
    spent: plan ? new Set() : spentIn(args, calls, calling?.name, metaNames, [...available, ...loaded], services),
    loaded,
    fresh: new Set(),
    readCalls: () => callsIn(conversationOf(args)),
    readUserText: () => lastUserText(conversationOf(args)),
    loadsWeak: plan?.dialect !== 'anthropic' || plan.appendsAll,
    allowance: newAllowance(),
    bridge: calling?.bridge,
  };
  (await services.learning)?.addTo(step, args);
  await native?.noteProviderSearches(step, args);
  await keepWithinCaps(step, services);
  await resolveLoaded(step, services);
  if (options.loadsMisses && !calling && failedCalls(calls).length > 0) {
    const { loadMisses } = await import('./misses.ts');
    // A DurableAgent takes a model of its own, and a provider takes no text as the result of its own search.
    const isTold = !open.mayBeDurable && (!native || plan?.appendsAll === true);
    await loadMisses(step, services, isTold ? args.model : undefined);
  }
  const choosing = forcedName(args.toolChoice) === undefined ? undefined : await import('./forced-tool.ts');
  const way = calling ? 'call' : plan ? 'native' : 'load';
  const forced = await choosing?.forcedIn(way, step, args, metaNames, services);
  const withChoice = (sent: SentTools, bridge?: string): SentTools =>
    choosing && forced ? choosing.chosen(sent, forced, open, services, bridge) : sent;
  await (await services.preselect)?.addTo(step, args);
  await resolveLoaded(step, services);

  const entries = [...step.loaded].flatMap((name) => catalog.get(name) ?? []);
  const active = await permissions.allowed(entries, 'active');
  const texts = await systemTexts(step, plan, services, calling?.systemText());
  if (calling) {
    const { sendThroughBridge } = await import('./send-calls.ts');
    const entry = forced?.entry && !resident.has(forced.entry.name) ? forced.entry : undefined;
    const wanted = entry ? [calling.forcedText(entry, args.model, state.run)] : [];
    writeSystemText(args, [...texts, calling.preselected(active, args.model, state.run), ...wanted], services);
    return withChoice(sendThroughBridge(calling, open, step, pinned, entry, services), calling.name);
  }
  writeSystemText(args, texts, services);
  const metaTools = createMetaTools(step, services);
  // What this step's own calls load counts too: the model may call it before the next step.
  const sendable = sendableIn(open, (name) => step.loaded.has(name) || resident.has(name), services);
  if (native && plan) {
    const parts = { plan, step, args, own: open.own, metaTools, active, sendable, texts, forced: forced?.entry };
    const sent = await native.send({ ...parts, pinned: sendables(pinned, sendable) });
    state.sent = new Set(sent.activeTools);
    return withChoice(wrappedResult(open, { ...sent, added: [...Object.values(metaTools), ...sent.added] }));
  }
  markSent(Object.values(metaTools));
  const sent = result(open, metaTools, sendables([...pinned, ...active], sendable));
  if (!open.misses) return withChoice(sent);
  const runOf = (entry: CatalogEntry) => services.handover.resumed(entry, args.model);
  const own = Object.keys(open.own);
  const others = Object.keys(sent.tools).filter((name) => !Object.hasOwn(open.own, name));
  const { mayBeDurable } = open;
  const { handed } = open.separated;
  const handedFor = (entry: CatalogEntry) => services.handover.handedFor(entry, handed);
  const parts = { step, args, model: sent.model ?? args.model, own, others, handed, handedFor, runOf, mayBeDurable };
  const { places, activeTools, model } = open.misses.runMisses(parts, services);
  const added = Object.values(places);
  return withChoice(wrappedResult(open, { tools: { ...sent.tools, ...places }, activeTools, model, added }));
}

/**
 * The meta-tools that a step leaves out, because the run repeats their calls; none where the model would have no tool, or
 * has to call one of them.
 *
 * @param bridge - the name of `call_tool`, which stays: there is no other way to a tool.
 */
function spentIn(
  { toolChoice }: ProcessInputStepArgs,
  calls: readonly ToolCall[],
  bridge: string | undefined,
  metaNames: readonly string[],
  sent: readonly string[],
  { options }: ProcessorServices,
): ReadonlySet<string> {
  const all = repeatedTools(calls, metaNames, options.loadingTools);
  const repeated = new Set([...all].filter((name) => name !== bridge));
  const isNeeded = repeated.has(forcedName(toolChoice) ?? '') || sent.every((name) => repeated.has(name));
  return isNeeded ? new Set() : repeated;
}

/** Whether Mastra runs the step: it handed tools over, or converted the agent's own. A step by hand has neither. */
function isOfRun({ separated, catalog }: OpenStep): boolean {
  if (separated.handed.size > 0) return true;
  for (const { isResolved, tool } of catalog.entries) if (isResolved && !isMastraTool(tool)) return true;
  return false;
}

/** The tools that are pinned and that the agent does not send itself: those of `alwaysLoaded`, in its order, come first. */
async function pinnedTools(open: StepToSend, services: ProcessorServices): Promise<readonly CatalogEntry[]> {
  const { catalog, own, permissions } = open;
  const { alwaysLoaded, trustServerHints } = services.options;
  const usable = async (entries: readonly CatalogEntry[]): Promise<readonly CatalogEntry[]> => {
    const missing = entries.filter(({ name }) => !Object.hasOwn(own, name));
    return definedOf(await permissions.allowed(missing, 'active'), open, services);
  };
  await catalog.reach?.(alwaysLoaded, { ...permissions.asker, origin: open.state.origin });
  const named = [...alwaysLoaded].flatMap((name) => catalog.get(name) ?? []);
  const pinned = await usable(named);
  if (!trustServerHints) return pinned;
  const { pinnedByServers } = await import('./server-pins.ts');
  return [...pinned, ...(await pinnedByServers(catalog, trustServerHints, named, usable))];
}

/** The tools without those that have no definition, or one that cannot be sent. */
async function definedOf(
  entries: readonly CatalogEntry[],
  { state, args: { requestContext, model } }: StepToSend,
  services: ProcessorServices,
): Promise<readonly CatalogEntry[]> {
  const failing = await unusable(entries, { state, requestContext, model }, services);
  return entries.filter(({ name }) => !failing.has(name));
}

/**
 * The names that are sent without loading, and the part of them that the request has for certain: neither the caller's
 * `activeTools` nor another processor may hide it.
 */
function namesSentAnyway({ own, args }: StepToSend, added: readonly string[]): Pick<Step, 'resident' | 'available'> {
  const isCertain = (name: string): boolean => !isSearched(own[name]) && (args.activeTools?.includes(name) ?? true);
  const names = Object.keys(own);
  return {
    resident: new Set([...names, ...added]),
    available: new Set([...names.filter(isCertain), ...added]),
  };
}
