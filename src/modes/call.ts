import { type Catalog, type CatalogEntry, isClients } from '../catalog/catalog.ts';
import type { Groups } from '../catalog/groups.ts';
import { copyTool, isMastraTool, isProviderTool, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import type { LoadingCalls } from '../loaded/conversation/conversation.ts';
import { needsApproval, policyOf } from '../mastra/approvals.ts';
import { runValidated, runWithin } from '../mastra/calls.ts';
import { ANYTHING } from '../mastra/schemas.ts';
import { isLegacy } from '../mastra/wrapped-model.ts';
import type { Forms } from '../meta-tools/forms.ts';
import { type Loader, withSuggestions } from '../meta-tools/loading.ts';
import { createMetaTool, duringCall, nothingToFind, objectSchema, TEXT } from '../meta-tools/meta-tool.ts';
import type { ResolvedCall, ResolvedMetaTools } from '../meta-tools/options.ts';
import * as prompts from '../meta-tools/prompts.ts';
import type { CompleteResult, SearchTool } from '../meta-tools/search-tool.ts';
import type { SearchResult } from '../search/search-result.ts';
import { activeEntries, type ModeTools, type Step } from '../step/step.ts';
import { asRecord } from '../util/record.ts';
import { cleanName, describeTool, echo } from '../util/text.ts';
import { AroundCalls, type Called } from './call/around.ts';
import {
  type CallWording,
  callableResults,
  type Define,
  definer,
  describe,
  type Mistaken,
  mistaken,
  withExplanation,
} from './call/definitions.ts';
import { choiceOf, mayCall, StepCalls } from './call/step-calls.ts';
import { readCall, type Target } from './call/written-call.ts';
import { sentTools, withoutSpent } from './load.ts';
import type { Mode, StepMode } from './mode.ts';

interface CallParts {
  readonly loader: Loader;
  readonly forms: Forms;
  readonly searchTool: SearchTool;
  readonly groups: Groups;
  readonly reporter: Reporter;
  readonly loadingTools: LoadingCalls;
}

/** The result of `call_tool` if it did not run the called tool. */
interface CallRefusal {
  readonly success: false;
  readonly message: string;
  readonly toolName?: string;
  /** Results of a search for the words of an unknown name. */
  readonly results?: readonly SearchResult[];
}

const ARGUMENTS = {
  type: 'object',
  additionalProperties: true,
  description: prompts.parameterDescriptions.calledArguments,
};
const PARAMETERS = objectSchema<'toolName' | 'arguments'>(
  { toolName: { ...TEXT, description: prompts.parameterDescriptions.calledName }, arguments: ARGUMENTS },
  ['toolName', 'arguments'],
);

/**
 * Call mode: found tools are never sent, but called through `call_tool`. `call_tool` runs the called tool in the form that load
 * mode would send, and asks for the approval of the called tool.
 */
export class CallMode implements Mode {
  readonly #parts: CallParts;
  readonly #options: ResolvedCall;
  readonly #wording: CallWording;
  readonly #mode: StepMode;
  readonly #complete: CompleteResult;

  constructor(parts: CallParts, options: ResolvedCall, { names }: ResolvedMetaTools) {
    const { name, schemaTokens } = options;
    const { search } = names;
    this.#parts = parts;
    this.#options = options;
    this.#wording = { search, bridge: name, schemaTokens };
    this.#complete = callableResults(schemaTokens, parts.loader);
    this.#mode = {
      names: { search, load: name },
      autoLoad: false,
      loadsWeak: true,
      reportsWithResults: true,
      bridge: name,
      catalogIntro: prompts.callCatalogIntro(search, name),
      found: (count, fits) => prompts.foundToCall(count, name, fits),
      missed: (called) => prompts.calledWithoutBridge(called, name),
      select: (selected, step) => describe(selected, step, parts.groups, parts.loader),
      metaNames: [search, name],
      // Call mode has no other way to call a tool.
      mandatory: [name],
      searches: true,
      systemText: () => prompts.callSystemText(search, name),
      moreTexts: (step) => this.#toolTexts(step),
      send: (step, pinned) => this.#send(step, pinned),
    };
  }

  /** Declines legacy models, with which Mastra supports no approvals. */
  open(step: Step): StepMode | undefined {
    return isLegacy(step.args.model) ? undefined : this.#mode;
  }

  /** System texts for preselected tools, and for the tool that `toolChoice` forces. */
  #toolTexts(step: Step): readonly string[] {
    const { name, schemaTokens } = this.#options;
    const { model } = step.args;
    const define = definer(model, schemaTokens);
    const preselected = activeEntries(step).map((given) => this.#described(given, step, define));
    const forced = forcedIn(step);
    return [
      prompts.preselected(preselected, name),
      ...(forced ? [prompts.forced(this.#described(forced, step, definer(model, 0), true), name)] : []),
    ];
  }

  #described(given: CatalogEntry, step: Step, define: Define, isWhole = false): object {
    const entry = this.#parts.loader.ready(given, step) ?? given;
    const name = cleanName(entry.name);
    // Text that a client wrote must not become system text.
    if (isClients(entry)) return { name };
    return { name, description: describeTool(entry.description), ...define(entry, true, isWhole) };
  }

  /** What a step sends. It stays the same over all steps and turns, as long as the agent's own tools stay the same. */
  async #send(step: Step, pinned: Readonly<Record<string, unknown>>): Promise<ModeTools> {
    const { search, load: name } = this.#mode.names;
    // Preselected tools were described in the system text, and are called through the bridge like all others.
    step.tools.unload(step.tools.loaded);
    const searchTool = this.#parts.searchTool.create(step, prompts.callSearchDescription(name), this.#complete);
    const searches = withoutSpent<object>({ [search]: searchTool }, step);
    const callTool = await this.#callTool(step, { ...searches, ...step.own, ...pinned });
    return sentTools({ ...searches, [name]: callTool }, pinned, step);
  }

  /** @param resident - the other tools that the step sends. */
  async #callTool(step: Step, resident: Readonly<Record<string, unknown>>): Promise<MastraTool> {
    const { name, description } = this.#options;
    const { args, catalog } = step;
    const calls = new StepCalls(step, this.#parts.loader, name);
    const isSent = (tool: string): boolean => Object.hasOwn(resident, tool);
    const choice = choiceOf(args.toolChoice, name, forcedIn(step)?.name, isSent);
    const calledIn = async (input: unknown): Promise<Called | undefined> => {
      const target = await calls.targetIn(input);
      if (target.kind !== 'tool' && target.kind !== 'resident') return undefined;
      const tool = target.kind === 'tool' ? target.entry.tool : (resident[target.name] as MastraTool);
      const isRunHere = !isProviderTool(tool) && typeof tool?.execute === 'function';
      return isRunHere && mayCall(choice, target.name) ? { name: target.name, tool, args: target.args } : undefined;
    };
    const known = await policyOf(args, step.received.isDurable !== false);
    const around = new AroundCalls(calledIn, {
      policy: () => known?.policy,
      isDurable: known?.isDurable === true,
    });
    // If the approval policy of the run is unknown, every call needs an approval as soon as any tool may need one.
    const wantsAll = !known && (!catalog.isComplete || someNeedApproval(catalog));
    /** Targets for which Mastra has called `requireApproval`. */
    const asked = new WeakSet<Target>();
    const requireApproval = async (input: unknown, context: unknown): Promise<boolean> => {
      asked.add(await calls.targetIn(input));
      return around.needsApproval(input, context);
    };
    const tool = createMetaTool<Readonly<Record<string, unknown>>, unknown>({
      name,
      description: description ?? prompts.callDescription(this.#wording.search),
      parameters: PARAMETERS,
      // Which fields are arguments depends on the tool.
      read: (fields) => calls.exact(fields),
      execute: async (input, context) => {
        if (choice !== 'any' && choice.only === undefined) return { success: false, message: prompts.notChosen() };
        const current = duringCall(step, context, this.#parts.loadingTools);
        const target = await calls.targetIn(input);
        if (choice !== 'any' && target.kind !== 'unknown' && !mayCall(choice, target.name))
          return { success: false, message: prompts.notChosen(choice.only) };
        if (target.kind !== 'tool' && target.kind !== 'resident') return this.#refusal(input, target, current);
        const called = await calledIn(input);
        const form = called && (target.kind === 'tool' ? this.#formOf(target.entry, step) : called.tool);
        if (!called || !form) return { success: false, message: notHere(target) };
        // A wrapper around `call_tool` may have dropped `requireApproval`, so that Mastra never asked.
        if (!wantsAll && !asked.has(target) && (await around.needsApproval(input, context)))
          return { success: false, message: prompts.notHere(called.name, 'approval') };
        this.#parts.reporter.report({ type: 'call-through', toolName: called.name }, current.origin);
        const result = await runWithin(form, called, called.args, context);
        around.note(context?.agent?.toolCallId, called, result);
        return target.kind === 'tool' ? withExplanation(result, target.entry, args.model, this.#wording) : result;
      },
    });
    return copyTool(tool, {
      ...around.fields,
      requireApproval: known ? requireApproval : wantsAll,
      ...(someSuspend(catalog) ? { suspendSchema: ANYTHING } : {}),
      ...(someTransform(catalog) || Object.values(resident).some(transforms) ? { transform: around.transform } : {}),
      // The schema does not list the arguments of called tools. A provider in strict mode would allow no arguments.
      strict: false,
    } as never);
  }

  /** The tool in the form that load mode sends. For a tool that Mastra has not registered, the form validates the input. */
  #formOf(entry: CatalogEntry, step: Step): object | undefined {
    const form = this.#parts.forms.of(entry, step);
    if (form !== entry.tool || !isMastraTool(form)) return form;
    const execute = (input: unknown, context: ToolContext): Promise<unknown> =>
      runValidated(entry, step.args.model, input, context);
    return copyTool(form, { inputSchema: ANYTHING as never, execute: execute as never });
  }

  async #refusal(
    input: Readonly<Record<string, unknown>>,
    target: Exclude<Target, { kind: 'tool' | 'resident' }>,
    step: Step,
  ): Promise<CallRefusal | Mistaken> {
    const { toolName } = readCall(input);
    const { search, load: bridge } = this.#mode.names;
    const refused = (message: string): CallRefusal => ({ success: false, message });
    if (target.kind === 'failed') return refused(prompts.cannotBeUsed(target.name));
    if (target.kind === 'no-object')
      return mistaken('The arguments are no object.', target.entry, step.args.model, this.#wording);
    if (toolName === '') return refused(prompts.noName(bridge, search));
    const [unknown = { name: toolName, suggestions: [] }] = await withSuggestions([toolName], step);
    const found = await this.#parts.searchTool.forNames([unknown], step, this.#complete);
    const message = found
      ? prompts.foundByWords(unknown, found.message)
      : prompts.notFound(unknown, step.mode.names, await nothingToFind(step));
    return { ...refused(message), toolName: echo(toolName), ...(found ? { results: found.results } : {}) };
  }
}

/** The tool that `toolChoice` forces the model to call through the bridge. */
function forcedIn({ tools }: Step): CatalogEntry | undefined {
  return tools.forced && !tools.isResident(tools.forced.name) ? tools.forced : undefined;
}

/** The sentence that says why a tool cannot run through `call_tool`. */
function notHere(target: Extract<Target, { kind: 'tool' | 'resident' }>): string {
  if (target.kind === 'resident') return prompts.callDirectly(target.name);
  return prompts.notHere(target.name, isProviderTool(target.entry.tool) ? 'provider' : 'client');
}

/** Whether a predicate holds, or may hold, for some tool of a catalog. It may hold for any lazy tool. */
function someOf(isSo: (tool: MastraTool) => boolean): (catalog: Catalog) => boolean {
  const known = new WeakMap<Catalog, boolean>();
  return (catalog) => {
    const found = known.get(catalog) ?? [...catalog.entries].some(({ tool, isLazy }) => isLazy === true || isSo(tool));
    if (catalog.isComplete) known.set(catalog, found);
    return found;
  };
}

const someNeedApproval = someOf(needsApproval);
/** Whether a call of some tool may suspend. If so, Mastra runs the calls of one answer one after the other. */
const someSuspend = someOf((tool) => {
  const { suspendSchema, hasSuspendSchema } = tool as { suspendSchema?: unknown; hasSuspendSchema?: unknown };
  return suspendSchema !== undefined || hasSuspendSchema === true;
});

const someTransform = someOf(transforms);
/** Whether a tool transforms the payloads that Mastra displays or stores. */
function transforms(tool: unknown): boolean {
  return asRecord(tool)?.['transform'] !== undefined;
}
