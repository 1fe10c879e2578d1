import type { ProcessInputStepArgs } from '@mastra/core/processors';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Feature } from '../features/feature.ts';
import type { Policy } from '../filter/permissions.ts';
import { callsIn, conversationOf } from '../loaded/conversation/conversation.ts';
import { isSearched, separate } from '../mastra/marks.ts';
import { settingsFrom } from '../mastra/proxy-tools.ts';
import type { ToolRegistration } from '../mastra/tool-registration.ts';
import { type MetaToolParts, refuseClash } from '../meta-tools/meta-tool.ts';
import * as prompts from '../meta-tools/prompts.ts';
import { type Mode, type StepMode, sentNames } from '../modes/mode.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { ToolPresence } from '../step/presence.ts';
import type { HookArgs, RequestState, Requests } from '../step/request.ts';
import {
  activeEntries,
  finish,
  type ModeTools,
  newAllowance,
  preselectedIn,
  type SentTools,
  type Step,
} from '../step/step.ts';
import type { RequestCatalogs } from './catalogs.ts';
import { originOf } from './origin.ts';

/** The parts of a processor. */
export interface StepParts extends MetaToolParts {
  readonly options: ResolvedOptions;
  readonly requests: Requests;
  readonly registration: ToolRegistration;
  readonly catalogs: RequestCatalogs;
  readonly policy: Policy;
  /** In the order in which a step calls them. */
  readonly features: readonly Feature[];
  /** In order of preference: the first mode that can serve a step serves it. */
  readonly modes: readonly Mode[];
}

/** Decides which tools a step sends, and writes the system text about these tools. */
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
    const { requests, features, modes } = this.#parts;
    const start = performance.now();
    const state = requests.of(args);
    const step = await this.#openStep(args, state);
    state.steps += 1;
    for (const part of [...features, ...modes]) await part.begin?.(step);
    const sent = (await this.#replaced(step)) ?? (await this.#send(step));
    const ms = performance.now() - start;
    for (const feature of features) feature.settled?.(sent, step, ms);
    return sent;
  }

  /** The loaded and preselected tools that a request may use in a step. */
  async readyTools(args: HookArgs, state: RequestState): Promise<readonly CatalogEntry[]> {
    const { loader } = this.#parts;
    const step = await this.#openStep(args, state);
    await this.#readLoaded(step);
    step.tools.add('preselected', state.preselected);
    await loader.activate(step, ['loaded', 'preselected']);
    return activeEntries(step).flatMap((entry) => loader.ready(entry, step) ?? []);
  }

  /** Opens a step: determines the request, its permissions and its catalog. Loads and decides nothing. */
  async #openStep(args: HookArgs, state: RequestState): Promise<Step> {
    const { registry, registration, catalogs, policy, reporter } = this.#parts;
    const { streamEvents, metaTools, autoLoad, loadingTools } = this.#parts.options;
    const { requestContext } = args;
    const separated = separate(state, args.tools, args.messageList as object | undefined);
    if (reporter.isHeard || streamEvents || args.tracingContext?.currentSpan)
      state.origin = await originOf(args, state, separated, streamEvents);
    if (registry.wantsMastra) {
      // Mastra does not register processors that a function returns.
      const mastra = (await settingsFrom(separated.registered, requestContext))?.mastra;
      if (mastra) registry.useMastra(mastra);
    }
    const { catalog, own } = await catalogs.ofStep(state, requestContext, separated);
    const isDurable = await registration.isDurable(separated, 'tool-search', requestContext);
    // Code that calls the processor itself may pass messages in either field.
    const messages = args.messages?.length ? args.messages : conversationOf(args);
    return {
      args: args as ProcessInputStepArgs,
      received: { ...separated, isDurable },
      state,
      origin: state.origin,
      permissions: policy.permissionsOfStep(state, args),
      ...{ catalog, own },
      calls: callsIn(messages, loadingTools),
      tools: new ToolPresence(),
      allowance: newAllowance(),
      mode: { names: metaTools.names, autoLoad, loadsWeak: true },
    };
  }

  /** What the first feature with `replace` sends instead of the mode. */
  async #replaced(step: Step): Promise<SentTools | undefined> {
    for (const feature of this.#parts.features) {
      const sent = await feature.replace?.(step, () => this.#pinned(step));
      if (!sent) continue;
      writeSystemText(step, step.state.hints, this.#parts.options);
      return this.#finished(sent, step);
    }
    return undefined;
  }

  /** What the mode sends: meta-tools, resident tools, and loaded tools in the form that the mode gives them. */
  async #send(step: Step): Promise<SentTools> {
    const { loader, forms, searcher, features, options } = this.#parts;
    const { own, received, tools } = step;
    const mode = await this.#openMode(step);
    step.mode = mode;
    refuseClash(received.own, mode.metaNames, mode.fixedNames);
    if (mode.searches) searcher.prepare(step.origin);
    const pinned = await this.#pinned(step);
    for (const [name, tool] of Object.entries(own)) {
      // The caller's `activeTools` or another processor may hide tools that are not certain.
      const isCertain = !isSearched(tool) && (step.args.activeTools?.includes(name) ?? true);
      tools.add(isCertain ? 'own' : 'hideable', [name]);
    }
    tools.add('meta', mode.metaNames);
    tools.add('pinned', pinned);
    if (!mode.bridge) await this.#readLoaded(step);
    for (const feature of features) await feature.loaded?.(step, mode);
    await mode.noteFinds?.(step);
    await loader.keepWithinCaps(step);
    await loader.activate(step, ['loaded']);
    for (const feature of features) await feature.active?.(step, mode);
    const texts = await this.#texts(step, mode);
    writeSystemText(step, [...texts, ...(mode.moreTexts?.(step) ?? [])], options);
    return this.#finished(await mode.send(step, forms.byName(pinned, step), texts), step);
  }

  async #pinned(step: Step): Promise<readonly CatalogEntry[]> {
    const pinned: CatalogEntry[] = [];
    for (const feature of this.#parts.features) pinned.push(...((await feature.pin?.(step)) ?? []));
    return pinned;
  }

  /** The parts of the system text: how to search, hints of this request, and texts of features. */
  async #texts(step: Step, mode: StepMode): Promise<readonly string[]> {
    const { features, options } = this.#parts;
    const { systemText, names } = options.metaTools;
    const more: string[] = [];
    for (const feature of features) more.push(...((await feature.texts?.(step, mode)) ?? []));
    const how =
      systemText === 'firm'
        ? prompts.firmSystemText(
            sentNames(mode, names),
            mode.autoLoad,
            mode.bridge,
            mode.bridge ? [] : preselectedIn(step),
          )
        : (systemText ?? mode.systemText(step));
    return [how, ...step.state.hints, ...more];
  }

  async #finished(given: ModeTools, step: Step): Promise<SentTools> {
    let sent = finish(given, step);
    for (const feature of this.#parts.features) if (feature.finish) sent = await feature.finish(sent, step);
    return sent;
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
 * Writes the texts under a separate tag, and removes those of the previous step: a DurableAgent keeps all system messages
 * over its steps, a plain agent keeps the tagged ones.
 */
function writeSystemText(
  { args: { messageList } }: Step,
  texts: readonly string[],
  { metaTools }: Pick<ResolvedOptions, 'metaTools'>,
): void {
  const tag = `tool-search:${metaTools.names.search}`;
  // A message list that is not Mastra's own may lack the method.
  messageList.clearSystemMessages?.(tag);
  for (const text of texts) if (text !== '') messageList.addSystem(text, tag);
}
