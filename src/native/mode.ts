import { ToolSearchError } from '../errors.ts';
import {
  conversationOf,
  type Mode,
  modelName,
  models,
  type NativeModel,
  type NativeParts,
  type Prompt,
  metaToolsPrompts as prompts,
  providerSearches,
  type ResolvedNative,
  type Step,
  type StepMode,
} from '../kit.ts';
import { Lru } from '../util/lru.ts';
import * as refusals from '../util/refusal.ts';
import { Definitions, noted, sendsDefinitions } from './append.ts';
import type { Dialect, ModelCall, NativePlan } from './dialect.ts';
import { dialects } from './dialects/index.ts';
import { reconcile, withSearchesAsCalls } from './final-call.ts';
import { noteProviderFinds } from './finds.ts';
import { asInLoadMode, rewriteSearches, withoutEarlierThinking, withoutLostCalls } from './history.ts';
import { nativeStateOf, type OffReason, Sender, type SentStep } from './send.ts';

type RequestState = Step['state'];

/** Native mode: the provider's own tool search replaces the meta-tools, if the model of a step has one. */
export class NativeMode implements Mode {
  readonly #options: ResolvedNative;
  readonly #parts: NativeParts;
  readonly #sender: Sender;
  readonly #definitions = new Definitions();
  /** The parts of requests that were refused, by model; thinking by conversation. */
  readonly #refused = new Refused();

  constructor(options: ResolvedNative, parts: NativeParts) {
    this.#options = options;
    this.#parts = parts;
    this.#sender = new Sender(options, parts);
    for (const { searchNames, sideOf } of dialects.values()) {
      if (sideOf) for (const name of searchNames) providerSearches.set(name, sideOf);
    }
  }

  /** Remembers how to read the conversation. */
  begin({ state, args }: Step): void {
    nativeStateOf(state).readMessages = () => conversationOf(args);
  }

  /** @throws ToolSearchError `native-unsupported`, with `fallback: 'error'`. */
  async open(step: Step): Promise<StepMode | undefined> {
    const plan = await this.#planFor(step);
    if (!plan) return undefined;
    const { names } = this.#parts.options.metaTools;
    const metaNames = this.#parts.metaTools.names(true, plan.searchName);
    const isHosted = plan.execution === 'server';
    return {
      names,
      autoLoad: true,
      // References replace a search's message, so the model cannot read there that nothing clearly matches.
      loadsWeak: plan.appendsAll || plan.dialect.clientSearch !== undefined,
      metaNames,
      fixedNames: [...providerSearches.keys()].filter((name) => name !== names.search),
      mandatory: metaNames,
      searches: !isHosted,
      reportsWithResults: plan.appendsAll,
      // If the provider searches, only the search results in the conversation show what is loaded.
      noteFinds: async (current) => {
        if (isHosted) await noteProviderFinds(current, this.#parts, nativeStateOf(current.state).noted);
      },
      systemText: () =>
        isHosted ? prompts.hostedSearchText() : prompts.systemText({ ...names, search: plan.searchName }, true),
      send: (current, pinned, texts) =>
        this.#sender.send(plan, current, { pinned, texts }, (sent) => {
          const { scope } = current.state;
          if (this.#refused.has('namespace', modelName(sent.model))) sent.leftOut.add('namespace');
          if (scope !== undefined && this.#refused.has('boundThinking', scope)) sent.leftOut.add('boundThinking');
          return this.#wrapped(sent.model, sent, current.state);
        }),
    };
  }

  /** How a step uses the provider's tool search; undefined for a step in another mode. */
  async #planFor({ state, args, calls, received }: Step): Promise<NativePlan | undefined> {
    const native = nativeStateOf(state);
    const { sent } = native;
    native.sent = undefined;
    // With 'none' no tool is sent, so the conversation may refer to none.
    if (args.toolChoice === 'none') return undefined;
    const model = asModel(args.model);
    const { metaTools } = this.#parts.options;
    const hasSearched = (): boolean => calls.some(({ isOfRun, loaded }) => isOfRun && loaded.length > 0);
    if (!native.off && sent && !sent.isRewritten && hasSearched()) this.#turnOff(state, 'not-rewritten', model);
    const name = modelName(model);
    const isRefused = !native.off && this.#refused.has('toolSearch', name);
    const dialect = native.off || isRefused ? undefined : this.#detect(model, state);
    if (dialect) {
      // A DurableAgent does not call the wrapped model, and only that can append definitions.
      const appends = received.isDurable !== true && (await this.#appends(model, dialect));
      const { execution } = this.#options;
      const answersSearch = execution === 'client' && dialect.clientSearch !== undefined;
      const isOwnSearch = execution === 'client' && !answersSearch;
      const searchName = isOwnSearch ? metaTools.names.search : dialect.searchName(model);
      return { dialect, execution, searchName, answersSearch, appends, appendsAll: appends && isOwnSearch };
    }
    if (!native.off) this.#reportOnce(isRefused ? 'refused' : 'unsupported-model', model, state);
    if (this.#options.fallback !== 'error') return undefined;
    const why = native.off
      ? `Native mode is off (${native.off}) for the model "${name}"`
      : `The model "${name}" has no tool search that can be used here`;
    throw new ToolSearchError(
      'native-unsupported',
      `${why}, and native.fallback is 'error'. Take another model, name its dialect with native.detect, or allow load mode with native.fallback: 'load'. (native-unsupported)`,
    );
  }

  #detect(model: NativeModel, state: RequestState): Dialect | undefined {
    try {
      const named = this.#options.detect?.(model);
      // A model of AI SDK 4 cannot be wrapped: Mastra ends a run whose step returns one.
      if (named === false || model.specificationVersion === 'v1') return undefined;
      return dialects.get(named ?? '') ?? [...dialects.values()].find((dialect) => dialect.supports(model));
    } catch (error) {
      this.#turnOff(state, 'failed', model, error);
      return undefined;
    }
  }

  async #appends(model: NativeModel, dialect: Dialect): Promise<boolean> {
    const { append, execution } = this.#options;
    // If the provider searches, it finds only tools that stay deferred in the list.
    if (append === false || execution === 'server' || this.#refused.has('appending', modelName(model))) return false;
    return (append === true || dialect.takesDefinitions(model)) && sendsDefinitions(model, dialect);
  }

  /** Wraps a step's model: it is called once more when the provider refuses a part of the request that can be left out. */
  #wrapped(model: NativeModel, sent: SentStep, state: RequestState): NativeModel {
    const { dialect, answersSearch, searchName } = sent.plan;
    return models.wrapModel<NativeModel, ModelCall>(model, async (call, method) => {
      const answer = async (): Promise<models.ModelAnswer> => {
        const { call: final, changes } = this.#finalCall(call, sent, state);
        const given = await noted(await method(final), changes, dialect.name);
        return answersSearch ? withSearchesAsCalls(given, searchName) : given;
      };
      try {
        return await answer();
      } catch (error) {
        const remember = this.#leaveOut(error, sent, state);
        if (!remember) throw error;
        const second = await answer();
        remember();
        return second;
      }
    });
  }

