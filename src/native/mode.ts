import {
  activeEntries,
  addSearchTool,
  callsOfRun,
  compatibleTools,
  conversationOf,
  isLegacy,
  loadsInConversation,
  type Mode,
  type ModeTools,
  type NativeModel,
  type NativeOffReason,
  type Prompt,
  metaToolsPrompts as prompts,
  providerSearchNames,
  type RequestState,
  type ResolvedNative,
  type Step,
  type StepMode,
  stepError,
  type ToolCall,
} from '../kit.ts';
import { Definitions } from './append/changes.ts';
import { sendsDefinitions } from './append/package.ts';
import type { Dialect, NativePlan } from './dialect.ts';
import { dialectOf, dialects } from './dialects/index.ts';
import { type ModelCall, type Reconciled, reconcile } from './final-call.ts';
import { loadModeRewriting, rewriteSearches, type SearchRewriting } from './history/plain-calls.ts';
import { withoutLostCalls } from './history/responses.ts';
import { withoutEarlierThinking } from './history/thinking.ts';
import { noteProviderFinds } from './provider-finds.ts';
import {
  isAboutAppended,
  isAboutConversation,
  isBoundThinking,
  isMissingNamespace,
  isRefusal,
  isRefusalToAppend,
  Remembered,
} from './refusal.ts';
import { type NativeParts, type NativeSettings, Sender } from './send.ts';
import { type NativeState, nativeStateOf, type SentStep } from './sent-step.ts';

/** Native mode: the tool search of providers, in place of the meta-tools, where the model of a step has one. */
export class NativeMode implements Mode {
  readonly #options: ResolvedNative;
  readonly #parts: NativeParts;
  readonly #settings: NativeSettings;
  readonly #sender: Sender;
  /** Models whose provider refused its tool search. */
  readonly #refused = new Remembered();
  /** Models whose package loses the namespaces of calls. */
  readonly #losing = new Remembered();
  /** Models whose provider refused definitions in mid-conversation. */
  readonly #notAppending = new Remembered();
  readonly #definitions = new Definitions();
  /** Conversations whose earlier thinking was refused, as its beginning has changed since. */
  readonly #forgetting = new Remembered();

  constructor(options: ResolvedNative, parts: NativeParts, settings: NativeSettings) {
    this.#options = options;
    this.#parts = parts;
    this.#settings = settings;
    this.#sender = new Sender(options, parts, settings);
    for (const { search } of dialects.values()) addSearchTool(search);
  }

  /** Remembers how to read the conversation. */
  begin({ state, args }: Step): void {
    nativeStateOf(state).messages = () => conversationOf(args);
  }

  /** @throws ToolSearchError `native-unsupported`, with `fallback: 'error'`. */
  async open(step: Step): Promise<StepMode | undefined> {
    const plan = await this.#planFor(step);
    if (!plan) return undefined;
    const { names } = this.#settings.metaTools;
    const metaNames = this.#parts.metaTools.names(true, plan.searchName);
    const isHosted = plan.execution === 'server';
    return {
      names,
      autoLoad: true,
      loadsWeak: plan.loadsWeak,
      metaNames,
      fixedNames: providerSearchNames().filter((name) => name !== names.search),
      mandatory: metaNames,
      searches: !isHosted,
      loads: true,
      reportsWithResults: plan.appendsAll,
      loadsForced: false,
      canForce: () => true,
      noteFinds: (current) => this.#noteFinds(current),
      systemText: () =>
        isHosted ? prompts.hostedSearchText() : prompts.systemText({ ...names, search: plan.searchName }, true),
      send: (current) => this.#send(plan, current),
    };
  }

