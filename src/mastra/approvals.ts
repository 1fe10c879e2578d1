/**
 * Whether a call of a tool needs an approval, for a tool that Mastra does not call itself: `call_tool` calls it. The rule is
 * that of Mastra's loop, `resolveToolApprovalVerdict()`: a function of the tool decides alone; else the tool or the run may
 * want one; and a policy that throws wants one.
 *
 * @module
 */
import type { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../catalog/tool.ts';
import { asRecord, readContext } from '../util/record.ts';
import { readingOwnNames } from './schemas.ts';

/** The key under which Mastra's loop keeps that all calls of a run need an approval. */
const ALL_NEED_APPROVAL = '__mastra_requireToolApproval';

/** The `requireToolApproval` of a run: false, true, or a function of a call. */
export type RunPolicy = unknown;

/** What an Agent's run says, as its request context keeps it. A context that throws wants approvals. */
export function policyIn(requestContext: RequestContext | undefined): RunPolicy {
  return readContext(requestContext, ALL_NEED_APPROVAL, true);
}

/** Whose run it is. */
interface RunOf {
  readonly requestContext?: RequestContext | undefined;
  readonly messageList?: unknown;
  readonly tools?: unknown;
}

/**
 * The policy of a run that may be a DurableAgent's, which keeps it in its registry of runs. Undefined where nobody knows it: the
 * step runs in another process than the one that began the run, or Mastra has no such registry.
 */
export async function policyOf(run: RunOf, mayBeDurable: boolean): Promise<KnownPolicy | undefined> {
  const policy = policyIn(run.requestContext);
  if (!mayBeDurable) return { policy, isDurable: false };
  try {
    const { globalRunRegistry } = await import('@mastra/core/agent/durable');
    // One that has expired is undefined.
    const entries = [...globalRunRegistry.values()].flatMap((entry) => (asRecord(entry) as Registered) ?? []);
    const own = entries.filter(
      ({ messageList, tools, baseTools }) =>
        isSame(messageList, run.messageList) || isSame(tools, run.tools) || isSame(baseTools, run.tools),
    );
    // Runs may share a request context: then that of any of them counts.
    const found = own.length > 0 ? own : entries.filter((entry) => isSame(entry.requestContext, run.requestContext));
    if (found.some((entry) => !('requireToolApproval' in entry))) return undefined;
    const [first] = found.flatMap(({ requireToolApproval }) => requireToolApproval || []);
    if (found.length > 0) return { policy: first ?? policy, isDurable: true };
    return { policy, isDurable: false };
  } catch {
    return undefined;
  }
}

interface KnownPolicy {
  readonly policy: RunPolicy;
  /** Whether it is a DurableAgent's run. */
  readonly isDurable: boolean;
}

interface Registered extends RunOf {
  readonly baseTools?: unknown;
  readonly requireToolApproval?: RunPolicy;
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && one === other;
}

export function needsApproval(tool: MastraTool): boolean {
  const { needsApprovalFn } = tool as { readonly needsApprovalFn?: unknown };
  return Boolean(tool.requireApproval) || typeof needsApprovalFn === 'function';
}

/**
 * Whether a call needs an approval.
 *
 * @param context - what Mastra gives a tool's function beside the input.
 */
export async function approvalOf(
  { name, tool, args }: { readonly name: string; readonly tool: MastraTool; readonly args: object },
  context: unknown,
  policy: RunPolicy,
): Promise<boolean> {
  const { requireApproval, needsApprovalFn } = tool as { requireApproval?: unknown; needsApprovalFn?: unknown };
  const own = [requireApproval, needsApprovalFn].find((it) => typeof it === 'function');
  try {
    if (own) return Boolean(await (readingOwnNames(tool, own) as Ask)(args, context));
    if (requireApproval) return true;
    return Boolean(
      typeof policy === 'function' ? await policy({ ...asRecord(context), toolName: name, args }) : policy,
    );
  } catch {
    return true;
  }
}

type Ask = (input: object, context: unknown) => unknown;