  /** Leaves out of the next request what the provider refused, and returns what to do once that request succeeds. */
  #leaveOut(error: unknown, sent: SentStep, state: RequestState): (() => void) | undefined {
    // A refused definition would be refused in the list of tools, too.
    if (refusals.refusedToolIn(error)) return undefined;
    if (sent.appended.size > 0 && refuses(error, 'appending')) {
      sent.leftOut.add('appending');
      sent.appended = new Set();
      return () => {
        this.#report('append-refused', state, sent.model, error);
        if (!refuses(error, 'appended')) this.#refused.note('appending', modelName(sent.model));
      };
    }
    if (!sent.leftOut.has('boundThinking') && refuses(error, 'boundThinking')) {
      sent.leftOut.add('boundThinking');
      if (state.scope !== undefined) this.#refused.note('boundThinking', state.scope);
    } else if (!sent.leftOut.has('namespace') && refuses(error, 'namespace')) {
      sent.leftOut.add('namespace');
      this.#refused.note('namespace', modelName(sent.model));
    } else {
      return undefined;
    }
    return () => {};
  }

  /** The final request. A prompt that Mastra has not had rewritten, as in a user's workflow, is rewritten now. */
  #finalCall(call: ModelCall, sent: SentStep, state: RequestState): ReturnType<typeof reconcile> {
    const native = nativeStateOf(state);
    try {
      const whole = sent.isRewritten
        ? call.prompt
        : this.#rewriteFor(sent, withoutLostCalls(call.prompt, native.readMessages));
      const prompt = sent.leftOut.has('boundThinking') ? withoutEarlierThinking(whole) : whole;
      const { names } = this.#parts.options.metaTools;
      const appending = { definitions: this.#definitions, conversation: state.scope ?? native.key };
      return reconcile({ ...call, prompt }, sent, names, appending, (name) => native.carried.add(name));
    } catch (error) {
      this.#turnOff(state, 'failed', sent.model, error);
      return { call };
    }
  }

  /** Rewrites the prompt for the model of a step. Never throws: a fault is reported, and ends native mode. */
  rewritePrompt(prompt: Prompt, given: unknown, state: RequestState): Prompt {
    const model = asModel(given);
    const native = nativeStateOf(state);
    const { names } = this.#parts.options.metaTools;
    try {
      const whole = withoutLostCalls(prompt, native.readMessages);
      const asLoadMode = (): Prompt => rewriteSearches(whole, names, asInLoadMode);
      const { sent } = native;
      if (!sent || native.off) return asLoadMode();
      // Only the wrapped model sends a tool eager whose call would lose its namespace.
      const isAlike = !sent.leftOut.has('namespace') && this.#detect(model, state) === sent.plan.dialect;
      if (models.isModel(model, sent.model) || isAlike) return this.#rewriteFor(sent, whole);
      // Another processor, or prepareStep, changed the model after this processor ran.
      this.#reportOnce('model-changed', model, state);
      sent.fallBack();
      native.sent = undefined;
      return renameSearch(asLoadMode(), sent, names.search);
    } catch (error) {
      this.#turnOff(state, 'failed', model, error);
      return prompt;
    }
  }

  #rewriteFor(sent: SentStep, prompt: Prompt): Prompt {
    const { names } = this.#parts.options.metaTools;
    const { dialect, appendsAll } = sent.plan;
    sent.isRewritten = true;
    if (appendsAll) return rewriteSearches(prompt, names, asInLoadMode);
    const rewritten = rewriteSearches(prompt, names, (search) => dialect.rewrite(search, sent));
    return dialect.namespaces?.named(rewritten, sent, sent.eager) ?? rewritten;
  }

  /** Whether to retry a failed request in load mode: the provider refused its tool search. */
  retry(error: unknown, state: RequestState): boolean {
    const { off, sent } = nativeStateOf(state);
    if (off || !sent || this.#options.fallback === 'error' || !refuses(error, 'toolSearch')) return false;
    if (!refuses(error, 'conversation')) this.#refused.note('toolSearch', modelName(sent.model));
    this.#turnOff(state, 'refused', sent.model, error);
    return true;
  }

  #reportOnce(reason: OffReason, model: NativeModel, state: RequestState): void {
    const { reported } = nativeStateOf(state);
    const report = `${reason} ${modelName(model)}`;
    if (!reported.has(report)) this.#report(reason, state, model);
    reported.add(report);
  }

  #turnOff(state: RequestState, reason: OffReason, model: NativeModel, error?: unknown): void {
    Object.assign(nativeStateOf(state), { off: reason, sent: undefined });
    this.#report(reason, state, model, error);
  }

  #report(reason: OffReason, state: RequestState, model: NativeModel, error?: unknown): void {
    const fault = error === undefined ? {} : { error };
    this.#parts.reporter.report({ type: 'native-off', reason, model: modelName(model), ...fault }, state.origin);
  }
}

