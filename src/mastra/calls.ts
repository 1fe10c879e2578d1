/**
 * Runs calls of tools that Mastra did not convert at the start of the run, as if Mastra had. A tool's schema may run
 * code of its own, which must not run before the call's approval and the agent's hooks; so the input is validated here,
 * after both.
 *
 * @module
 */
import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { makeCoreTool } from '@mastra/core/utils';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { LazyTools } from '../catalog/lazy-tools.ts';
import { copyTool, isMastraTool, MASTRA_TOOL_MARKER, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import { identifyRequest } from '../loaded/identity.ts';
import type { MaybePromise } from '../util/maybe-promise.ts';
import { asRecord, given } from '../util/record.ts';
import { needsApproval, policyIn } from './approvals.ts';
import { type Execute, type RunSettings, settingsOf } from './marks.ts';
import { ANYTHING, restored, withValidSchema } from './schemas.ts';

export const SILENT: object = { debug() {}, info() {}, warn() {}, error() {}, trackException() {} };

// What Mastra gives a call

/** Turns the context that Mastra gives a converted tool back into the one that Mastra's loop gives. */
export function asGivenByLoop(context: unknown): object {
  const { agent, ...others } = (context ?? {}) as ToolContext;
  // Mastra has already opened a span for the call.
  return { ...others, ...agent, skipToolSpan: true };
}

/**
 * The fields in a call's context that tell whether the call may have waited for an approval or an answer. `resumeData`
 * is in `agent` for a converted tool, and at the top level for a call by Mastra's loop.
 */
interface WaitingCall {
  readonly agent?: { readonly resumeData?: unknown };
  readonly resumeData?: unknown;
  readonly requestContext?: RequestContext;
}

/**
 * Whether a call that runs now may have waited for an approval or an answer, for any length of time. Mastra does not mark
 * an approved call, so every call that needs an approval may have waited.
 */
export function mayHaveWaited(tool: MastraTool, context: unknown): boolean {
  const { agent, resumeData, requestContext } = (context ?? {}) as WaitingCall;
  if (agent?.resumeData !== undefined || resumeData !== undefined) return true;
  return needsApproval(tool) || Boolean(policyIn(requestContext));
}

/** Names the span of a `call_tool` call after the tool that runs, in Mastra's own format. */
function nameSpan({ name, tool }: NamedTool, context: unknown): void {
  const { currentSpan } = ((context ?? {}) as { tracingContext?: { currentSpan?: NamedSpan } }).tracingContext ?? {};
  if (currentSpan?.type !== 'tool_call') return;
  const { serverName } = asRecord((tool as { mcpMetadata?: unknown }).mcpMetadata) ?? {};
  const isMcp = typeof serverName === 'string';
  try {
    currentSpan.update?.({
      name: isMcp ? `mcp_tool: '${name}' on '${serverName}'` : `tool: '${name}'`,
      attributes: { toolDescription: tool.description, ...(isMcp ? { mcpServer: serverName } : {}) },
    });
  } catch {
    // A tracer that throws must not end a run.
  }
}

interface NamedSpan {
  readonly type?: string;
  update?(options: object): void;
}

/**
 * Runs a tool within the call of `call_tool`, as Mastra's loop would run the tool itself.
 *
 * @param form - the tool as a step sends it; it is converted here unless Mastra has converted it.
 * @param context - the context of the `call_tool` call.
 */
export async function runWithin(form: object, called: NamedTool, args: object, context: unknown): Promise<unknown> {
  nameSpan(called, context);
  const { mastra, requestContext } = (context ?? {}) as WaitingCall & RunSettings;
  const settings = {
    ...settingsOf(context),
    name: called.name,
    requestContext,
    logger: mastra?.getLogger?.() ?? SILENT,
  };
  const converted = isMastraTool(form) ? makeCoreTool(form, settings as never) : form;
  return (converted as { execute?: Execute }).execute?.(args, asGivenByLoop(context));
}

/** One of the tool calls that a program makes within a single tool call of the agent. */
interface ProgramCall {
  /** The context of the program's own call. */
  readonly context: unknown;
  /** The number of the call in its program. */
  readonly place: number;
  readonly signal: AbortSignal;
  readonly suspend: () => Promise<void>;
}

/** Runs a tool in a program: like {@link runWithin}, but with its own span, id and signal. It cannot suspend the run. */
export async function runInProgram(form: object, called: NamedTool, args: object, call: ProgramCall): Promise<unknown> {
  const { place, signal, suspend } = call;
  const given = (call.context ?? {}) as ToolContext & RunSettings & { readonly requestContext?: RequestContext };
  const toolCallId = `${given.agent?.toolCallId ?? 'program'}:${place}`;
  const agent = given.agent && { ...given.agent, toolCallId, suspend, resumeData: undefined };
  const settings = {
    ...settingsOf(given),
    name: called.name,
    requestContext: given.requestContext,
    logger: given.mastra?.getLogger?.() ?? SILENT,
  };
  const converted = isMastraTool(form) ? makeCoreTool(form, settings as never) : form;
  const context = {
    ...asGivenByLoop({ ...given, agent }),
    toolCallId,
    suspend,
    abortSignal: signal,
    skipToolSpan: false,
  };
  return (converted as { execute?: Execute }).execute?.(args, context);
}

/** Finds a tool of the calling agent by its key or id, in the form that has the agent's hooks around it. */
export async function toolOfAgent(name: string, context: unknown): Promise<object | undefined> {
  const { agentId, mastra, runId, threadId, resourceId } = settingsOf(context);
  const agent = agentId === undefined ? undefined : mastra?.getAgentById?.(agentId as never);
  const { requestContext } = (context ?? {}) as WaitingCall;
  const asked = given({ runId, threadId, resourceId, requestContext });
  const tools = (await agent?.getToolsForExecution?.(asked as never)) as Readonly<Record<string, object>> | undefined;
  if (!tools) return undefined;
  if (Object.hasOwn(tools, name)) return tools[name];
  return Object.values(tools).find((tool) => (tool as { readonly id?: unknown }).id === name);
}

// Validated calls

type NamedTool = Pick<CatalogEntry, 'name' | 'tool'>;

/**
 * Runs a tool with its input validated once, as Mastra casts and validates the input of any tool: against the schema in the
 * shape for the model's provider. Invalid input returns Mastra's `{ error: true }`.
 */
export async function runValidated(
  { name, tool }: NamedTool,
  model: unknown,
  given: unknown,
  context: unknown,
): Promise<unknown> {
  const input = restored(tool, given);
  const { agent, resumeData, mastra } = (context ?? {}) as WaitingCall & RunSettings;
  // The input of a resumed call was validated before the call was suspended.
  if ((resumeData ?? agent?.resumeData) != null) return tool.execute?.(input as never, context as never);
  const probe = copyTool(withValidSchema(tool), { execute: (async (value: unknown) => ({ value })) as never });
  const settings = { name, model: modelOf(model), logger: mastra?.getLogger?.() ?? SILENT };
  const { execute } = makeCoreTool(probe, settings as never) as { execute?: Execute };
  const answer = asRecord(await execute?.(input, { skipToolSpan: true }));
  return answer?.['error'] === true ? answer : runAsValidated(tool)(answer?.['value'], context);
}

/** Runs a tool without validating its input a second time: a value that the schema transformed may not fit it. */
export function runAsValidated(tool: MastraTool): Execute {
  return async (input, context) => tool.execute?.(input as never, (await asValidated(context)) as never);
}

/** Whether a result is Mastra's answer to invalid input. */
export function isRefusedInput(result: unknown): result is { readonly message: string } {
  const { error, message } = asRecord(result) ?? {};
  return error === true && typeof message === 'string' && message.startsWith('Tool input validation failed');
}

/** Mastra reads the provider of any value that it is given as a model, so values of other kinds are left out. */
function modelOf(model: unknown): object | undefined {
  const { provider, modelId } = asRecord(model) ?? {};
  return typeof provider === 'string' && typeof modelId === 'string' ? (model as object) : undefined;
}

/** Returns the context of its call, after Mastra has marked the context as one with validated input. */
let noting: Execute | undefined;

/** A copy of a context, marked as Mastra marks the context of a call with validated input. */
async function asValidated(context: unknown): Promise<object> {
  const tool = { [MASTRA_TOOL_MARKER]: true, id: 'noting', inputSchema: ANYTHING };
  // Mastra marks a context only if a provider's compatibility layer handled the schema.
  const model = { provider: 'openai', modelId: 'gpt-4.1' };
  noting ??= (
    makeCoreTool(
      { ...tool, execute: async (_: unknown, its: unknown) => its } as never,
      { name: 'noting', model, logger: SILENT } as never,
    ) as { execute?: Execute }
  ).execute;
  const noted = (await noting?.({}, { skipToolSpan: true })) as Record<PropertyKey, unknown>;
  for (const field of Reflect.ownKeys(noted)) Reflect.deleteProperty(noted, field);
  return Object.assign(noted, context);
}

// Calls that belong to no step

/** The processor that owns the called tools, and what their calls need. */
export interface ToolOwner {
  readonly processor: object;
  /** Absent before Mastra registers the processor; no call can be resumed before that. */
  mastra?: Mastra;
  readonly lazyTools: Pick<LazyTools, 'forCall'>;
  /** The message for the model when the filter denies a call. */
  readonly notAvailable: (name: string) => string;
}

/**
 * Runs a tool as if Mastra had converted it at the start of the run: with validated input, a span, the ids of agent, thread
 * and resource, memory, a writer, and what suspends and resumes the call. Mastra's loop gives an unconverted tool only
 * what suspends and resumes the call.
 *
 * Without an id, the agent is found by its processor. If several agents share the processor, the agent's id, its memory
 * and the provider's schema are left out.
 */
export async function runResumed(
  { name, tool }: NamedTool,
  input: unknown,
  context: { readonly requestContext: RequestContext | undefined },
  owner: ToolOwner,
  known: RunSettings,
): Promise<unknown> {
  const mastra = owner.mastra ?? known.mastra;
  const { requestContext } = context;
  const agents: Agent[] = Object.values(mastra?.listAgents?.() ?? {});
  const agent = known.agentId
    ? agents.find(({ id }) => id === known.agentId)
    : await agentOf(agents, owner.processor, requestContext);
  const settings: RunSettings & Readonly<Record<string, unknown>> = {
    name,
    ...(await orUndefined(() => identifyRequest({ requestContext }))),
    requestContext,
    logger: mastra?.getLogger?.(),
    ...(agent ? await agentSettings(agent, requestContext) : {}),
    ...known,
    mastra,
  };
  const definition = await owner.lazyTools.forCall({ name, tool }, requestContext);
  const execute: Execute = (given, call) => runValidated({ name, tool: definition }, settings.model, given, call);
  const form = copyTool(definition, { inputSchema: ANYTHING as never, strict: false, execute: execute as never });
  return (makeCoreTool(form, settings as never) as { execute?: Execute }).execute?.(input, context);
}

/** Returns the one agent that has a processor. Undefined if several agents have it. */
async function agentOf(
  agents: readonly Agent[],
  processor: object,
  requestContext: RequestContext | undefined,
): Promise<Agent | undefined> {
  const own = await Promise.all(
    agents.map(async (agent) => {
      const processors = await orUndefined(() => agent.listConfiguredInputProcessors(requestContext));
      return (processors as readonly unknown[] | undefined)?.includes(processor) === true;
    }),
  );
  const found = agents.filter((_, position) => own[position]);
  return found.length === 1 ? found[0] : undefined;
}

async function agentSettings(agent: Agent, requestContext: RequestContext | undefined): Promise<object> {
  const options = requestContext ? { requestContext } : {};
  const [model, memory] = await Promise.all([
    orUndefined(() => agent.getModel(options)),
    orUndefined(() => agent.getMemory(options)),
  ]);
  return { agentId: agent.id, agentName: agent.name, tracingPolicy: agent.getTracingPolicy?.(), model, memory };
}

/** A setting that cannot be found must not fail the call. */
async function orUndefined<Value>(ask: () => MaybePromise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
