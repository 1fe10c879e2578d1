import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { type Catalog, type CatalogEntry, isClients } from '../catalog/catalog.ts';
import { providedByServer } from '../catalog/document.ts';
import { definitionTokens } from '../catalog/document-cache.ts';
import { serverOf } from '../catalog/groups.ts';
import { isProviderTool } from '../catalog/tool.ts';
import { placeIn, type Reporter } from '../events/reporter.ts';
import type { Policy } from '../filter/permissions.ts';
import { callsIn, conversationOf, failedCalls, repeatedTools } from '../loaded/conversation/conversation.ts';
import type { CutRuns } from '../loaded/conversation/cut-runs.ts';
import { isSearched, separate } from '../mastra/marks.ts';
import { settingsFrom } from '../mastra/proxy-tools.ts';
import type { ToolRegistration } from '../mastra/tool-registration.ts';
import { explainFailedCalls } from '../meta-tools/failed-calls.ts';
import type { Loader } from '../meta-tools/loading.ts';
import { type MetaToolParts, refuseClash } from '../meta-tools/meta-tool.ts';
import { loadMissedCalls } from '../meta-tools/missed-calls.ts';
import * as prompts from '../meta-tools/prompts.ts';
import { sentTools } from '../modes/load.ts';
import type { Mode, StepMode } from '../modes/mode.ts';
import type { PassthroughLimit, ResolvedOptions } from '../options/resolve.ts';
import { echo } from '../util/text.ts';
import type { RequestCatalogs } from './catalogs.ts';
import type { LearningRequests } from './learning.ts';
import { withOwnNames } from './own-names.ts';
import type { Preselect } from './preselect/preselect.ts';
import type { RefusedTools } from './refused-tools.ts';
import type { HookArgs, RequestState, Requests } from './request.ts';
import {
  activeEntries,
  compatibleTools,
  entriesOf,
  finish,
  forcedName,
  newAllowance,
  noteCall,
  preselectedIn,
  type SentTools,
  type Step,
  ToolPresence,
} from './step.ts';
import { originOf, reportStep } from './step-events.ts';

/** The parts of a processor. */
export interface StepParts extends MetaToolParts {
  readonly requests: Requests;
  readonly registration: ToolRegistration;
  readonly catalogs: RequestCatalogs;
  readonly policy: Policy;
  readonly cutRuns: CutRuns;
  readonly refusedTools: RefusedTools;
  /** The first that can serve a step does. */
  readonly modes: readonly Mode[];
  readonly preselect: Preselect | undefined;
  /** Absent where it is off; undefined where its code cannot be loaded. */
  readonly learning: LearningRequests | undefined;
}

/** Decides which tools a step is sent, and writes into the system text what the model reads of them. */
export class StepPreparer {
  readonly #parts: StepParts;

  constructor(parts: StepParts) {
    this.#parts = parts;
  }