/** A step may have no model. */
function asModel(given: unknown): NativeModel {
  return (given ?? {}) as NativeModel;
}

/** Names the meta-tool in the system text of a step, in place of the provider's search tool. */
function renameSearch(prompt: Prompt, { texts, plan }: SentStep, search: string): Prompt {
  return prompt.map((message) => {
    const { role, content } = message;
    const isOwn = role === 'system' && typeof content === 'string' && texts.has(content);
    return isOwn ? { ...message, content: content.replaceAll(plan.searchName, search) } : message;
  });
}

/** Patterns for the errors with which providers and their packages refuse a part of a request. */
const WORDS = {
  /** Errors about a part of the tool search. */
  toolSearch:
    /tool[ _-]?search|tool[ _-]?references?\b|defer_loading|deferLoading|deferred tool|namespace for function_call/i,
  /** Errors about a part of this conversation; another conversation may still work. */
  conversation: /namespace for function_call|not found|was found without|without its required/i,
  /** Errors about any definitions in mid-conversation. */
  appending:
    /tool_addition|tool_removal|tool_definition|inline[ _-]tools?|mid-conversation|additional_?tools|role ['"]?system|tool_reference_unresolved|available_tools_limit|tool_name_conflict|invalid (?:anthropic|openai) provider options|any expected variant/i,
  /** Errors about one appended definition or its place; appending others may still work. */
  appended:
    /must (?:follow|precede)|tool_reference_unresolved|available_tools_limit|tool_name_conflict|provider options|Duplicate/i,
  /** Errors about a call that lacks its namespace. */
  namespace: /missing namespace for function_call/i,
  /** Errors about thinking blocks whose preceding messages changed. */
  boundThinking: /bound to a different conversation/i,
};
type Refusable = keyof typeof WORDS;

/** Whether an error of a provider, or of its package, refuses this. Never throws, whatever the error does. */
function refuses(error: unknown, what: Refusable): boolean {
  try {
    for (const { name, statusCode, message, responseBody } of refusals.errorsWithin(error)) {
      if (statusCode === 400 || statusCode === 422 || name === 'AI_InvalidArgumentError') {
        return [message, responseBody].some((text) => typeof text === 'string' && WORDS[what].test(text));
      }
    }
  } catch {
    // An unreadable error does not count as a refusal.
  }
  return false;
}

/** Milliseconds that a refusal is remembered: later the provider or the account's rights may have changed. */
const REMEMBERED_MS = 60 * 60 * 1000;
const MAX_REMEMBERED = 400;

/** Remembers refusals by model or conversation, each for an hour. */
class Refused {
  readonly #until = new Lru<number>(MAX_REMEMBERED);

  note(what: Refusable, whose: string): void {
    this.#until.set(`${what} ${whose}`, Date.now() + REMEMBERED_MS);
  }

  has(what: Refusable, whose: string): boolean {
    return (this.#until.get(`${what} ${whose}`) ?? 0) > Date.now();
  }
}
