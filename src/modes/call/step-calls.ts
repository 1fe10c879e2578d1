import type { CatalogEntry } from '../../catalog/catalog.ts';
import { isMastraTool } from '../../catalog/tool.ts';
import type { Reporter } from '../../events/reporter.ts';
import type { Prompt } from '../../loaded/conversation/prompt.ts';
import { ActiveTools, isHidden } from '../../mastra/hiding.ts';
import { internalsFault } from '../../mastra/internals.ts';
import type { Execute } from '../../mastra/marks.ts';
import { isInherited, PlaceholderTools } from '../../mastra/placeholders.ts';
import { runByLoop } from '../../mastra/proxy-tools.ts';
import type { ToolRegistration } from '../../mastra/tool-registration.ts';
import { wrapModel } from '../../mastra/wrapped-model.ts';
import type { Loader } from '../../meta-tools/loading.ts';
import { parseJson } from '../../meta-tools/meta-tool.ts';
import { MAX_MISSED } from '../../meta-tools/missed-calls.ts';
import { forcedName, type ModeTools, noteCall, type Step } from '../../step/step.ts';
import { asRecord } from '../../util/record.ts';
import { type CallPart, isNoted, noteOf, rewriteAnswer } from './answers.ts';
import { type CallWording, withExplanation } from './definitions.ts';
import {
  mayCall,
  type NamedChoice,
  readArguments,
  readCall,
  type Target,
  targetOf,
  type WrittenCall,
} from './written-call.ts';

/** The parts of a processor with which calls of tools run that a step does not send. */
export interface RunParts {
  readonly registration: ToolRegistration;
  readonly loader: Loader;
  readonly reporter: Reporter;
}

/** Different tools that one answer of a model can call through the bridge. */
const MOST_THROUGH_BRIDGE = 32;
/** Different names of tools that are not there, which are answered from a placeholder in a DurableAgent. */
const MOST_ANSWERED = 32;

/** Reporters that have reported `call-off`: each does so once. */
const reported = new WeakSet<Reporter>();

/** Whether calls of tools that a step does not send can run. Where they cannot, it is reported once. */
export async function canRunCalls({ origin }: Step, reporter: Reporter): Promise<boolean> {
  const error = await internalsFault();
  if (error && !reported.has(reporter)) reporter.report({ type: 'call-off', error }, origin);
  if (error) reported.add(reporter);
  return error === undefined;
}

/** The tools and the model of a step of load mode, with which calls run of tools that it does not send: `onMiss: 'run'`. */
export async function withMissedCalls(sent: ModeTools, step: Step, parts: RunParts): Promise<ModeTools> {
  if (!(await canRunCalls(step, parts.reporter))) return sent;
  const calls = new StepCalls(step, parts, { search: step.reach.names.search, schemaTokens: 0 }, true);
  return { ...sent, ...calls.sending(sent, (prompt) => prompt) };
}

/** A call of a model: the same in all versions of the specification. */
interface ModelCall {
  readonly prompt: Prompt;
  readonly tools?: readonly { readonly name: string; readonly id?: string }[] | undefined;
  readonly toolChoice?: { readonly type: string; readonly toolName?: string } | undefined;
}

interface Request {
  readonly sent: ReadonlySet<string>;
  readonly choice: NamedChoice;
  /** Whether a call by this name may become another one. */
  readonly mayRewrite: (name: string) => boolean;
  readonly visible: ActiveTools;
}

interface NewCall {
  readonly toolName: string;
  readonly args: object;
  /** The placeholder through which the tool runs, where it was not sent. */
  readonly placeholder?: { readonly key: string; readonly tool: object };
}

/** Calls that replaced others: another processor of the agent leaves them alone. */
const settled = new WeakSet<object>();

/** The calls of one step, of tools that it did not send. */
export class StepCalls {
  readonly #step: Step;
  readonly #parts: RunParts;
  readonly #wording: CallWording;
  readonly #runsMisses: boolean;
  readonly #forced: string | undefined;
  /** Whether the step may be a DurableAgent's, which asks a copy of the list of active tools. */
  readonly #mayBeDurable: boolean;
  readonly #placeholders: PlaceholderTools;
  readonly #choice: NamedChoice;
  /** The last request to the wrapped model; absent where another one was asked. */
  #last: Request | undefined;

