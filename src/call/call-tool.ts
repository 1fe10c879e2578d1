import { MAX_SIGNATURE, parametersOf } from '../catalog/signature.ts';
import { copyTool, isProviderTool, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import { asGivenByLoop } from '../mastra/carrier.ts';
import { isDecidedByName, needsApproval } from '../mastra/waiting-call.ts';
import { createMetaTool, type FieldSchema, type ObjectSchema, TEXT } from '../meta-tools/meta-tool.ts';
import { withSuggestions } from '../meta-tools/names.ts';
import { duringCall, nothingToFind, type Services, type Step } from '../meta-tools/step.ts';
import { notFound } from '../prompts/loads.ts';
import { cut, echo } from '../util/text.ts';
import { estimateTokens } from '../util/tokens.ts';
import * as prompts from './prompts.ts';
import { type Target, targetOf } from './target.ts';
import { definitionOf } from './validation.ts';
import { readCall, type WrittenCall } from './written-call.ts';

/** A tool of the catalog as it is sent; undefined where it cannot be. */
export type Sendable = (entry: Extract<Target, { kind: 'tool' }>['entry']) => object | undefined;

/** What a step sends. */
export interface Sending {
  readonly sendable: Sendable;
  /** Whether the request may have had a tool of this name. */
  readonly maySend: (name: string) => boolean;
}

/** What the model gets back where the tool itself did not answer. */
interface CallRefusal {
  readonly success: false;
  readonly message: string;
  readonly toolName?: string;
  /** The JSON schema of the tool's parameters, where the arguments do not fit it. */
  readonly parameters?: unknown;
  /** In its place where that is huge. */
  readonly signature?: string;
}

/** Characters of the mistakes in a call, as they are told. */
const MAX_MISTAKES = 4_000;
/** Tokens of a definition that is told with a mistake, whatever the room in search results. */
const MIN_ROOM = 6_000;

const PARAMETERS: ObjectSchema<'toolName' | 'arguments'> = {
  properties: {
    toolName: { ...TEXT, description: prompts.parameterDescriptions.toolName },
    arguments: {
      type: 'object',
      additionalProperties: true,
      description: prompts.parameterDescriptions.arguments,
    } satisfies FieldSchema,
  },
  required: ['toolName', 'arguments'],
};

const RESULT: ObjectSchema<keyof CallRefusal> = {
  properties: { success: { type: 'boolean' }, message: TEXT, toolName: TEXT, parameters: {}, signature: TEXT },
  required: ['success', 'message'],
};

/**
 * `call_tool` for one step. Most calls never come here: they become calls of the tool itself before Mastra reads them. It
 * answers the others, and runs the tool where the model of the step was replaced.
 */
export function createCallTool(step: Step, model: unknown, sending: Sending, services: Services): MastraTool {
  const { call, metaTools } = services.options;
  const { name = '', description } = call ?? {};
  const tool = createMetaTool<{ toolName: string; arguments: unknown }, unknown>({
    name,
    description: description ?? prompts.callDescription(metaTools.names.search),
    parameters: PARAMETERS,
    result: RESULT as unknown as ObjectSchema<never>,
    // Which fields are arguments depends on the tool.
    read: (fields) => fields as never,
    execute: async (input, context) => {
      const written = readCall(input as unknown as Readonly<Record<string, unknown>>);
      const current = duringCall(step, context);
      const target = await targetOf(written, current, model, services);
      if (target.kind !== 'tool') return refusal(written, target, current, model, sending, services);
      const { entry, args } = target;
      const obstacle = obstacleTo(entry.tool, context);
      const tool = obstacle ? undefined : sending.sendable(entry);
      if (!tool) return { success: false, message: prompts.notHere(entry.name, obstacle ?? 'client') };
      const given = entry.isResolved ? asGivenByLoop(context) : context;
      return (tool as MastraTool).execute?.(args as never, given as never);
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
  model: unknown,
  { maySend }: Sending,
  services: Services,
): Promise<CallRefusal> {
  const { call, metaTools } = services.options;
  const { name: bridge = '' } = call ?? {};
  const { search } = metaTools.names;
  if (target.kind === 'resident') {
    const isThere = maySend(target.name);
    // A later processor or `prepareStep` took it out of the step.
    const message = isThere
      ? prompts.callDirectly(target.name)
      : notFound({ name: target.name, suggestions: [] }, metaTools.names);
    return { success: false, message };
  }
  if (target.kind === 'failed') return { success: false, message: prompts.noDefinition(target.name) };
  if (target.kind === 'mistaken') {
    const { entry, mistakes } = target;
    const room = Math.max(MIN_ROOM, 4 * (call?.schemaTokens ?? 0));
    const parameters = definitionOf(entry, model) ?? {};
    const isHuge = estimateTokens(JSON.stringify(parameters)) > room;
    const definition = isHuge ? { signature: parametersOf(entry.tool, MAX_SIGNATURE) } : { parameters };
    const shown = mistakes.length > MAX_MISTAKES ? `${cut(mistakes, MAX_MISTAKES)}...` : mistakes;
    const message = prompts.mistaken(shown, bridge, isHuge ? { search, name: entry.name } : undefined);
    return { success: false, message, toolName: entry.name, ...definition };
  }
  if (toolName === '') return { success: false, message: prompts.noName(bridge, search) };
  const [unknown] = await withSuggestions([toolName], step);
  const message = unknown
    ? notFound(unknown, metaTools.names, await nothingToFind(step))
    : prompts.noName(bridge, search);
  return { success: false, message, toolName: echo(toolName) };
}
