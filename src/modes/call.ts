import { type CatalogEntry, isClients } from '../catalog/catalog.ts';
import type { Groups } from '../catalog/groups.ts';
import { copyTool, isMastraTool, isProviderTool, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import type { Prompt } from '../loaded/conversation/prompt.ts';
import { asGivenByLoop, isDecidedByName, needsApproval, runValidated } from '../mastra/calls.ts';
import { isLegacy } from '../mastra/wrapped-model.ts';
import { withSuggestions } from '../meta-tools/loading.ts';
import { createMetaTool, duringCall, nothingToFind, objectSchema, TEXT } from '../meta-tools/meta-tool.ts';
import * as prompts from '../meta-tools/prompts.ts';
import { type CompleteResult, RESULTS, type SearchTool } from '../meta-tools/search-tool.ts';
import type { ResolvedCall, ResolvedMetaTools } from '../options/meta-tools.ts';
import type { RequestState } from '../processor/request.ts';
import { activeEntries, type ModeTools, type Step } from '../processor/step.ts';
import type { SearchResult } from '../search/search-result.ts';
import { cleanName, describeTool, echo } from '../util/text.ts';
import { asWritten } from './call/answers.ts';
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
import { canRunCalls, type RunParts, StepCalls } from './call/step-calls.ts';
import { mayCall, readCall, type Target, targetOf, type WrittenCall } from './call/written-call.ts';
import { withoutSpent } from './load.ts';
import type { Mode, StepMode } from './mode.ts';

interface CallParts extends RunParts {
  readonly searchTool: SearchTool;
  readonly groups: Groups;
}

/** What the model gets back where the tool itself did not answer. */
interface CallRefusal {
  readonly success: false;
  readonly message: string;
  readonly toolName?: string;
  /** What a search for the words of an unknown name found. */
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

const RESULT = objectSchema<keyof (CallRefusal & Mistaken)>(
  {
    ...{ success: { type: 'boolean' }, error: { type: 'boolean' }, message: TEXT, toolName: TEXT },
    ...{ parameters: {}, signature: TEXT, results: RESULTS },
  },
  ['message'],
);

/**
 * Call mode: tools are called through `call_tool`, and never sent. The model of a step is wrapped: its call becomes one of the
 * tool itself before Mastra reads it, which runs it as any other; and the model reads what it wrote.
 */
export class CallMode implements Mode {
  readonly #parts: CallParts;
  readonly #options: ResolvedCall;
  /** Whether a tool may run when the model calls it by its own name. */
  readonly #runsMisses: boolean;
  readonly #wording: CallWording;
  readonly #mode: StepMode;
  readonly #complete: CompleteResult;
  /** Requests with a step in this mode. */
  readonly #sent = new WeakSet<RequestState>();

  constructor(parts: CallParts, options: ResolvedCall, { names }: ResolvedMetaTools, runsMisses: boolean) {
    const { name, schemaTokens } = options;
    const { search } = names;
    this.#parts = parts;
    this.#options = options;
    this.#runsMisses = runsMisses;
    this.#wording = { search, bridge: name, schemaTokens };
    this.#complete = callableResults(schemaTokens, parts.loader);
    this.#mode = {
      names: { search, load: name },
      autoLoad: false,
      loadsWeak: true,
      bridge: {
        name,
        catalogIntro: prompts.callCatalogIntro(search, name),
        found: (count, fits) => prompts.foundToCall(count, name, fits),
        select: (selected, step) => describe(selected, step, parts.groups, parts.loader),
      },
      metaNames: [search, name],
      // There is no other way to a tool.
      mandatory: [name],
      searches: true,
      systemText: () => prompts.callSystemText(search, name),
      moreTexts: (step) => this.#toolTexts(step),
      send: (step, pinned) => this.#send(step, pinned),
    };
  }

  /** A legacy model cannot be wrapped. */
  async open(step: Step): Promise<StepMode | undefined> {
    const isServed = !isLegacy(step.args.model) && (await canRunCalls(step, this.#parts.reporter));
    return isServed ? this.#mode : undefined;
  }

  /** The prompt as the model reads it, where the step's own model does not see to that. */
  rewritePrompt(prompt: Prompt, _model: unknown, state: RequestState): Prompt {
    return this.#sent.has(state) ? asWritten(prompt) : prompt;
  }

  /** The texts for the tools that the user's words ask for, and for the one that the step has to call. */
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

  /** What a step sends: the same over all steps and turns, as far as the agent's own tools are. */
  #send(step: Step, pinned: Readonly<Record<string, unknown>>): ModeTools {
    const { own } = step;
    const { search, load: name } = this.#mode.names;
    // What is preselected was described with its definition, and is called through the bridge as everything else.
    step.tools.unload(step.tools.loaded);
    const calls = new StepCalls(step, this.#parts, this.#wording, this.#runsMisses, forcedIn(step)?.name);
    const searchTool = this.#parts.searchTool.create(step, prompts.callSearchDescription(name), this.#complete);
    const metaTools = withoutSpent<object>({ [search]: searchTool, [name]: this.#callTool(step, calls) }, step);
    this.#sent.add(step.state);
    const tools = { ...metaTools, ...own, ...pinned };
    const sent = calls.sending({ tools, added: Object.values(metaTools) }, asWritten);
    return { ...sent, names: sent.activeTools, bridge: name };
  }

  /** `call_tool` for one step. It answers what did not become a call of the tool, and runs it for another model. */
  #callTool(step: Step, calls: StepCalls): MastraTool {
    const { name, description } = this.#options;
    const { model } = step.args;
    const tool = createMetaTool<Readonly<Record<string, unknown>>, unknown>({
      name,
      description: description ?? prompts.callDescription(this.#wording.search),
      parameters: PARAMETERS,
      result: RESULT,
      // Which fields are arguments depends on the tool.
      read: (fields) => fields,
      execute: async (input, context) => {
        const { choice } = calls;
        if (choice !== 'any' && choice.only === undefined) return { success: false, message: prompts.notChosen() };
        const written = readCall(input);
        const current = duringCall(step, context);
        const target = await targetOf(written, current, this.#parts.loader, name);
        if (choice !== 'any' && target.kind !== 'unknown' && !mayCall(choice, target.name))
          return { success: false, message: prompts.notChosen(choice.only) };
        if (target.kind !== 'tool') return this.#refusal(written, target, current, calls);
        const { entry, args } = target;
        // A guard around this tool reads here which one it would run.
        if (!calls.isIntact && input['toolName'] !== entry.name)
          return { success: false, message: prompts.exactName(entry.name, name), toolName: entry.name };
        const obstacle = obstacleTo(entry.tool, context);
        const form = obstacle ? undefined : step.compatible(entry);
        if (!form) return { success: false, message: prompts.notHere(entry.name, obstacle ?? 'client') };
        const given = entry.isResolved ? asGivenByLoop(context) : context;
        const result =
          form === entry.tool && isMastraTool(form)
            ? await runValidated(entry, model, args, given)
            : await (form as MastraTool).execute?.(args as never, given as never);
        return withExplanation(result, entry, model, this.#wording);
      },
    });
    // The arguments of tools are no part of this schema: a provider that takes it strictly would allow none.
    return copyTool(tool, { strict: false } as never);
  }

  async #refusal(
    { toolName }: WrittenCall,
    target: Exclude<Target, { kind: 'tool' }>,
    step: Step,
    calls: StepCalls,
  ): Promise<CallRefusal | Mistaken> {
    const { search, load: bridge } = this.#mode.names;
    const refused = (message: string): CallRefusal => ({ success: false, message });
    if (target.kind === 'resident') {
      // Else a later processor or `prepareStep` took it out of the step.
      if (calls.mayHaveSent(target.name)) return refused(prompts.callDirectly(target.name));
      return refused(prompts.notFound({ name: target.name, suggestions: [] }, step.reach.names));
    }
    if (target.kind === 'failed') return refused(prompts.cannotBeUsed(target.name));
    if (target.kind === 'no-object')
      return mistaken('The arguments are no object.', target.entry, step.args.model, this.#wording);
    if (toolName === '') return refused(prompts.noName(bridge, search));
    const [unknown = { name: toolName, suggestions: [] }] = await withSuggestions([toolName], step);
    const found = await this.#parts.searchTool.forNames([unknown], step, this.#complete);
    const message = found
      ? prompts.foundByWords(unknown, found.message)
      : prompts.notFound(unknown, step.reach.names, await nothingToFind(step));
    return { ...refused(message), toolName: echo(toolName), ...(found ? { results: found.results } : {}) };
  }
}

/** The tool that the model has to call through the bridge. */
function forcedIn({ forced, tools }: Step): CatalogEntry | undefined {
  return forced && !tools.isResident(forced.name) ? forced : undefined;
}

/** What keeps a tool from running within another one's call. */
function obstacleTo(
  tool: MastraTool,
  context: ToolContext | undefined,
): 'approval' | 'client' | 'provider' | undefined {
  if (isProviderTool(tool)) return 'provider';
  if (typeof tool.execute !== 'function') return 'client';
  const { suspendSchema, hasSuspendSchema } = tool as { suspendSchema?: unknown; hasSuspendSchema?: unknown };
  return needsApproval(tool) || isDecidedByName(context) || suspendSchema || hasSuspendSchema ? 'approval' : undefined;
}