  /** `runsMisses` lets unsent tools run by their own names; `forced` is the tool that has to be called through the bridge. */
  constructor(step: Step, parts: RunParts, wording: CallWording, runsMisses: boolean, forced?: string) {
    this.#step = step;
    this.#parts = parts;
    this.#wording = wording;
    this.#runsMisses = runsMisses;
    this.#forced = forced;
    this.#mayBeDurable = step.isDurable !== false;
    this.#choice = forced === undefined ? this.#choiceOf(step.args.toolChoice) : { only: forced };
    const { bridge, search } = wording;
    const extra = this.#mayBeDurable ? MOST_ANSWERED : 0;
    this.#placeholders = bridge
      ? new PlaceholderTools(bridge, MOST_THROUGH_BRIDGE, extra)
      : new PlaceholderTools(search, MAX_MISSED, extra);
  }

  /** Whether Mastra has the tools of the step as they were returned, with nothing around any of them. */
  get isIntact(): boolean {
    return this.#placeholders.isIntact;
  }

  get choice(): NamedChoice {
    return this.#last?.choice ?? this.#choice;
  }

  /** Whether the last request had a tool of this name; true where another model than the wrapped one was asked. */
  mayHaveSent(name: string): boolean {
    return this.#last?.sent.has(name) ?? true;
  }

  /** What a step sends, with the placeholders, which nobody is sent, and the wrapped model. `rewrite` writes the prompt. */
  sending(
    { tools, added }: Pick<ModeTools, 'tools' | 'added'>,
    rewrite: (prompt: Prompt) => Prompt,
  ): Pick<ModeTools, 'tools' | 'added' | 'model'> & { readonly activeTools: string[] } {
    const { args, own } = this.#step;
    const placeholders = this.#placeholders.tools;
    const others = Object.keys(tools).filter((name) => !Object.hasOwn(own, name));
    const visible = ActiveTools.of(args.activeTools, Object.keys(own), others);
    return {
      tools: { ...tools, ...placeholders },
      added: [...added, ...Object.values(placeholders)],
      model: this.#wrap(visible, rewrite),
      activeTools: visible.list,
    };
  }

