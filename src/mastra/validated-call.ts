import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import { makeCoreTool } from '@mastra/core/utils';
import { copyTool, MASTRA_TOOL_MARKER, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import { asRecord, readContext } from '../util/record.ts';
import type { Execute } from './marks.ts';

/**
 * Calls of tools whose input Mastra did not validate when it converted what stands for them: their schemas run code of their
 * own, which no call may reach before its approval and the agent's hooks. `internals.ts` quotes
 * the lines of Mastra that this leans on.
 *
 * @module
 */

/** Lets every input pass. */
export const ANYTHING: object = {
  '~standard': {
    version: 1,
    vendor: 'mastra-tool-search',
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
    validate: (value: unknown) => ({ value }),
  },
};

/** A tool under the name that the model calls. */
interface NamedTool {
  readonly name: string;
  readonly tool: MastraTool;
}

/**
 * Runs a tool with its input validated once, as Mastra casts and validates that of any other tool.
 *
 * @param model - for whose provider the schema was shaped; undefined where none is known.
 * @returns what the tool returns, or Mastra's `{ error: true }` for input that does not fit.
 */
export async function runValidated(
  { name, tool }: NamedTool,
  model: unknown,
  input: unknown,
  context: unknown,
): Promise<unknown> {
  const { agent, resumeData, mastra } = (context ?? {}) as ToolContext & Resumed;
  // It was validated when the call was made.
  if ((resumeData ?? (agent as Resumed | undefined)?.resumeData) != null)
    return tool.execute?.(input as never, context as never);
  const probe = copyTool(tool, { execute: (async (value: unknown) => ({ value })) as never });
  const settings = { name, model: modelOf(model), logger: (mastra as Mastra | undefined)?.getLogger?.() ?? SILENT };
  const { execute } = makeCoreTool(probe, settings as never) as { execute?: Execute };
  const answer = asRecord(await execute?.(input, { skipToolSpan: true }));
  return answer?.['error'] === true ? answer : runAsValidated(tool, answer?.['value'], context);
}

/** Runs a tool whose input was validated, so that it does not validate it again: a transformed value may not fit. */
export async function runAsValidated(tool: MastraTool, input: unknown, context: unknown): Promise<unknown> {
  return tool.execute?.(input as never, (await asValidated(context)) as never);
}

/** Whether a result is what Mastra says of an input that does not fit. */
export function isRefusedInput(result: unknown): result is { readonly message: string } {
  const { error, message } = asRecord(result) ?? {};
  return error === true && typeof message === 'string' && message.startsWith('Tool input validation failed');
}

interface Resumed {
  readonly resumeData?: unknown;
}

/** A logger that says nothing. */
export const SILENT: object = { debug() {}, info() {}, warn() {}, error() {}, trackException() {} };

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

/** The key under which Mastra's loop keeps that all calls of a run need an approval. */
const ALL_NEED_APPROVAL = '__mastra_requireToolApproval';

/** The parts of a call's context that tell of a wait: of a tool's, and of Mastra's loop itself. */
interface CallContext {
  readonly agent?: { readonly resumeData?: unknown };
  readonly resumeData?: unknown;
  readonly requestContext?: RequestContext;
}

/**
 * Whether a call that runs now may have waited for an approval or an answer, for as long as it took. Mastra does not
 * say of an approved call that it was, so every call of a tool that needs approval may have.
 */
export function mayHaveWaited(tool: MastraTool, context: unknown): boolean {
  const { agent, resumeData, requestContext } = (context ?? {}) as CallContext;
  if (agent?.resumeData !== undefined || resumeData !== undefined) return true;
  return needsApproval(tool) || Boolean(readContext(requestContext, ALL_NEED_APPROVAL, true));
}

/** Whether a run decides for each call, by the name of its tool, whether it needs an approval. */
export function isDecidedByName(context: unknown): boolean {
  const { requestContext } = (context ?? {}) as CallContext;
  return typeof readContext(requestContext, ALL_NEED_APPROVAL, isDecidedByName) === 'function';
}

/**
 * The fields that Mastra's loop itself reads of a tool around its call, in the form of a converted one. Without
 * `requireApproval` a run that is recovered after a crash would not ask for the approval.
 */
export function whatTheLoopReads(tool: MastraTool): object {
  const { onInputAvailable, onOutput, toModelOutput, transform, background } = tool as MastraTool & LoopFields;
  const decides = [tool.requireApproval, (tool as LoopFields).needsApprovalFn].find((it) => typeof it === 'function');
  const fields = {
    onInputAvailable,
    onOutput,
    toModelOutput: ofResults(toModelOutput),
    transform,
    backgroundConfig: background,
    needsApprovalFn: decides,
    requireApproval: needsApproval(tool),
    hasSuspendSchema: Boolean(tool.suspendSchema),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== false));
}

/** The fields that Mastra's conversion reads of a tool: those of its loop, and what it makes the tool's span of. */
export function whatConversionReads(tool: MastraTool): object {
  const { requireApproval, onInputAvailable, toModelOutput, mcpMetadata } = tool as MastraTool & LoopFields;
  const { needsApprovalFn, transform, background, suspendSchema } = tool as MastraTool & LoopFields;
  const fields = {
    requireApproval,
    needsApprovalFn,
    onInputAvailable,
    toModelOutput: ofResults(toModelOutput),
    transform,
    background,
    suspendSchema,
    mcpMetadata,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Makes for the model of results what the tool makes of them, and leaves the refusal of an input as it is. */
function ofResults(toModelOutput: unknown): unknown {
  if (typeof toModelOutput !== 'function') return toModelOutput;
  return (output: unknown): unknown => (isRefusedInput(output) ? undefined : toModelOutput(output));
}

interface LoopFields {
  readonly mcpMetadata?: unknown;
  readonly needsApprovalFn?: unknown;
  readonly transform?: unknown;
  readonly background?: unknown;
}

/** Whether calls of a tool may need an approval. */
export function needsApproval(tool: MastraTool): boolean {
  return Boolean(tool.requireApproval) || typeof (tool as LoopFields).needsApprovalFn === 'function';
}
