import type { RequestContext } from '@mastra/core/request-context';
import { asRecord } from '../util/record.ts';
import { inTime } from '../util/timeout.ts';
import { type AnyTool, MASTRA_TOOL_MARKER, type MastraTool, type ToolContext, toMastraTool } from './tool.ts';

/**
 * A tool whose definition comes on demand. It is searched by what it has here, and resolved when it is loaded or called,
 * once in a run.
 *
 * @example
 * ```ts
 * const stub: ToolStub = {
 *   id: 'send_email',
 *   description: 'Send an email.',
 *   parameters: ['to', 'subject', 'body'],
 *   resolve: async () => (await mcp.listTools())['mail_send_email']!,
 * };
 * new ToolSearchProcessor({ tools: { send_email: stub } });
 * ```
 */
export interface ToolStub {
  /** The name that the model calls. */
  readonly id: string;
  readonly description: string;
  /** Other words for the tool. */
  readonly keywords?: readonly string[];
  /** The names of its parameters. */
  readonly parameters?: readonly string[];
  /** Returns the tool. `timeouts.tools` bounds it. */
  readonly resolve: (args: { requestContext?: RequestContext }) => AnyTool | Promise<AnyTool>;
}

/** Whether a value is a lazy tool: it has a `resolve`, and nothing that makes it a tool. */
export function isLazyTool(value: unknown): value is ToolStub {
  const fields = asRecord(value);
  if (!fields || typeof fields['resolve'] !== 'function' || typeof fields['id'] !== 'string') return false;
  return fields['execute'] === undefined && fields['inputSchema'] === undefined && !(MASTRA_TOOL_MARKER in fields);
}

/** Milliseconds that a placeholder waits by itself, where no run bounds it. */
const TIMEOUT = 10_000;

/** The lazy tools behind placeholders. */
const lazyTools = new WeakMap<object, ToolStub>();
/** Cache: placeholders by lazy tool, so that a lazy tool that comes again with the next request is not read again. */
const placeholders = new WeakMap<ToolStub, MastraTool>();

/** The stub behind a placeholder; undefined for any other tool. */
export function lazyToolOf(tool: object): ToolStub | undefined {
  return lazyTools.get(tool);
}

/**
 * Asks a lazy tool for its tool, in so many milliseconds.
 *
 * @throws what `resolve` throws, whichever way it does.
 */
export function resolveLazyTool(
  stub: ToolStub,
  requestContext: RequestContext | undefined,
  timeout: number,
): Promise<AnyTool> {
  return inTime((async () => stub.resolve(requestContext ? { requestContext } : {}))(), timeout);
}

/**
 * The tool that stands in the catalog in place of a lazy tool's. It is what searches read and the filter is asked about, and
 * is never sent. Called, as by a run that goes on after a restart, it runs the tool itself.
 */
export function proxyOfLazyTool(name: string, stub: ToolStub): MastraTool {
  const known = placeholders.get(stub);
  if (known) return known;
  const { id, description, keywords, parameters: given } = stub;
  const parameters = Array.isArray(given) ? given.filter((each): each is string => typeof each === 'string') : [];
  const resolve = async (context: unknown): Promise<MastraTool> =>
    toMastraTool(name, await resolveLazyTool(stub, ((context ?? {}) as ToolContext).requestContext, TIMEOUT));
  const placeholder = {
    [MASTRA_TOOL_MARKER]: true,
    id,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((each) => [each, {}])),
      required: parameters,
    },
    metadata: { keywords },
    execute: async (input: unknown, context: unknown) =>
      (await resolve(context)).execute?.(input as never, context as never),
    // Asked by a run that is recovered: a call must not run without the approval that its tool wants.
    requireApproval: async (input: unknown, context: unknown) => {
      const { requireApproval } = await resolve(context);
      return typeof requireApproval === 'function'
        ? requireApproval(input as never, context as never)
        : requireApproval;
    },
  } as unknown as MastraTool;
  lazyTools.set(placeholder, stub);
  placeholders.set(stub, placeholder);
  return placeholder;
}
