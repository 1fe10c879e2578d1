import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { callsOfRun, type ToolCall } from '../conversation/calls.ts';
import { type ConversationArgs, loadsInConversation } from '../conversation/loads.ts';
import { conversationOf } from '../conversation/messages.ts';
import { ANTHROPIC_SEARCHES, OPENAI_SEARCH } from '../conversation/provider-searches.ts';
import { stepError } from '../errors.ts';
import type { NativeOffReason } from '../events.ts';
import type { Services, Step } from '../meta-tools/step.ts';
import type { NativeModel, ResolvedNative } from '../options/native.ts';
import type { RequestState } from '../request/request-state.ts';
import { anthropicRewriting } from './anthropic.ts';
import { withNamespaces } from './call-namespaces.ts';
import { detectNative, type NativeSupport, support } from './detect.ts';
import { reconcile } from './last-look.ts';
import type { ModelCall } from './model.ts';
import { type NativeState, nativeStateOf, type SentNatively } from './native-state.ts';
import { openaiRewriting } from './openai.ts';
import type { NativePlan } from './plan.ts';
import { portableRewriting } from './portable.ts';
import type { Prompt } from './prompt.ts';
import { noteProviderFinds } from './provider-finds.ts';
import { isAboutConversation, isMissingNamespace, isRefusal, Remembered } from './refusal.ts';
import { withoutLostCalls } from './response-items.ts';
import { rewriteSearches } from './rewriting.ts';
import { type NativeStep, type NativeTools, Sender } from './sender.ts';

/** The tool search of providers, in place of the meta-tools, where the model of a step has one. */
export class Native {
  readonly #options: ResolvedNative;
  readonly #services: Services;
  readonly #sender: Sender;
  readonly #refused = new Remembered();
  readonly #losing = new Remembered();

  constructor(options: ResolvedNative, services: Services) {
    this.#options = options;
    this.#services = services;
    this.#sender = new Sender(options, services);
  }

  /** A step begins, whatever it will be sent. */
  rememberConversation(state: RequestState, args: ProcessInputStepArgs): void {
    nativeStateOf(state).messages = () => conversationOf(args);
  }

  /**
   * How the step can use the provider's tool search; undefined where it has to go without.
   *
   * @throws ToolSearchError `native-unsupported`, with `fallback: 'error'`.
   */
  planFor(state: RequestState, args: ProcessInputStepArgs, calls: readonly ToolCall[]): NativePlan | undefined {
    const native = nativeStateOf(state);
    const { sent } = native;
    native.sent = undefined;
    // No tool is sent, and none may be referred to.
    if (args.toolChoice === 'none') return undefined;
    const model = (args.model ?? {}) as NativeModel;
    if (!native.off && sent && !sent.isRewritten && this.#hasSearched(calls)) {
      this.#turnOff(native, 'not-rewritten', model);
    }
    const name = nameOf(model);
    const isRefused = !native.off && this.#refused.has(name);
    const found = native.off || isRefused ? undefined : this.#detect(model, native);
    if (found) return this.#formFor(found);
    if (!native.off) this.#reportOnce(isRefused ? 'refused' : 'unsupported-model', model, native);
    if (this.#options.fallback === 'load') return undefined;
    const why = native.off
      ? `Native mode is off (${native.off}) for the model "${name}"`
      : `The model "${name}" has no tool search that can be used here`;
    throw stepError(
      'native-unsupported',
      `${why}, and native.fallback is 'error'. Take another model, name its dialect with native.detect, or allow load mode with native.fallback: 'load'.`,
    );
  }

  /** Takes over what the provider found: where it searches, nothing else tells what is loaded. */
  async noteProviderSearches(step: Step, args: ConversationArgs): Promise<void> {
    if (this.#options.execution === 'client') return;
    await noteProviderFinds(step, args, this.#services, nativeStateOf(step.state).noted);
  }

  /** Decides which tools are sent how, and remembers it for the conversation. */
  send(native: NativeStep): Promise<NativeTools> {
    const state = nativeStateOf(native.step.state);
    return this.#sender.send(native, (sent) => {
      const name = nameOf((sent.model ?? {}) as NativeModel);
      sent.losesNamespaces = this.#losing.has(name);
      return {
        first: (call) => this.#lastLook(call, sent, state),
        again: (call, error) => {
          if (sent.losesNamespaces || !isMissingNamespace(error)) return undefined;
          this.#losing.note(name);
          sent.losesNamespaces = true;
          return this.#lastLook(call, sent, state);
        },
      };
    });
  }

  /** The prompt as the model of the step is to read it. Never throws: a fault is reported, and ends native mode. */
  rewrite(prompt: Prompt, model: NativeModel, state: RequestState): Prompt {
    const native = nativeStateOf(state);
    const { loadingTools } = this.#services.options;
    try {
      const whole = withoutLostCalls(prompt, native.messages);
      const { sent } = native;
      if (!sent || native.off) return rewriteSearches(whole, loadingTools, portableRewriting(loadingTools));
      // Without the last look, nothing more would be sent at once.
      const isAlike = !sent.losesNamespaces && this.#detect(model, native)?.dialect === sent.dialect;
      if (model === sent.model || isAlike) return this.#rewriteFor(sent, whole);
      // Another processor, or prepareStep, changed the model after this one had its say.
      this.#reportOnce('model-changed', model, native);
      sent.fallBack();
      native.sent = undefined;
      const rewritten = rewriteSearches(whole, loadingTools, portableRewriting(loadingTools));
      return renameSearch(rewritten, sent, loadingTools.search);
    } catch (error) {
      this.#turnOff(native, 'failed', model, error);
      return prompt;
    }
  }

  /** Whether a failed request is worth another try in load mode: the provider refused its tool search. */
  retryWithoutNative(error: unknown, state: RequestState): boolean {
    const native = nativeStateOf(state);
    if (native.off || !native.sent || this.#options.fallback === 'error' || !isRefusal(error)) return false;
    const model = (native.sent.model ?? {}) as NativeModel;
    if (!isAboutConversation(error)) this.#refused.note(nameOf(model));
    this.#turnOff(native, 'refused', model, error);
    return true;
  }

  #rewriteFor(sent: SentNatively, prompt: Prompt): Prompt {
    const { loadingTools } = this.#services.options;
    sent.isRewritten = true;
    if (sent.dialect === 'anthropic')
      return rewriteSearches(prompt, loadingTools, anthropicRewriting(sent, loadingTools));
    const rewritten = rewriteSearches(prompt, loadingTools, openaiRewriting(sent, loadingTools));
    return withNamespaces(rewritten, sent, sent.model, sent.eager);
  }

  /** Where Mastra did not ask for the prompt, as in a workflow of the user's, it is rewritten now. */
  #lastLook(call: ModelCall, sent: SentNatively, native: NativeState): ModelCall {
    try {
      const prompt = sent.isRewritten
        ? call.prompt
        : this.#rewriteFor(sent, withoutLostCalls(call.prompt, native.messages));
      const { loadingTools } = this.#services.options;
      return reconcile({ ...call, prompt }, sent, loadingTools, (name) => native.carried.add(name));
    } catch (error) {
      this.#turnOff(native, 'failed', (sent.model ?? {}) as NativeModel, error);
      return call;
    }
  }