  /**
   * The tools of a step.
   *
   * @throws ToolSearchError `meta-tool-clash`, and in native mode `native-unsupported`.
   */
  async prepare(args: ProcessInputStepArgs): Promise<SentTools> {
    const { requests, cutRuns, reporter, loader, registration, modes, refusedTools } = this.#parts;
    const start = performance.now();
    const state = requests.of(args);
    const step = await this.#openStep(args, state);
    step.isDurable = await registration.isDurable(step.separated, 'tool-search', args.requestContext);
    if (this.#parts.options.passthroughBelow.length > 0)
      state.isSentWhole ??= await isSentWhole(step, this.#parts.options.passthroughBelow, reporter);
    state.steps += 1;
    if (state.steps === 1) cutRuns.atBegin(conversationOf(args), state.origin);
    cutRuns.atStep(state, args);

    for (const mode of modes) await mode.begin?.(step);
    const chosen = await (state.isSentWhole ? this.#sendWhole(step) : this.#send(step));
    const model = withOwnNames(chosen.model ?? args.model, step.renamings);
    const sent = model === (chosen.model ?? args.model) ? chosen : { ...chosen, model };
    refusedTools.noteSent(step, sent);
    if (reporter.isHeard || placeIn(state.origin)) reportStep(sent, step, performance.now() - start, loader, reporter);
    return sent;
  }

  /** The tools that a request could call in a step: what is loaded and what is preselected, as far as it may use them. */
  async readyTools(args: HookArgs, state: RequestState): Promise<readonly CatalogEntry[]> {
    const { loader } = this.#parts;
    const step = await this.#openStep(args, state);
    await this.#readLoaded(step);
    step.tools.add('preselected', state.preselected);
    await loader.activate(step, ['loaded', 'preselected']);
    return activeEntries(step).flatMap((entry) => loader.ready(entry, step) ?? []);
  }

  /** Opens a step: whose request it is, and which catalog it searches. Nothing is loaded or decided yet. */
  async #openStep(args: HookArgs, state: RequestState): Promise<Step> {
    const { registry, catalogs, policy, reporter, loader } = this.#parts;
    const { streamEvents, metaTools, autoLoad, loadingTools } = this.#parts.options;
    const separated = separate(state, args.tools, args.messageList as object | undefined);
    if (reporter.isHeard || streamEvents || args.tracingContext?.currentSpan)
      state.origin = await originOf(args, state, separated, streamEvents);
    if (registry.wantsMastra) {
      // Mastra does not register a processor that a function returns.
      const mastra = (await settingsFrom(separated.registered, args.requestContext))?.mastra;
      if (mastra) registry.useMastra(mastra);
    }
    const { catalog, own } = await catalogs.ofStep(state, args.requestContext, separated);
    const permissions = policy.permissionsOfStep(state, args);
    // By hand, a step may have its messages in either place.
    const messages = args.messages?.length ? args.messages : conversationOf(args);
    const tools = new ToolPresence();
    const forms = new Map<CatalogEntry, object | undefined>();
    const step: Step = {
      ...{ args: args as ProcessInputStepArgs, state, permissions, origin: state.origin },
      ...{ catalog, own, separated, isDurable: false, tools },
      calls: callsIn(messages, loadingTools),
      readCalls: () => callsIn(conversationOf(args), loadingTools),
      readMessages: () => conversationOf(args),
      ...{ pinned: [], forced: undefined, texts: [], spent: new Set(), renamings: new Map() },
      isUnusable: (entry) => loader.isUnusable(entry, step),
      compatible: (entry) => this.#compatible(entry, step, forms),
      allowance: newAllowance(),
      reach: { names: metaTools.names, autoLoad, loadsWeak: true },
    };
    return step;
  }

  /** A tool as Mastra is sent it, which asks the filter again before it runs. */
  #compatible(given: CatalogEntry, step: Step, forms: Map<CatalogEntry, object | undefined>): object | undefined {
    const { args, state, tools } = step;
    const entry = this.#parts.loader.ready(given, step);
    if (!entry || forms.has(entry)) return entry && forms.get(entry);
    const isSent = !step.reach.bridge;
    if (isSent && this.#parts.loader.isWithheld(entry, step)) return undefined;
    const form = this.#parts.registration.compatible(entry, step.separated, args.model, {
      requestContext: args.requestContext,
      // Any call of a DurableAgent may have waited for an approval.
      isLoaded: (name) => step.isDurable === false && tools.has(name),
      origin: state.origin,
      noteCall: () => noteCall(state),
    });
    if (isSent && form && this.#parts.loader.withholds(entry, step)) return undefined;
    forms.set(entry, form);
    const renaming = form && this.#parts.registration.renaming(entry, args.model);
    if (renaming) step.renamings.set(entry.name, renaming);
    return form;
  }

  /** Sends all that the request may find, load and use, and what is pinned; no meta-tools. */
  async #sendWhole(step: Step): Promise<SentTools> {
    const { loader, reporter, options } = this.#parts;
    const { catalog, own, permissions } = step;
    step.pinned = await pinnedTools(step, options, loader);
    const all = [...catalog.entries].filter(({ name }) => !Object.hasOwn(own, name));
    const loadable = await permissions.allowed(all, ['search', 'load']);
    const whole = new Set([...step.pinned, ...loadable]);
    const active = await permissions.allowed(
      all.filter((entry) => whole.has(entry)),
      'active',
    );
    const failing = await loader.unusable(active, step);
    const entries = active.filter(({ name }) => !failing.has(name));
    step.tools.add('pinned', entries);
    writeSystemText(step, step.state.hints, options);
    const sent = finish(sentTools({}, compatibleTools(entries, step), step), step);
    return withToolChoice(sent, await forcedIn(step, undefined, loader, reporter), undefined, step, reporter);
  }

