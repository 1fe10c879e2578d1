/**
 * Runs the calls of tools as Mastra would have done, had it converted the tool itself at the start of the run. The schemas of
 * such tools run code of their own, which no call may reach before its approval and the agent's hooks; so their input is
 * validated here, behind both.
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

/** The context that Mastra made of a call's, as the loop would have given it. */
export function asGivenByLoop(context: unknown): object {
  const { agent, ...others } = (context ?? {}) as ToolContext;
  // The call has a span already.
  return { ...others, ...agent, skipToolSpan: true };
}

/** The context of a call, of a converted tool's or of Mastra's loop itself, as far as it tells of a wait. */
interface WaitingCall {
  readonly agent?: { readonly resumeData?: unknown };
  readonly resumeData?: unknown;
  readonly requestContext?: RequestContext;
}

/**
 * Whether a call that runs now may have waited for an approval or an answer, for as long as it took. Mastra does not
 * say of an approved call that it was, so every call of a tool that needs approval may have.
 */
export function mayHaveWaited(tool: MastraTool, context: unknown): boolean {
  const { agent, resumeData, requestContext } = (context ?? {}) as WaitingCall;
  if (agent?.resumeData !== undefined || resumeData !== undefined) return true;
  return needsApproval(tool) || Boolean(policyIn(requestContext));
}

/** Names the span of a call through `call_tool` after the tool that runs, as Mastra names it. */
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
    // A tracer that is out of order is no reason to end a run.
  }
}

interface NamedSpan {
  readonly type?: string;
  update?(options: object): void;
}

/**
 * Runs a tool within the call of `call_tool`, as Mastra's loop would run the tool itself.
 *
 * @param form - the tool as a step sends it. What Mastra has not converted is converted here.
 * @param context - that of the call of `call_tool`.
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

/** A call of a tool in a program, beside others of the same call of the agent. */
interface ProgramCall {
  /** The context of the program's own call. */
  readonly context: unknown;
  /** The number of the call in its program. */
  readonly place: number;
  readonly signal: AbortSignal;
  readonly suspend: () => Promise<void>;
}

/** Runs a tool in a program: as {@link runWithin} does, with a span, an id and a signal of its own. It cannot suspend the run. */
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

/** A tool of the agent that a call belongs to, by the name that a model calls, with the agent's hooks around it. */
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
 * Runs a tool with its input validated once, as Mastra casts and validates that of any other tool, with the schema as it is
 * shaped for a model's provider. Input that does not fit gives Mastra's `{ error: true }`.
 */
export async function runValidated(
  { name, tool }: NamedTool,
  model: unknown,
  given: unknown,
  context: unknown,
): Promise<unknown> {
  const input = restored(tool, given);
  const { agent, resumeData, mastra } = (context ?? {}) as WaitingCall & RunSettings;
  // It was validated when the call was made.
  if ((resumeData ?? agent?.resumeData) != null) return tool.execute?.(input as never, context as never);
  const probe = copyTool(withValidSchema(tool), { execute: (async (value: unknown) => ({ value })) as never });
  const settings = { name, model: modelOf(model), logger: mastra?.getLogger?.() ?? SILENT };
  const { execute } = makeCoreTool(probe, settings as never) as { execute?: Execute };
  const answer = asRecord(await execute?.(input, { skipToolSpan: true }));
  return answer?.['error'] === true ? answer : runAsValidated(tool)(answer?.['value'], context);
}

/** Runs a tool whose input was validated, so that it does not validate it again: a transformed value may not fit. */
export function runAsValidated(tool: MastraTool): Execute {
  return async (input, context) => tool.execute?.(input as never, (await asValidated(context)) as never);
}

/** Whether a result is what Mastra says of an input that does not fit. */
export function isRefusedInput(result: unknown): result is { readonly message: string } {
  const { error, message } = asRecord(result) ?? {};
  return error === true && typeof message === 'string' && message.startsWith('Tool input validation failed');
}

/** Mastra looks at the provider of whatever it is given. */
function modelOf(model: unknown): object | undefined {
  const { provider, modelId } = asRecord(model) ?? {};
  return typeof provider === 'string' && typeof modelId === 'string' ? (model as object) : undefined;
}

/** A tool that returns the context of its call, which Mastra notes as one with validated input. */
let noting: Execute | undefined;

/** A copy of a context that Mastra takes for that of a call with validated input. */
async function asValidated(context: unknown): Promise<object> {
  const tool = { [MASTRA_TOOL_MARKER]: true, id: 'noting', inputSchema: ANYTHING };
  // Mastra notes it where a provider's layer had a say in the schema.
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

/** Whose tools are called. */
export interface ToolOwner {
  readonly processor: object;
  /** Absent before the registration, when nothing can be resumed. */
  mastra?: Mastra;
  readonly lazyTools: Pick<LazyTools, 'forCall'>;
  /** The sentence for the model of a call that the filter denies. */
  readonly notAvailable: (name: string) => string;
}

/**
 * Runs a tool as if Mastra had converted it at the start of the run: with its input validated, a span, the ids of
 * agent, thread and resource, memory, writer, and what suspends it and resumed it. Mastra's loop gives a tool that is
 * not converted only the last.
 *
 * Without its id, the agent is found by its processor. Where several agents have this very one, the id, the memory and
 * the provider's schema are left out.
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

/** The one agent that has a processor; undefined where several have it. */
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

/** A call must not fail of a setting that cannot be found out. */
async function orUndefined<Value>(ask: () => MaybePromise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch {
    return undefined;
  }
}
