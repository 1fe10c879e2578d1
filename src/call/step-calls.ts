import type { CatalogEntry } from '../catalog/entry.ts';
import { isMastraTool } from '../catalog/tool.ts';
import type { Prompt } from '../conversation/prompt.ts';
import type { Execute, HandedTools } from '../mastra/marks.ts';
import type { ActiveTools } from '../mastra/withholding.ts';
import { wrapModel } from '../mastra/wrapped-model.ts';
import { parseJson } from '../meta-tools/meta-tool.ts';
import type { Services, Step } from '../meta-tools/step.ts';
import { asRecord } from '../util/record.ts';
import { isNoted, noteOf } from './history.ts';
import { type CallPart, rewriteAnswer } from './response.ts';
import { runByLoop } from './run-by-loop.ts';
import { Slots } from './slots.ts';
import { type Target, targetOf } from './target.ts';
import { readCall } from './written-call.ts';

/** A call of a model, as far as it is read here: the same in all versions of the specification. */
interface ModelCall {
  readonly prompt: Prompt;
  readonly tools?: readonly { readonly name: string }[] | undefined;
}

/** What decides about the calls of one step. */
interface StepCallsArgs {
  readonly step: Step;
  readonly model: unknown;
  /** The tools that were handed over before the run. */
  readonly handed: HandedTools;
  readonly services: Services;
  /** Runs a call that belongs to no step. */
  readonly runOf: (entry: CatalogEntry) => Execute;
  /** The name of the meta-tool that calls tools; absent where a model calls them by their own names alone. */
  readonly bridge?: string;
  /** Whether a tool that was not sent may run when the model calls it by its own name. */
  readonly runsMisses: boolean;
}

/** A call in place of a written one. */
interface NewCall {
  readonly toolName: string;
  readonly args: object;
}

/** Whether every object has something of that name. */
function isInherited(name: string): boolean {
  return name in {};
}

/** The calls of one step, of tools that it did not send. */
export class StepCalls {
  readonly #args: StepCallsArgs;
  readonly #slots: Slots;

  constructor(args: StepCallsArgs) {
    this.#args = args;
    this.#slots = new Slots(args.bridge ?? args.services.options.metaTools.names.search);
  }

  /** The places for tools, which are tools of the step that it sends to nobody. */
  get places(): Readonly<Record<string, object>> {
    return this.#slots.tools;
  }

  /**
   * The model of the step, whose calls are those that Mastra is to run.
   *
   * @param visible - the list of the step's active tools.
   * @param rewrite - writes the prompt.
   * @param model - the step's own, where it is wrapped already.
   */
  wrap(visible: ActiveTools, rewrite: (prompt: Prompt) => Prompt, model: unknown = this.#args.model): unknown {
    const { bridge, runsMisses } = this.#args;
    visible.decideBy((name) => this.#slots.shows(name));
    return wrapModel<unknown, ModelCall>(model, async (call, ask) => {
      this.#slots.empty();
      const sent = new Set(call.tools?.map(({ name }) => name));
      const answer = await ask({ ...call, prompt: rewrite(call.prompt) });
      const isConcerned = (name: string): boolean =>
        name === bridge || (runsMisses && sent.size > 0 && !sent.has(name));
      return rewriteAnswer(answer, isConcerned, (calls) => this.#rewritten(calls, sent, visible));
    });
  }

  /** The calls that Mastra is to run, by those that the model wrote. */
  async #rewritten(
    calls: readonly CallPart[],
    sent: ReadonlySet<string>,
    visible: ActiveTools,
  ): Promise<ReadonlyMap<CallPart, CallPart>> {
    // Another processor's are settled.
    const open = calls.filter((call) => !isNoted(call));
    const targets = await Promise.all(open.map((call) => this.#targetOf(call)));
    const rewritten = new Map<CallPart, CallPart>();
    for (const [at, call] of open.entries()) {
      const becomes = this.#becomes(call, targets[at], sent, visible) ?? this.#reachable(call, sent);
      if (!becomes) continue;
      const { toolName, args } = becomes;
      const providerMetadata = { ...call.providerMetadata, ...noteOf(call.toolName, call.input) };
      rewritten.set(call, { ...call, toolName, input: JSON.stringify(args), providerMetadata });
    }
    return rewritten;
  }

  /** The call that takes the place of a written one; undefined where it stays. */
  #becomes(
    call: CallPart,
    target: Target | undefined,
    sent: ReadonlySet<string>,
    visible: ActiveTools,
  ): NewCall | undefined {
    const { bridge, services } = this.#args;
    if (!target || target.kind === 'unknown') return undefined;
    if (target.kind === 'resident') {
      return sent.has(target.name) ? { toolName: target.name, args: target.args } : undefined;
    }
    const name = target.kind === 'failed' ? target.name : target.entry.name;
    const hasPlace = this.#slots.isThere && !isInherited(name);
    const tool = target.kind === 'tool' && hasPlace ? this.#runnable(target.entry) : undefined;
    const key = tool && this.#slots.take(name, tool);
    if (target.kind === 'tool' && key !== undefined) {
      visible.note(name, key);
      if (call.toolName !== bridge) {
        services.reporter.report({ type: 'run-on-miss', called: call.toolName, toolName: name });
      }
      return { toolName: name, args: target.args };
    }
    // The bridge tells what is wrong, or runs the tool itself.
    const isMiss = bridge !== undefined && call.toolName !== bridge && sent.has(bridge);
    // What is no JSON stays a text, which the bridge refuses.
    return isMiss
      ? { toolName: bridge, args: { toolName: name, arguments: parseJson(call.input) ?? call.input } }
      : undefined;
  }

  /**
   * A call that Mastra answers with "not found", in place of one with which it would not go on: it takes an empty place for
   * a provider's tool and waits for a result, and finds a `constructor` in any list of tools.
   */
  #reachable({ toolName }: CallPart, sent: ReadonlySet<string>): NewCall | undefined {
    const isFound = Object.hasOwn(this.places, toolName) || (isInherited(toolName) && !sent.has(toolName));
    return isFound ? { toolName: `${toolName}_`, args: {} } : undefined;
  }

  /** A tool in the form in which Mastra runs it; what Mastra has not converted has none. */
  #runnable(entry: CatalogEntry): object | undefined {
    const { name, tool, isResolved } = entry;
    const { handed, step, runOf } = this.#args;
    const handedTool = handed.get(name);
    // A stub was handed over as what it is without its definition.
    const isStub = step.catalog.get(name)?.tool !== tool;
    const form = isResolved
      ? tool
      : handedTool && runByLoop(handedTool, handed, isStub ? { tool, run: runOf(entry) } : undefined);
    return form && !isMastraTool(form) ? form : undefined;
  }

  async #targetOf({ toolName, input }: CallPart): Promise<Target | undefined> {
    const { step, model, services, bridge } = this.#args;
    try {
      const fields = input.trim() === '' ? {} : asRecord(parseJson(input));
      if (!fields && toolName === bridge) return undefined;
      const written = toolName === bridge ? readCall(fields ?? {}) : { toolName, readings: () => [fields] };
      return await targetOf(written, step, model, services);
    } catch {
      // The call stays as it is, and is answered.
      return undefined;
    }
  }
}