  /** Sends the meta-tools, what is resident, and what the mode makes of what is loaded. */
  async #send(step: Step): Promise<SentTools> {
    const { loader, searcher, learning, preselect, reporter } = this.#parts;
    const { own, separated, tools } = step;
    const mode = await this.#openMode(step);
    step.reach = mode;
    refuseClash(separated.own, mode.metaNames, mode.fixedNames);
    if (mode.searches) searcher.prepare(step.origin);
    step.pinned = await pinnedTools(step, this.#parts.options, loader);
    for (const [name, tool] of Object.entries(own)) {
      // The caller's `activeTools`, or another processor, may hide the others.
      const isCertain = !isSearched(tool) && (step.args.activeTools?.includes(name) ?? true);
      tools.add(isCertain ? 'own' : 'hideable', [name]);
    }
    tools.add('meta', mode.metaNames);
    tools.add('pinned', step.pinned);
    if (!mode.bridge) await this.#readLoaded(step);
    step.spent = spentIn(step, mode);
    await learning?.addTo(step);
    await mode.noteFinds?.(step);
    await loader.keepWithinCaps(step);
    await loader.activate(step, ['loaded']);
    const withResults = mode.reportsWithResults === true && step.state.rewritesPrompt;
    if (this.#parts.options.loadsMisses && !mode.bridge && failedCalls(step.calls).length > 0)
      await loadMissedCalls(step, withResults, loader, reporter);
    if (!mode.bridge) explainFailedCalls(step, withResults);
    const forced = await forcedIn(step, mode, loader, reporter);
    step.forced = forced?.entry;
    if (preselect) {
      await preselect.addTo(step);
      await loader.activate(step, ['preselected', 'fresh']);
    }
    step.texts = await systemTexts(step, mode, this.#parts.options);
    writeSystemText(step, [...step.texts, ...(mode.moreTexts?.(step) ?? [])], this.#parts.options);
    const sent = await mode.send(step, compatibleTools(step.pinned, step));
    return withToolChoice(finish(sent, step), forced, sent.bridge, step, reporter);
  }

  async #openMode(step: Step): Promise<StepMode> {
    for (const mode of this.#parts.modes) {
      const opened = await mode.open(step);
      if (opened) return opened;
    }
    throw new TypeError('No mode serves the step');
  }

  async #readLoaded(step: Step): Promise<void> {
    const { state, catalog, calls, args, permissions, tools } = step;
    const known = args.messages || args.messageList ? calls : undefined;
    tools.add('loaded', await this.#parts.registry.entries(state, catalog, known, args, permissions));
  }
}

/**
 * Whether the whole catalog is to be sent: searching such a small one costs more than it saves. Reported.
 *
 * What counts is what the request may see. Where there was no time to ask about all that, nobody knows how much it is.
 */
async function isSentWhole(
  { catalog, permissions, origin, args }: Step,
  options: readonly PassthroughLimit[],
  reporter: Reporter,
): Promise<boolean> {
  const limits = options.map(({ name, below }) => ({ name, below: below(args.model) }));
  const most = permissions.isOpen ? undefined : limits.find(({ name }) => name === 'tools')?.below;
  const enough = Math.ceil(most ?? Number.POSITIVE_INFINITY);
  const { permitted, left } = await permissions.inSearch().choose(catalog.entries, enough, 'search');
  if (left > 0) return false;
  const sizes = limits.map(({ name, below }) => {
    return { limit: name, below, size: name === 'tools' ? permitted.length : tokensUpTo(below, permitted) };
  });
  const decisive = sizes.find(({ size, below }) => size >= below) ?? sizes.at(-1);
  if (!decisive) return false;
  const isWhole = decisive.size < decisive.below;
  reporter.report({ type: 'passthrough', isSentWhole: isWhole, ...decisive }, origin);
  return isWhole;
}

/** Counts no further than is needed: there may be thousands of tools. */
function tokensUpTo(limit: number, entries: readonly CatalogEntry[]): number {
  let tokens = 0;
  for (const entry of entries) {
    tokens += definitionTokens(entry);
    if (tokens >= limit) break;
  }
  return tokens;
}

/**
 * The meta-tools that a step leaves out, because the run repeats their calls; none where the model would have no tool, or
 * has to call one of them.
 */
function spentIn({ args, calls, tools }: Step, { metaNames, mandatory }: StepMode): ReadonlySet<string> {
  const all = repeatedTools(calls, metaNames);
  const repeated = new Set([...all].filter((name) => !mandatory.includes(name)));
  const isNeeded =
    repeated.has(forcedName(args.toolChoice) ?? '') || tools.callable.every((name) => repeated.has(name));
  return isNeeded ? new Set() : repeated;
}

/** Tokens of the definitions that servers may pin in a request. */
const MAX_TOKENS = 4_000;

/** Cache: the tools of catalogs that their servers want to be sent always. A processor trusts the same servers for ever. */
const wanted = new WeakMap<Catalog, readonly CatalogEntry[]>();

/**
 * The tools that are pinned and that the agent does not send itself: those of `alwaysLoaded`, in its order, and as far as there
 * is room those that trusted servers want to be sent always, `_meta["anthropic/alwaysLoad"]`. The others are reported.
 */
async function pinnedTools(
  step: Step,
  { alwaysLoaded, trustServerHints: trusted }: Pick<ResolvedOptions, 'alwaysLoaded' | 'trustServerHints'>,
  loader: Loader,
): Promise<readonly CatalogEntry[]> {
  const { catalog, own, permissions } = step;
  const usable = async (entries: readonly CatalogEntry[]): Promise<readonly CatalogEntry[]> => {
    const missing = entries.filter(({ name }) => !Object.hasOwn(own, name));
    const active = await permissions.allowed(missing, 'active');
    // A pinned tool is sent in every mode.
    const failing = await loader.unusable(active, step, true);
    return active.filter(({ name }) => !failing.has(name));
  };
  await catalog.reach(alwaysLoaded, { ...permissions.asker, origin: step.origin });
  const named = entriesOf(alwaysLoaded, step);
  const pinned = await usable(named);
  if (!trusted) return pinned;
  const entries = wanted.get(catalog) ?? [...catalog.entries].filter((entry) => isWanted(entry, trusted));
  wanted.set(catalog, entries);
  let room = MAX_TOKENS;
  // What is named takes no room, nor does what the request may not use.
  const byServers = (await usable(entries.filter((entry) => !named.includes(entry)))).filter((entry) => {
    const tokens = definitionTokens(entry);
    if (tokens <= room) {
      room -= tokens;
      return true;
    }
    const name = JSON.stringify(entry.name);
    const message = `The server of tool ${name} wants it to be sent always, but there is room for ${MAX_TOKENS} tokens of such tools; it is searched. Pin it with alwaysLoaded.`;
    catalog.problems.once(entry.name, 'not-pinned', () => message);
    return false;
  });
  return [...pinned, ...byServers];
}

function isWanted(entry: CatalogEntry, trusted: true | ReadonlySet<string>): boolean {
  try {
    const isAsked = providedByServer(entry.tool, 'anthropic/alwaysLoad').includes(true);
    return isAsked && !isClients(entry) && (trusted === true || trusted.has(serverOf(entry.tool) ?? ''));
  } catch {
    return false;
  }
}

/** A tool of the catalog that a request has to call, by its `toolChoice`. */
interface Forced {
  /** Its name as `toolChoice` has it: a record key leads to a tool as well. */
  readonly called: string;
  /** Undefined where the request may not use it, or it cannot be had. */
  readonly entry?: CatalogEntry;
}

const NO_LOAD = { type: 'load', by: 'request', loaded: [], alreadyLoaded: [], notFound: [], denied: [] } as const;

type Obstacle = 'denied' | 'noRoom' | 'failed' | 'notFound';

/**
 * The tool of the catalog that a step has to call, as far as the request may load and use it; loaded where the mode wants
 * that. Undefined where the step has to call none, or one that is there anyway: that is Mastra's business. A name that no
 * tool has is met as a forbidden one is: the answer of a provider must not tell the one from the other.
 *
 * @param mode - undefined where the whole catalog is sent.
 */
async function forcedIn(
  step: Step,
  mode: StepMode | undefined,
  loader: Loader,
  reporter: Reporter,
): Promise<Forced | undefined> {
  const { own, catalog, permissions, tools } = step;
  const called = forcedName(step.args.toolChoice);
  if (called === undefined || Object.hasOwn(own, called) || mode?.metaNames.includes(called)) return undefined;
  await catalog.reach([called], { ...permissions.asker, origin: step.origin });
  const entry = catalog.get(called);
  if (!entry) {
    // Another processor of the agent may have it.
    if (Object.hasOwn(step.args.tools ?? {}, called)) return undefined;
    return refused({ called }, catalog.isUnreachable(called) ? 'failed' : 'notFound', step, reporter);
  }
  const forced = { called, entry };
  if (!mode || tools.isResident(entry.name)) return forced;
  const isLoaded = tools.isLoaded(entry.name);
  const allowed = await permissions.allowed([entry], isLoaded ? ['active'] : ['load', 'active']);
  if (allowed.length === 0) return refused(forced, 'denied', step, reporter);
  const failing = await loader.unusable(allowed, step);
  // A provider's own tool cannot be called through another one.
  if (failing.size > 0 || (mode.bridge && isProviderTool(entry.tool))) return refused(forced, 'failed', step, reporter);
  if (!mode.loadsForced || isLoaded) return forced;

  const start = performance.now();
  const { loaded } = await loader.byName([entry.name], step);
  if (loaded.length === 0) return refused(forced, 'noRoom', step, reporter);
  reporter.report({ ...NO_LOAD, loaded, ms: performance.now() - start }, step.origin);
  return forced;
}

/**
 * The result of a step with the `toolChoice` that its request can have: by the name under which the tool is sent, or
 * `'auto'` where it is not. A request that names a tool which it does not have is refused by providers.
 *
 * @param bridge - the tool through which the forced one is called, where it is not sent itself.
 */
function withToolChoice(
  sent: SentTools,
  forced: Forced | undefined,
  bridge: string | undefined,
  step: Step,
  reporter: Reporter,
): SentTools {
  if (!forced) return sent;
  const { called, entry } = forced;
  const toolName = entry && Object.hasOwn(sent.tools, entry.name) ? entry.name : entry && bridge;
  if (toolName === called) return sent;
  if (toolName !== undefined) return { ...sent, toolChoice: { type: 'tool', toolName } };
  if (entry) refused(forced, 'denied', step, reporter);
  return { ...sent, toolChoice: 'auto' };
}

/** Reports a forced tool that is not sent, once a request: Mastra keeps `toolChoice` over all steps of a run. */
function refused({ called, entry }: Forced, obstacle: Obstacle, { state }: Step, reporter: Reporter): Forced {
  const name = entry?.name ?? echo(called);
  if (!state.refusedForced.has(name)) {
    state.refusedForced.add(name);
    reporter.report({ ...NO_LOAD, [obstacle]: [name], ms: 0 }, state.origin);
  }
  return { called };
}

type TextOptions = Pick<ResolvedOptions, 'metaTools' | 'injectCatalog'>;

/** Tools that are listed; the model reads when there are more. */
const MAX_LISTED = 1_000;

/** Cache: the injected catalog of each run, by wording. It stays the same over all steps, for the sake of the prompt cache. */
const injectedCatalogs = new WeakMap<object, Map<string, string>>();

/** What the model reads of its tools: how to search, hints of this request, the injected catalog. */
async function systemTexts(
  step: Step,
  mode: StepMode,
  { metaTools, injectCatalog }: TextOptions,
): Promise<readonly string[]> {
  // A mode may send its search under another name than results have for it.
  const names = { ...metaTools.names, search: mode.metaNames[0] ?? metaTools.names.search };
  const injected = injectCatalog === false ? '' : await injectedCatalog(step, names, injectCatalog);
  const { systemText } = metaTools;
  const how =
    systemText === 'firm'
      ? prompts.firmSystemText(names, mode.autoLoad, mode.bridge?.name, mode.bridge ? [] : preselectedIn(step))
      : (systemText ?? mode.systemText(step));
  return [how, ...step.state.hints, injected];
}

/**
 * Writes texts under a tag of their own, in place of those of the step before: a DurableAgent keeps all system messages
 * over its steps, a plain agent the tagged ones.
 */
function writeSystemText({ args: { messageList } }: Step, texts: readonly string[], { metaTools }: TextOptions): void {
  const tag = `tool-search:${metaTools.names.search}`;
  // A list that is not Mastra's own may lack the method.
  messageList.clearSystemMessages?.(tag);
  for (const text of texts) if (text !== '') messageList.addSystem(text, tag);
}

/**
 * The catalog as it stands in the system text: what the request may see, but for what is sent anyway. It is made in the
 * first step and stays, whatever the filter says later: the prompt cache and the asking are paid once.
 *
 * @param names - as the step sends the meta-tools.
 */
async function injectedCatalog(step: Step, names: prompts.MetaToolNames, style: true | 'names'): Promise<string> {
  const { autoLoad, bridge } = step.reach;
  const form = `${names.search} ${autoLoad} ${bridge !== undefined}`;
  const ofRun = injectedCatalogs.get(step.state.run) ?? new Map<string, string>();
  injectedCatalogs.set(step.state.run, ofRun);
  const cached = ofRun.get(form);
  if (cached !== undefined) return cached;
  const { tools, rest } = await listed(step);
  const write = style === 'names' ? prompts.catalogNames : prompts.catalogText;
  const lines = tools.map((entry) => {
    // Text that a client wrote must not become system text.
    return { name: entry.name, description: isClients(entry) ? '' : entry.description };
  });
  const text = write(lines, names, autoLoad, rest, bridge?.catalogIntro);
  if (!step.permissions.isAborted) ofRun.set(form, text);
  return text;
}

async function listed({
  catalog,
  tools,
  permissions,
  reach,
}: Step): Promise<{ readonly tools: readonly CatalogEntry[]; readonly rest: prompts.CatalogRest }> {
  const deferred = [...catalog.entries].filter(({ name }) => !tools.isResident(name));
  const search = permissions.inSearch();
  // One more than is listed: whether there are more must not depend on tools that the request may not see.
  const { permitted, left } = await search.choose(deferred, MAX_LISTED + 1, 'search');
  const first = permitted.slice(0, MAX_LISTED);
  if (permissions.isOpen) return { tools: first, rest: deferred.length - first.length };
  // A search that loads does not find the others.
  const loadable = reach.autoLoad ? await search.allowed(first, 'load') : first;
  return { tools: loadable, rest: left > 0 || permitted.length > MAX_LISTED ? 'unknown' : 0 };
}
