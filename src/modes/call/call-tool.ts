import { copyTool, isMastraTool, isProviderTool, type MastraTool, type ToolContext } from '../../catalog/tool.ts';
import { asGivenByLoop, isDecidedByName, needsApproval, runValidated } from '../../mastra/calls.ts';
import { type Loader, withSuggestions } from '../../meta-tools/loading.ts';
import { createMetaTool, duringCall, nothingToFind, objectSchema, TEXT } from '../../meta-tools/meta-tool.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import { RESULTS, type SearchTool } from '../../meta-tools/search-tool.ts';
import type { Step } from '../../processor/step.ts';
import type { SearchResult } from '../../search/search-result.ts';
import { echo } from '../../util/text.ts';
import { type CallableResults, type CallWording, type Mistaken, mistaken, withExplanation } from './definitions.ts';
import type { StepCalls } from './step-calls.ts';
import { mayCall, readCall, type Target, targetOf, type WrittenCall } from './written-call.ts';

/** What `call_tool` asks. */
interface CallToolParts {
  readonly loader: Loader;
  readonly searchTool: SearchTool;
  /** Adds to the results of a search what is needed to call the tools. */
  readonly callable: CallableResults;
  readonly wording: CallWording;
}

/** What the model gets back where the tool itself did not answer. */
interface CallRefusal {
  readonly success: false;
  readonly message: string;
  readonly toolName?: string;
  /** What a search for the words of an unknown name found. */
  readonly results?: readonly SearchResult[];
}

const PARAMETERS = objectSchema<'toolName' | 'arguments'>(
  {
    toolName: { ...TEXT, description: prompts.parameterDescriptions.calledName },
    arguments: {
      type: 'object',
      additionalProperties: true,
      description: prompts.parameterDescriptions.calledArguments,
    },
  },
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
 * `call_tool` for one step. Most calls never come here: they become calls of the tool itself before Mastra reads them. It
 * answers the others, and runs the tool where the model of the step was replaced.
 */
export function createCallTool(
  name: string,
  description: string | undefined,
  step: Step,
  calls: StepCalls,
  parts: CallToolParts,
): MastraTool {
  const { loader, wording } = parts;
  const { model } = step.args;
  const tool = createMetaTool<{ toolName: string; arguments: unknown }, unknown>({
    name,
    description: description ?? prompts.callDescription(wording.search),
    parameters: PARAMETERS,
    result: RESULT,
    // Which fields are arguments depends on the tool.
    read: (fields) => fields as never,
    execute: async (input, context) => {
      const { choice } = calls;
      if (choice !== 'any' && choice.only === undefined) return { success: false, message: prompts.notChosen() };
      const written = readCall(input as unknown as Readonly<Record<string, unknown>>);
      const current = duringCall(step, context);
      const target = await targetOf(written, current, loader, name);
      if (choice !== 'any' && target.kind !== 'unknown' && !mayCall(choice, target.name))
        return { success: false, message: prompts.notChosen(choice.only) };
      if (target.kind !== 'tool') return refusal(written, target, current, calls, parts);
      const { entry, args } = target;
      // A guard around this tool reads here which one it would run.
      if (!calls.isIntact && input.toolName !== entry.name)
        return { success: false, message: prompts.exactName(entry.name, name), toolName: entry.name };
      const obstacle = obstacleTo(entry.tool, context);
      const tool = obstacle ? undefined : step.compatible(entry);
      if (!tool) return { success: false, message: prompts.notHere(entry.name, obstacle ?? 'client') };
      const given = entry.isResolved ? asGivenByLoop(context) : context;
      const result =
        tool === entry.tool && isMastraTool(tool)
          ? await runValidated(entry, model, args, given)
          : await (tool as MastraTool).execute?.(args as never, given as never);
      return withExplanation(result, entry, model, wording);
    },
  });
  // The arguments of tools are no part of this schema: a provider that takes it strictly would allow none.
  return copyTool(tool, { strict: false } as never);
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

async function refusal(
  { toolName }: WrittenCall,
  target: Exclude<Target, { kind: 'tool' }>,
  step: Step,
  calls: StepCalls,
  { searchTool, callable, wording }: CallToolParts,
): Promise<CallRefusal | Mistaken> {
  const { search, bridge = '' } = wording;
  const { names } = step.reach;
  if (target.kind === 'resident') {
    // Else a later processor or `prepareStep` took it out of the step.
    const message = calls.mayHaveSent(target.name)
      ? prompts.callDirectly(target.name)
      : prompts.notFound({ name: target.name, suggestions: [] }, names);
    return { success: false, message };
  }
  if (target.kind === 'failed') return { success: false, message: prompts.noDefinition(target.name) };
  if (target.kind === 'no-object')
    return mistaken('The arguments are no object.', target.entry, step.args.model, wording);
  if (toolName === '') return { success: false, message: prompts.noName(bridge, search) };
  const [unknown] = await withSuggestions([toolName], step);
  if (!unknown) return { success: false, message: prompts.noName(bridge, search), toolName: echo(toolName) };
  const found = await searchTool.forNames([unknown], step, callable);
  const message = found
    ? prompts.foundByWords(unknown.name, found.message)
    : prompts.notFound(unknown, names, await nothingToFind(step));
  return { success: false, message, toolName: echo(toolName), ...(found ? { results: found.results } : {}) };
}
