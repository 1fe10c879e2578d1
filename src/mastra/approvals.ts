/**
 * Whether a tool call needs an approval, for a tool that `call_tool` runs instead of Mastra's loop. The rule is that of the
 * loop's `resolveToolApprovalVerdict()`: a function of the tool decides alone; else the tool or the run may require an
 * approval; and a function that throws requires one.
 *
 * @module
 */
import type { RequestContext } from '@mastra/core/request-context';
import type { MastraTool } from '../catalog/tool.ts';
import { asRecord, readContext } from '../util/record.ts';
import { readingOwnNames } from './schemas.ts';

/** The key of the request context under which Mastra's loop keeps a run's `requireToolApproval`. */
const ALL_NEED_APPROVAL = '__mastra_requireToolApproval';

/** The `requireToolApproval` of a run: false, true, or a function of a call. */
export type RunPolicy = unknown;

/** The policy of an Agent's run, from its request context. For a context that throws, all calls need an approval. */
export function policyIn(requestContext: RequestContext | undefined): RunPolicy {
  return readContext(requestContext, ALL_NEED_APPROVAL, true);
}

/** Objects by which a run is found in Mastra's registry of runs. */
interface RunOf {
  readonly requestContext?: RequestContext | undefined;
  readonly messageList?: unknown;
  readonly tools?: unknown;
}

/**
 * Returns the policy of a run. A DurableAgent keeps the policy in Mastra's registry of runs. Undefined if the policy is
 * unknown: another process began the run, or Mastra has no such registry.
 */
export async function policyOf(run: RunOf, mayBeDurable: boolean): Promise<KnownPolicy | undefined> {
  const policy = policyIn(run.requestContext);
  if (!mayBeDurable) return { policy, isDurable: false };
  try {
    const { globalRunRegistry } = await import('@mastra/core/agent/durable');
    // The registry yields undefined for an expired run.
    const entries = [...globalRunRegistry.values()].flatMap((entry) => (asRecord(entry) as Registered) ?? []);
    const own = entries.filter(
      ({ messageList, tools, baseTools }) =>
        isSame(messageList, run.messageList) || isSame(tools, run.tools) || isSame(baseTools, run.tools),
    );
    // Runs may share a request context: then the first policy that requires approvals counts.
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
  /** Whether the run is a DurableAgent's. */
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
 * @param context - what Mastra passes to a tool's approval function beside the input.
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
