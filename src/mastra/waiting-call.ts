import type { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../catalog/tool.ts';
import { readContext } from '../util/request-context.ts';
import { isRefusedInput } from './validated-call.ts';

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