  #wrap(visible: ActiveTools, rewrite: (prompt: Prompt) => Prompt): unknown {
    const { bridge } = this.#wording;
    const placeholders = this.#placeholders;
    placeholders.showIn(visible);
    return wrapModel<unknown, ModelCall>(this.#step.args.model, async (call, ask) => {
      placeholders.empty();
      const isPlaceholder = (tool: { name: string; id?: string }): boolean =>
        isHidden(tool) || placeholders.has(tool.name);
      const tools = call.tools?.some(isPlaceholder) ? call.tools.filter((tool) => !isPlaceholder(tool)) : call.tools;
      const sent = new Set(tools?.map(({ name }) => name));
      const bridged = await this.#bridged(call, sent);
      // A request for no call, or for that of one tool, wants no other.
      const isFree = sent.size > 0 && call.toolChoice?.type !== 'tool' && call.toolChoice?.type !== 'none';
      const mayMiss = this.#runsMisses && isFree;
      const mayRewrite = (name: string): boolean =>
        name === bridge || placeholders.has(name) || (!sent.has(name) && (isInherited(name) || mayMiss));
      const choice = bridged?.choice ?? this.#choiceOf(call.toolChoice);
      const request: Request = { sent, choice, mayRewrite, visible };
      this.#last = request;
      const changes = { ...(tools ? { tools } : {}), ...(bridged ? { toolChoice: bridged.toolChoice } : {}) };
      const answer = await ask({ ...call, ...changes, prompt: rewrite(call.prompt) });
      // A DurableAgent answers a call that it does not find with the names of the other tools.
      const isConcerned = (name: string): boolean => mayRewrite(name) || (this.#mayBeDurable && !sent.has(name));
      return rewriteAnswer(answer, isConcerned, async (calls) => {
        try {
          return await this.#rewritten(calls, request);
        } catch (error) {
          this.#parts.reporter.report({ type: 'call-off', error }, this.#step.origin);
          return new Map();
        }
      });
    });
  }

  #choiceOf(toolChoice: unknown): NamedChoice {
    if (toolChoice === 'none' || asRecord(toolChoice)?.['type'] === 'none') return { only: undefined };
    const name = forcedName(toolChoice);
    const only = name === this.#wording.bridge ? this.#forced : name;
    return only === undefined ? 'any' : { only };
  }

  /** What a request asks for in place of a tool of the catalog that it lacks: `prepareStep` may change `toolChoice`. */
  async #bridged(
    { toolChoice }: ModelCall,
    sent: ReadonlySet<string>,
  ): Promise<{ readonly toolChoice: NonNullable<ModelCall['toolChoice']>; readonly choice: NamedChoice } | undefined> {
    const { bridge } = this.#wording;
    const { own, catalog, permissions, origin } = this.#step;
    const name = forcedName(toolChoice);
    if (bridge === undefined || name === undefined || sent.has(name) || !sent.has(bridge)) return undefined;
    if (Object.hasOwn(own, name)) return undefined;
    await catalog.reach([name], { ...permissions.asker, origin });
    const entry = catalog.get(name);
    const allowed = entry ? await permissions.allowed([entry], ['load', 'active']) : [];
    // An unknown name as well as a forbidden one.
    if (!entry || allowed.length === 0) return { toolChoice: { type: 'auto' }, choice: 'any' };
    return { toolChoice: { type: 'tool', toolName: bridge }, choice: { only: entry.name } };
  }

  /** The calls that Mastra is to run, by those that the model wrote. */
  async #rewritten(calls: readonly CallPart[], request: Request): Promise<ReadonlyMap<CallPart, CallPart>> {
    const open = calls.filter((call) => !isNoted(call) && !settled.has(call));
    const { mayRewrite } = request;
    const targets = await Promise.all(
      open.map((call) => (mayRewrite(call.toolName) ? this.#targetOf(call) : undefined)),
    );
    const decide = (mayUse: boolean): readonly (NewCall | undefined)[] =>
      open.map((call, at) => this.#newCall(call, targets[at], request, mayUse) ?? this.#reachable(call, request));
    let decided = decide(this.#placeholders.isThere);
    const names = open.map((call, at) => decided[at]?.toolName ?? call.toolName);
    if (this.#mayBeDurable && !this.#answersMissing(names, request)) decided = decide(false);
    const rewritten = new Map<CallPart, CallPart>();
    for (const [at, call] of open.entries()) {
      const becomes = decided[at];
      if (!becomes) continue;
      const { toolName, args, placeholder } = becomes;
      if (placeholder) this.#use(placeholder, call, toolName, request.visible);
      const becoming = { ...call, toolName, input: JSON.stringify(args) };
      // Only in call mode the model reads what it wrote: elsewhere no provider is to be sent a note of it.
      const note = this.#wording.bridge === undefined ? undefined : noteOf(call.toolName, call.input);
      const other = note ? { ...becoming, providerMetadata: { ...call.providerMetadata, ...note } } : becoming;
      settled.add(other);
      rewritten.set(call, other);
    }
    return rewritten;
  }

  async #targetOf({ toolName, input }: CallPart): Promise<Target | undefined> {
    const { bridge } = this.#wording;
    try {
      const fields = input.trim() === '' ? {} : asRecord(parseJson(input));
      if (!fields && toolName === bridge) return undefined;
      const written: WrittenCall =
        toolName === bridge
          ? readCall(fields ?? {})
          : { toolName, argumentsFor: (tool) => (bridge === undefined ? fields : readArguments(fields, tool)) };
      return await targetOf(written, this.#step, this.#parts.loader, bridge);
    } catch {
      // The call stays as it is, and is answered.
      return undefined;
    }
  }

  /** The call that replaces a written one; undefined where it stays. */
  #newCall(
    call: CallPart,
    target: Target | undefined,
    { sent, choice }: Request,
    mayUse: boolean,
  ): NewCall | undefined {
    const { bridge } = this.#wording;
    if (!target || target.kind === 'unknown') return undefined;
    // The bridge answers that another tool was asked for, or none.
    if (call.toolName === bridge && !mayCall(choice, target.name)) return undefined;
    if (target.kind === 'resident') {
      return sent.has(target.name) ? { toolName: target.name, args: target.args } : undefined;
    }
    const { name } = target;
    const isAnothersId = Object.values(this.#step.own).some((tool) => asRecord(tool)?.['id'] === name);
    // Mastra looks for ids as well, and would find the agent's own tool first.
    const mayRun = mayUse && !isAnothersId && !isInherited(name);
    const tool = target.kind === 'tool' && mayRun ? this.#runnable(target.entry) : undefined;
    const key = tool && this.#placeholders.take(name, tool);
    if (target.kind === 'tool' && tool && key !== undefined)
      return { toolName: name, args: target.args, placeholder: { key, tool } };
    // The bridge answers what is wrong, or runs the tool itself: then a guard around the bridge reads the exact name.
    if (bridge === undefined || !sent.has(bridge)) return undefined;
    const written = parseJson(call.input);
    // What is no JSON stays a text, which the bridge refuses.
    if (call.toolName !== bridge)
      return { toolName: bridge, args: { toolName: name, arguments: written ?? call.input } };
    const args = target.kind === 'tool' && { toolName: name, arguments: target.args };
    return args && JSON.stringify(args) !== JSON.stringify(written) ? { toolName: bridge, args } : undefined;
  }

  /** A call that Mastra answers with "not found", where it would wait for a result, or take `constructor` for a tool. */
  #reachable({ toolName }: CallPart, { sent }: Request): NewCall | undefined {
    const isFound = this.#placeholders.has(toolName) || (isInherited(toolName) && !sent.has(toolName));
    return isFound ? { toolName: `${toolName}_`, args: {} } : undefined;
  }

  /** A tool in the form in which Mastra runs it; what Mastra has not converted has none. */
  #runnable(entry: CatalogEntry): object | undefined {
    const { name, tool, isResolved } = entry;
    const { registration } = this.#parts;
    const { args, separated, catalog, origin, state } = this.#step;
    const explaining =
      (execute: Execute): Execute =>
      async (input, context) =>
        withExplanation(await execute(input, context), entry, args.model, this.#wording);
    if (isResolved) {
      if (isMastraTool(tool)) return undefined;
      const { execute } = tool as { readonly execute?: Execute };
      return execute ? { ...(tool as object), execute: explaining(execute) } : tool;
    }
    const { registered } = separated;
    const registeredTool = registration.registeredFor(entry, registered);
    // A lazy tool was registered as what it is without its definition.
    const isLazyTool = catalog.get(name)?.tool !== tool;
    const ofStep = { origin, noteCall: () => noteCall(state) };
    const run = explaining((input, context) =>
      registration.resumed(entry, args.model)(input, { ...(context as object), ...ofStep }),
    );
    const form = registeredTool && runByLoop(registeredTool, run, registered, isLazyTool ? tool : undefined);
    return form && !isMastraTool(form) ? form : undefined;
  }

  /**
   * Gives calls of missing tools a placeholder too: a DurableAgent shows the model its list of active tools with each of them,
   * and the list names the placeholders. False where there are too few; then no call has one.
   */
  #answersMissing(called: readonly string[], { sent, visible }: Request): boolean {
    const placeholders = this.#placeholders;
    if (placeholders.areEmpty) return true;
    const missing = [...new Set(called)].filter((name) => !sent.has(name) && !placeholders.holds(name));
    const listed = [...visible.list];
    const keys = missing.map((name) => placeholders.take(name, notFound(name, listed), true));
    if (keys.includes(undefined)) {
      placeholders.empty();
      return false;
    }
    visible.note(...keys.filter((key) => key !== undefined));
    return true;
  }

  /** Makes a call of a tool that was not sent one that Mastra runs. */
  #use({ key, tool }: NonNullable<NewCall['placeholder']>, call: CallPart, name: string, visible: ActiveTools): void {
    const { args, separated, origin } = this.#step;
    const received: object = args.tools ?? {};
    // A tool that was found since is left among those that were registered, unseen: there Mastra looks, by its name alone,
    // for its `toModelOutput`.
    if (!separated.registered.has(name) && !Object.hasOwn(received, name) && Object.isExtensible(received))
      Object.defineProperty(received, name, { value: tool, configurable: true });
    if (this.#mayBeDurable) visible.note(name, key);
    if (call.toolName !== this.#wording.bridge)
      this.#parts.reporter.report({ type: 'run-on-miss', called: call.toolName, toolName: name }, origin);
  }
}

/** A tool that answers a call as Mastra does where there is none. */
function notFound(name: string, available: readonly string[]): object {
  const execute = async (): Promise<never> => {
    const error = new Error(
      `Tool "${name}" not found. Available tools: ${available.join(', ')}. Call tools by their exact name only — never add prefixes, namespaces, or colons.`,
    );
    error.name = 'ToolNotFoundError';
    throw error;
  };
  return { type: 'function', description: '', parameters: {}, execute };
}
