import { type CatalogEntry, isClients } from '../catalog/catalog.ts';
import type { Groups } from '../catalog/groups.ts';
import { isProviderTool } from '../catalog/tool.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import { ActiveTools } from '../mastra/hiding.ts';
import { isLegacy } from '../mastra/wrapped-model.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { SearchTool } from '../meta-tools/search-tool.ts';
import type { ResolvedCall, ResolvedMetaTools } from '../options/meta-tools.ts';
import type { RequestState } from '../processor/request.ts';
import { activeEntries, type Bridge, compatibleTools, type ModeTools, type Step } from '../processor/step.ts';
import { cleanName, describeTool } from '../util/text.ts';
import { asWritten } from './call/answers.ts';
import { createCallTool } from './call/call-tool.ts';
import {
  type CallableResults,
  type CallWording,
  callableResults,
  type Define,
  definer,
  describe,
} from './call/definitions.ts';
import { canRunCalls, type RunParts, StepCalls } from './call/step-calls.ts';
import { withoutSpent } from './load.ts';
import type { Mode, StepMode } from './mode.ts';

/** The parts of a processor that call mode uses. */
interface CallParts extends RunParts {
  readonly searchTool: SearchTool;
  readonly groups: Groups;
}

/**
 * Call mode: tools are called through `call_tool`, and never sent. The model of a step is wrapped: a call of `call_tool`
 * becomes a call of the tool itself before Mastra reads it, so that Mastra runs it as any other; and the model reads what it
 * wrote.
 */
export class CallMode implements Mode {
  readonly #parts: CallParts;
  readonly #description: string | undefined;
  /** Whether a tool may run when the model calls it by its own name. */
  readonly #runsMisses: boolean;
  readonly #wording: CallWording;
  readonly #names: prompts.MetaToolNames;
  readonly #bridge: Bridge;
  readonly #callable: CallableResults;
  /** Requests with a step in this mode. */
  readonly #sent = new WeakSet<RequestState>();

  constructor(parts: CallParts, options: ResolvedCall, { names }: ResolvedMetaTools, runsMisses: boolean) {
    const { name, description, schemaTokens } = options;
    const { search } = names;
    this.#parts = parts;
    this.#description = description;
    this.#runsMisses = runsMisses;
    this.#wording = { search, bridge: name, schemaTokens };
    this.#names = { ...names, load: name };
    this.#callable = callableResults(schemaTokens, parts.loader);
    this.#bridge = {
      name,
      catalogIntro: prompts.callCatalogIntro(search, name),
      found: (count) => prompts.foundToCall(count, name),
      select: (selected, step) => describe(selected, step, parts.groups, parts.loader),
    };
  }

  /** A legacy model cannot be wrapped. */
  async open(step: Step): Promise<StepMode | undefined> {
    if (isLegacy(step.args.model) || !(await canRunCalls(step, this.#parts.reporter))) return undefined;
    const { search } = this.#wording;
    const { name } = this.#bridge;
    return {
      names: this.#names,
      autoLoad: false,
      loadsWeak: true,
      bridge: this.#bridge,
      metaNames: [search, name],
      // There is no other way to a tool.
      mandatory: [name],
      searches: true,
      loads: false,
      reportsWithResults: false,
      loadsForced: false,
      // A provider's own tool cannot be called through another one.
      canForce: ({ tool }) => !isProviderTool(tool),
      systemText: () => prompts.callSystemText(search, name),
      moreTexts: () => this.#toolTexts(step),
      send: () => this.#send(step),
    };
  }

  /** The prompt as the model reads it, where the step's own model does not see to that. */
  rewritePrompt(prompt: Prompt, _model: unknown, state: RequestState): Prompt {
    return this.#sent.has(state) ? asWritten(prompt) : prompt;
  }

  /** The texts for the tools that the user's words ask for, and for the one that the step has to call. */
  #toolTexts(step: Step): readonly string[] {
    const { name } = this.#bridge;
    const { model } = step.args;
    const define = definer(model, this.#wording.schemaTokens);
    const preselected = activeEntries(step).map((given) => this.#described(given, step, define));
    const forced = forcedIn(step);
    return [
      prompts.preselected(preselected, name),
      ...(forced ? [prompts.forced(this.#described(forced, step, definer(model, 0), true), name)] : []),
    ];
  }

  /** A tool as system text names it. */
  #described(given: CatalogEntry, step: Step, define: Define, isWhole = false): object {
    const entry = this.#parts.loader.ready(given, step) ?? given;
    const name = cleanName(entry.name);
    // Text that a client wrote must not become system text.
    if (isClients(entry)) return { name };
    return { name, description: describeTool(entry.description), ...define(entry, true, isWhole) };
  }

  /** What a step sends: the same over all steps and turns, as far as the agent's own tools are. */
  #send(step: Step): ModeTools {
    const { args, own, tools } = step;
    const { loader, searchTool } = this.#parts;
    const { search } = this.#wording;
    const { name } = this.#bridge;
    // What is preselected was described with its definition, and is called through the bridge as everything else.
    tools.unload(tools.loaded);
    const calls = new StepCalls(step, this.#parts, this.#wording, this.#runsMisses, forcedIn(step)?.name);
    const parts = { loader, searchTool, callable: this.#callable, wording: this.#wording };
    const metaTools = withoutSpent<object>(
      {
        [search]: searchTool.create(step, prompts.callSearchDescription(name), this.#callable),
        [name]: createCallTool(name, this.#description, step, calls, parts),
      },
      step,
    );
    const pinned = compatibleTools(step.pinned, step);
    this.#sent.add(step.state);
    const visible = ActiveTools.of(args.activeTools, Object.keys(own), Object.keys({ ...metaTools, ...pinned }));
    return {
      tools: { ...metaTools, ...own, ...pinned, ...calls.places },
      activeTools: visible.list,
      names: visible.list,
      model: calls.wrap(visible, asWritten),
      added: [...Object.values(metaTools), ...Object.values(calls.places)],
      bridge: name,
    };
  }
}

/** The tool that the model has to call through the bridge. */
function forcedIn({ forced, tools }: Step): CatalogEntry | undefined {
  return forced && !tools.isResident(forced.name) ? forced : undefined;
}
