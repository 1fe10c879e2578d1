import type { Reporter } from '../../events/reporter.ts';
import type { Prompt } from '../../loaded/conversation/prompt.ts';
import { type ActiveTools, isHidden } from '../../mastra/hiding.ts';
import { internalsFault } from '../../mastra/internals.ts';
import { isFiltering, isInherited, PlaceholderTools } from '../../mastra/placeholders.ts';
import { wrapModel } from '../../mastra/wrapped-model.ts';
import { MAX_MISSED } from '../../meta-tools/missed-calls.ts';
import { allPermit } from '../../meta-tools/names.ts';
import { forcedName, type Step } from '../../processor/step.ts';
import { asRecord } from '../../util/record.ts';
import { type CallPart, rewriteAnswer } from './response.ts';
import { type Answer, type Choice, rewrittenCalls, type StepCallsArgs } from './rewritten-calls.ts';

/** A call of a model, as far as it is read here: the same in all versions of the specification. */
interface ModelCall {
  readonly prompt: Prompt;
  readonly tools?: readonly { readonly name: string; readonly id?: string }[] | undefined;
  readonly toolChoice?: { readonly type: string; readonly toolName?: string } | undefined;
}

/** Different tools that one answer of a model can call through the bridge. */
const MOST_THROUGH_BRIDGE = 32;

/** Different names of tools that are not there, which are answered from a place in a DurableAgent. */
const MOST_ANSWERED = 32;

/** Reporters that have reported `call-off`: each does so once. */
const told = new WeakSet<Reporter>();

/** Whether calls of tools that a step does not send can run. Where they cannot, it is reported once. */
export async function canRunCalls({ origin }: Step, reporter: Reporter): Promise<boolean> {
  const error = await internalsFault();
  if (error && !told.has(reporter)) reporter.report({ type: 'call-off', error }, origin);
  if (error) told.add(reporter);
  return error === undefined;
}

/** The calls of one step, of tools that it did not send. */
export class StepCalls {
  readonly #args: StepCallsArgs;
  readonly #placeholders: PlaceholderTools;
  #sent: ReadonlySet<string> | undefined;
  #choice: Choice;

  constructor(args: StepCallsArgs) {
    this.#args = args;
    this.#choice = args.forced === undefined ? this.#choiceOf(args.toolChoice) : { only: args.forced };
    const { bridge, wording, mayBeDurable } = args;
    const extra = mayBeDurable ? MOST_ANSWERED : 0;
    this.#placeholders = bridge
      ? new PlaceholderTools(bridge, MOST_THROUGH_BRIDGE, extra)
      : new PlaceholderTools(wording.search, MAX_MISSED, extra);
  }

  /** The places for tools, which are tools of the step that it sends to nobody. */
  get places(): Readonly<Record<string, object>> {
    return this.#placeholders.tools;
  }

  /** Whether Mastra has the tools of the step as they were returned, with nothing around any of them. */
  get isIntact(): boolean {
    return this.#placeholders.isIntact;
  }

  /** What the last request lets the model call; what the step does, where another model than the wrapped one was asked. */
  get choice(): Choice {
    return this.#choice;
  }

  /** Whether the last request had a tool of this name; true where another model than the wrapped one was asked. */
  mayHaveSent(name: string): boolean {
    return this.#sent?.has(name) ?? true;
  }

  /**
   * The model of the step, whose calls are those that Mastra is to run.
   *
   * @param visible - the list of the step's active tools.
   * @param rewrite - writes the prompt.
   * @param model - the step's own, where it is wrapped already.
   */
  wrap(visible: ActiveTools, rewrite: (prompt: Prompt) => Prompt, model: unknown = this.#args.model): unknown {
    const { bridge, runsMisses, mayBeDurable } = this.#args;
    const placeholders = this.#placeholders;
    visible.decideBy((name, asked) =>
      placeholders.shows(name, () => asked.by === visible.list && isFiltering(asked.includes)),
    );
    return wrapModel<unknown, ModelCall>(model, async (call, ask) => {
      placeholders.empty();
      const isPlace = (tool: { name: string; id?: string }): boolean => isHidden(tool) || placeholders.has(tool.name);
      const tools = call.tools?.some(isPlace) ? call.tools.filter((tool) => !isPlace(tool)) : call.tools;
      const sent = new Set(tools?.map(({ name }) => name));
      this.#sent = sent;
      const bridged = await this.#bridged(call, sent);
      this.#choice = bridged?.choice ?? this.#choiceOf(call.toolChoice);
      const choice = this.#choice;
      const changes = { ...(tools ? { tools } : {}), ...(bridged ? { toolChoice: bridged.toolChoice } : {}) };
      const answer = await ask({ ...call, ...changes, prompt: rewrite(call.prompt) });
      // A request for no call, or for that of one tool, wants no other.
      const isFree = sent.size > 0 && call.toolChoice?.type !== 'tool' && call.toolChoice?.type !== 'none';
      const mayRewrite = (name: string): boolean =>
        name === bridge || placeholders.has(name) || (!sent.has(name) && (isInherited(name) || (runsMisses && isFree)));
      // A DurableAgent answers a call that it does not find with the names of the other tools.
      const isConcerned = (name: string): boolean => mayRewrite(name) || (mayBeDurable && !sent.has(name));
      return rewriteAnswer(answer, isConcerned, (calls) =>
        this.#rewritten(calls, { placeholders, sent, visible, mayRewrite, choice }),
      );
    });
  }

  #choiceOf(toolChoice: unknown): Choice {
    const { bridge, forced } = this.#args;
    if (toolChoice === 'none' || asRecord(toolChoice)?.['type'] === 'none') return { only: undefined };
    const name = forcedName(toolChoice);
    if (name === undefined) return 'any';
    if (name !== bridge) return { only: name };
    return forced === undefined ? 'any' : { only: forced };
  }

  /**
   * What a request asks the model for in place of a tool of the catalog that it does not have: `prepareStep` has its say
   * after the step was prepared.
   */
  async #bridged(
    { toolChoice }: ModelCall,
    sent: ReadonlySet<string>,
  ): Promise<{ readonly toolChoice: NonNullable<ModelCall['toolChoice']>; readonly choice: Choice } | undefined> {
    const { bridge, step } = this.#args;
    const name = forcedName(toolChoice);
    if (bridge === undefined || name === undefined || sent.has(name) || !sent.has(bridge)) return undefined;
    if (Object.hasOwn(step.own, name)) return undefined;
    await step.catalog.reach([name], { ...step.permissions.asker, origin: step.origin });
    const entry = step.catalog.get(name);
    if (!entry) return undefined;
    const allowed = await allPermit(['load', 'active'], [entry], step.permissions);
    if (allowed.length === 0) return { toolChoice: { type: 'auto' }, choice: 'any' };
    return { toolChoice: { type: 'tool', toolName: bridge }, choice: { only: entry.name } };
  }

  async #rewritten(
    calls: readonly CallPart[],
    answer: Omit<Answer, keyof StepCallsArgs>,
  ): Promise<ReadonlyMap<CallPart, CallPart>> {
    try {
      return await rewrittenCalls(calls, { ...this.#args, ...answer });
    } catch (error) {
      this.#args.reporter.report({ type: 'call-off', error }, this.#args.step.origin);
      return new Map();
    }
  }
}
