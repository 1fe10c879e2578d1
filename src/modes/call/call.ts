import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { type CatalogEntry, isClients } from '../../catalog/entry.ts';
import type { Prompt } from '../../loaded/conversation/prompt.ts';
import type { Execute, HandedTool, HandedTools } from '../../mastra/marks.ts';
import { ActiveTools } from '../../mastra/withholding.ts';
import { withoutSpent } from '../../meta-tools/meta-tools.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import type { Bridge, Services, Step } from '../../meta-tools/step.ts';
import type { RequestState } from '../../processor/request/request-state.ts';
import { cleanName, describeTool } from '../../util/text.ts';
import { createCallTool, type Sendable } from './call-tool.ts';
import { definer } from './definitions.ts';
import { asWritten } from './history.ts';
import { bridgeOf, createSearch } from './search.ts';
import { StepCalls } from './step-calls.ts';

/** What a step of call mode is made of. */
export interface CallStep {
  readonly step: Step;
  readonly args: ProcessInputStepArgs;
  /** The agent's own tools that are not searched. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The tool that the model has to call through the bridge; undefined where it may call any. */
  readonly forced: CatalogEntry | undefined;
  /** The tools of `alwaysLoaded`, as they are sent. */
  readonly pinned: Readonly<Record<string, unknown>>;
  /** The tools that were handed over before the run. */
  readonly handed: HandedTools;
  /** What was handed over of a tool, or serves as that. */
  readonly handedFor: (entry: CatalogEntry) => HandedTool | undefined;
  readonly sendable: Sendable;
  /** Runs a call that belongs to no step. */
  readonly runOf: (entry: CatalogEntry) => Execute;
  readonly mayBeDurable: boolean;
}

/** What a step of call mode sends. */
export interface CallTools {
  readonly tools: Record<string, unknown>;
  readonly activeTools: string[];
  readonly model: unknown;
  /** Tools that were made for this step. */
  readonly added: readonly object[];
}

/**
 * Calls of tools that are not sent, through `call_tool`. The model of a step is wrapped: a call of the bridge becomes a call
 * of the tool itself before Mastra reads it, so that Mastra runs it as any other; and the model reads what it wrote.
 */
export class Calling {
  readonly #services: Services;
  /** The name of the bridge. */
  readonly name: string;
  /** Requests with a step in this mode. */
  readonly #sent = new WeakSet<RequestState>();
  readonly bridge: Bridge;

  constructor(services: Services) {
    this.#services = services;
    this.name = services.options.call?.name ?? '';
    this.bridge = bridgeOf(services);
  }

  /** The names of the meta-tools of a step. */
  get metaNames(): readonly string[] {
    return [this.#services.options.metaTools.names.search, this.name];
  }

  systemText(): string {
    return prompts.callSystemText(this.#services.options.metaTools.names.search, this.name);
  }

  /** The text for tools that the user's words ask for; empty where there are none. */
  preselected(entries: readonly CatalogEntry[], model: unknown, run: object): string {
    const define = definer(model, this.#services.options.call?.schemaTokens ?? 0);
    const tools = entries.map((given) => this.#told(given, run, (entry) => define(entry, true)));
    return prompts.preselected(tools, this.name);
  }

  /** The text for the tool that a step has to call. */
  forcedText(given: CatalogEntry, model: unknown, run: object): string {
    const define = definer(model, 0);
    const told = this.#told(given, run, (entry) => define(entry, true, true));
    return prompts.forced(told, this.name);
  }

  /** A tool as system text names it. */
  #told(given: CatalogEntry, run: object, define: (entry: CatalogEntry) => object): object {
    const entry = this.#services.stubs.ready(given, run) ?? given;
    const name = cleanName(entry.name);
    // Text that a client wrote must not become system text.
    if (isClients(entry)) return { name };
    return { name, description: describeTool(entry.description), ...define(entry) };
  }

  /** Decides what a step sends: the same over all steps and turns, as far as the agent's own tools are. */
  send({ step, args, own, forced, pinned, handed, handedFor, sendable, runOf, mayBeDurable }: CallStep): CallTools {
    const services = this.#services;
    const { metaTools: wording, runsMisses } = services.options;
    const { model, tools: received = {} } = args;
    const common = { step, model, handed, handedFor, received, services, runOf, mayBeDurable };
    const choosing = { toolChoice: args.toolChoice, forced: forced?.name };
    const calls = new StepCalls({ ...common, ...choosing, bridge: this.name, runsMisses });
    const sending = {
      sendable,
      isIntact: () => calls.isIntact,
      maySend: (name: string) => calls.mayHaveSent(name),
      choice: () => calls.choice,
    };
    const metaTools = withoutSpent<object>(
      {
        [wording.names.search]: createSearch(step, args.model, services),
        [this.name]: createCallTool(step, args.model, sending, services),
      },
      step,
    );
    this.#sent.add(step.state);
    const visible = ActiveTools.of(args.activeTools, Object.keys(own), Object.keys({ ...metaTools, ...pinned }));
    const wrapped = calls.wrap(visible, asWritten);
    return {
      tools: { ...metaTools, ...own, ...pinned, ...calls.places },
      activeTools: visible.list,
      model: wrapped,
      added: [...Object.values(metaTools), ...Object.values(calls.places)],
    };
  }

  /** The prompt as the model reads it, where the step's own model does not see to that. */
  rewrite(prompt: Prompt, state: RequestState): Prompt {
    return this.#sent.has(state) ? asWritten(prompt) : prompt;
  }
}