  /** Whether a search was answered in this run, so that there was something to rewrite. */
  #hasSearched(calls: readonly ToolCall[]): boolean {
    return loadsInConversation(callsOfRun(calls), this.#services.options.loadingTools).length > 0;
  }

  #detect(model: NativeModel, native: NativeState): NativeSupport | undefined {
    const { detect } = this.#options;
    try {
      const told = detect?.(model);
      if (told === false) return undefined;
      return told === 'anthropic' || told === 'openai' ? support(told, model.provider) : detectNative(model);
    } catch (error) {
      this.#turnOff(native, 'failed', model, error);
      return undefined;
    }
  }

  #formFor({ dialect, isRegexOnly }: NativeSupport): NativePlan {
    const { execution } = this.#options;
    const variant = isRegexOnly ? 'regex' : this.#options.variant;
    const provider = dialect === 'openai' ? OPENAI_SEARCH : ANTHROPIC_SEARCHES[variant];
    const isOwn = dialect === 'anthropic' && execution === 'client';
    const searchName = isOwn ? this.#services.options.metaTools.names.search : provider;
    return { dialect, execution, searchName, variant };
  }

  #reportOnce(reason: NativeOffReason, model: NativeModel, native: NativeState): void {
    const known = `${reason} ${nameOf(model)}`;
    if (native.reported.has(known)) return;
    native.reported.add(known);
    this.#report(reason, model);
  }

  #turnOff(native: NativeState, reason: NativeOffReason, model: NativeModel, error?: unknown): void {
    native.off = reason;
    native.sent = undefined;
    this.#report(reason, model, error);
  }

  #report(reason: NativeOffReason, model: NativeModel, error?: unknown): void {
    this.#services.reporter.report({
      type: 'native-off',
      reason,
      model: nameOf(model),
      ...(error === undefined ? {} : { error }),
    });
  }
}

/** Empty for what is no model. */
function nameOf(model: NativeModel): string {
  try {
    const { provider, modelId } = model;
    return [provider, modelId].filter((part) => typeof part === 'string').join('/');
  } catch {
    return '';
  }
}

/** Names another search tool in the system text of the step. */
function renameSearch(prompt: Prompt, { texts, searchName }: SentNatively, search: string): Prompt {
  return prompt.map((message) => {
    const { role, content } = message;
    const isOwn = role === 'system' && typeof content === 'string' && texts.has(content);
    return isOwn ? { ...message, content: content.replaceAll(searchName, search) } : message;
  });
}