  /** How a step uses the provider's tool search; undefined for a step in another mode. */
  async #planFor({ state, args, calls, isDurable }: Step): Promise<NativePlan | undefined> {
    const native = nativeStateOf(state);
    const { sent } = native;
    native.sent = undefined;
    // Then no tool is sent, and none may be referred to.
    if (args.toolChoice === 'none') return undefined;
    const model = (args.model ?? {}) as NativeModel;
    if (!native.off && sent && !sent.isRewritten && this.#hasSearched(calls)) {
      this.#turnOff(native, 'not-rewritten', model);
    }
    const name = nameOf(model);
    const isRefused = !native.off && this.#refused.has(name);
    const found = native.off || isRefused ? undefined : this.#detect(model, native);
    if (found) {
      // A DurableAgent calls a model of its own: then nothing can be appended.
      const appends = isDurable !== true && (await this.#appends(model, found));
      const { execution, variant } = this.#options;
      const ownSearch = this.#settings.metaTools.names.search;
      const planned = found.plan({ execution, variant, model, appends, ownSearch });
      return { dialect: found, execution, appends, ...planned };
    }
    if (!native.off) this.#reportOnce(isRefused ? 'refused' : 'unsupported-model', model, native);
    if (this.#options.fallback !== 'error') return undefined;
    const why = native.off
      ? `Native mode is off (${native.off}) for the model "${name}"`
      : `The model "${name}" has no tool search that can be used here`;
    throw stepError(
      'native-unsupported',
      `${why}, and native.fallback is 'error'. Take another model, name its dialect with native.detect, or allow load mode with native.fallback: 'load'.`,
    );
  }

  /** Loads what the provider found: where the provider searches, only its results show what is loaded. */
  async #noteFinds(step: Step): Promise<void> {
    if (this.#options.execution === 'client') return;
    const { registry, reporter } = this.#parts;
    await noteProviderFinds(step, registry, reporter, nativeStateOf(step.state).noted);
  }

  /** Decides how each tool is sent, and remembers it for the conversation. */
  #send(plan: NativePlan, step: Step): Promise<ModeTools> {
    const { state } = step;
    const metaTools = this.#parts.metaTools.create(step);
    const native = { plan, step, metaTools, active: activeEntries(step), pinned: compatibleTools(step.pinned, step) };
    return this.#sender.send(native, (sent) => {
      const name = nameOf((sent.model ?? {}) as NativeModel);
      sent.losesNamespaces = this.#losing.has(name);
      sent.forgetsThinking = state.scope !== undefined && this.#forgetting.has(state.scope);
      /** Remembers what the provider refused of this model, once the request went well without it. */
      let mended = (): void => {};
      return {
        plan: sent.plan,
        first: (call) => this.#finalCall(call, sent, state),
        again: (call, error) => {
          if (sent.appended.size > 0 && isRefusalToAppend(error)) {
            sent.appends = false;
            sent.appended = new Set();
            mended = () => {
              this.#report('append-refused', nativeStateOf(state), (sent.model ?? {}) as NativeModel, error);
              if (!isAboutAppended(error)) this.#notAppending.note(name);
            };
          } else if (!sent.forgetsThinking && isBoundThinking(error)) {
            sent.forgetsThinking = true;
            if (state.scope !== undefined) this.#forgetting.note(state.scope);
          } else if (!sent.losesNamespaces && isMissingNamespace(error)) {
            sent.losesNamespaces = true;
            this.#losing.note(name);
          } else {
            return undefined;
          }
          return this.#finalCall(call, sent, state);
        },
        mended: () => mended(),
      };
    });
  }

  /** The prompt as the model of a step is to read it. Never throws: a fault is reported, and ends native mode. */
  rewritePrompt(prompt: Prompt, given: unknown, state: RequestState): Prompt {
    const model = (given ?? {}) as NativeModel;
    const native = nativeStateOf(state);
    const { loadingTools } = this.#settings;
    try {
      const whole = withoutLostCalls(prompt, native.messages);
      const { sent } = native;
      if (!sent || native.off) return rewriteSearches(whole, loadingTools, loadModeRewriting(loadingTools));
      // Only the wrapped model sends a tool eager whose call would lose its namespace.
      const isAlike = !sent.losesNamespaces && this.#detect(model, native) === sent.plan.dialect;
      if (model === sent.model || isAlike) return this.#rewriteFor(sent, whole);
      // Another processor, or prepareStep, changed the model after this one had its say.
      this.#reportOnce('model-changed', model, native);
      sent.fallBack();
      native.sent = undefined;
      const rewritten = rewriteSearches(whole, loadingTools, loadModeRewriting(loadingTools));
      return renameSearch(rewritten, sent, loadingTools.search);
    } catch (error) {
      this.#turnOff(native, 'failed', model, error);
      return prompt;
    }
  }

  /** Whether a failed request is worth another try in load mode: the provider refused its tool search. */
  retry(error: unknown, state: RequestState): boolean {
    const native = nativeStateOf(state);
    if (native.off || !native.sent || this.#options.fallback === 'error' || !isRefusal(error)) return false;
    const model = (native.sent.model ?? {}) as NativeModel;
    if (!isAboutConversation(error)) this.#refused.note(nameOf(model));
    this.#turnOff(native, 'refused', model, error);
    return true;
  }

  #rewriteFor(sent: SentStep, prompt: Prompt): Prompt {
    const { loadingTools } = this.#settings;
    sent.isRewritten = true;
    if (sent.plan.appendsAll) return rewriteSearches(prompt, loadingTools, loadModeRewriting(loadingTools));
    const { dialect } = sent.plan;
    const rewriting: SearchRewriting = (search) => dialect.rewrite(search, sent, loadingTools);
    return dialect.withNamespaces(rewriteSearches(prompt, loadingTools, rewriting), sent, sent.eager);
  }

  /** The final request. A prompt that Mastra did not ask for, as in a workflow of the user's, is rewritten now. */
  #finalCall(call: ModelCall, sent: SentStep, state: RequestState): Reconciled {
    const native = nativeStateOf(state);
    try {
      const rewritten = sent.isRewritten
        ? call.prompt
        : this.#rewriteFor(sent, withoutLostCalls(call.prompt, native.messages));
      const prompt = sent.forgetsThinking ? withoutEarlierThinking(rewritten) : rewritten;
      const { loadingTools } = this.#settings;
      const appending = { definitions: this.#definitions, conversation: state.scope ?? native.appended };
      return reconcile({ ...call, prompt }, sent, loadingTools, appending, (name) => native.carried.add(name));
    } catch (error) {
      this.#turnOff(native, 'failed', (sent.model ?? {}) as NativeModel, error);
      return { call };
    }
  }

  /** Whether definitions can be sent to a model in mid-conversation. */
  async #appends(model: NativeModel, dialect: Dialect): Promise<boolean> {
    const { append } = this.#options;
    if (append === false || this.#notAppending.has(nameOf(model))) return false;
    // Where the provider searches, a tool must stay deferred in the list, to be found.
    if (this.#options.execution === 'server') return false;
    return (append === true || dialect.takesDefinitions(model)) && sendsDefinitions(model, dialect);
  }

  /** Whether a search of this run was answered, so that there was something to rewrite. */
  #hasSearched(calls: readonly ToolCall[]): boolean {
    return loadsInConversation(callsOfRun(calls), this.#settings.loadingTools).length > 0;
  }

  #detect(model: NativeModel, native: NativeState): Dialect | undefined {
    const { detect } = this.#options;
    try {
      const told = detect?.(model);
      if (told === false || isLegacy(model)) return undefined;
      return (typeof told === 'string' && dialects.get(told)) || dialectOf(model);
    } catch (error) {
      this.#turnOff(native, 'failed', model, error);
      return undefined;
    }
  }

  #reportOnce(reason: NativeOffReason, model: NativeModel, native: NativeState): void {
    const report = `${reason} ${nameOf(model)}`;
    if (native.reported.has(report)) return;
    native.reported.add(report);
    this.#report(reason, native, model);
  }

  #turnOff(native: NativeState, reason: NativeOffReason, model: NativeModel, error?: unknown): void {
    native.off = reason;
    native.sent = undefined;
    this.#report(reason, native, model, error);
  }

  #report(reason: NativeOffReason, { request }: NativeState, model: NativeModel, error?: unknown): void {
    const fault = error === undefined ? {} : { error };
    const event = { type: 'native-off', reason, model: nameOf(model), ...fault } as const;
    this.#parts.reporter.report(event, request.origin);
  }
}

/** The name of a model for reports; empty for what is no model. */
function nameOf(model: NativeModel): string {
  try {
    const { provider, modelId } = model;
    return [provider, modelId].filter((part) => typeof part === 'string').join('/');
  } catch {
    return '';
  }
}

/** Names the meta-tool in the system text of a step, in place of the provider's search tool. */
function renameSearch(prompt: Prompt, { texts, plan }: SentStep, search: string): Prompt {
  return prompt.map((message) => {
    const { role, content } = message;
    const isOwn = role === 'system' && typeof content === 'string' && texts.has(content);
    return isOwn ? { ...message, content: content.replaceAll(plan.searchName, search) } : message;
  });
}
