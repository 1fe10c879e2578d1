/**
 * Proxy tools stand in for the real tools. Mastra receives proxy tools before a run, and a call of a real tool runs
 * through its proxy.
 *
 * - A proxy tool is converted by Mastra, so that its call gets the agent's id, hooks, tracing policy and memory.
 * - A lightweight proxy is not converted: it costs Mastra next to nothing, and its call gets the agent's hooks alone.
 * - A wildcard proxy is one proxy tool for all tools that a run finds later in a source.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { makeCoreTool } from '@mastra/core/utils';
import { MASTRA_TOOL_MARKER, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import { asRecord, given } from '../util/record.ts';
import { needsApproval } from './approvals.ts';
import { asGivenByLoop, isRefusedInput } from './calls.ts';
import {
  type Execute,
  KNOWN,
  MARK,
  type Mark,
  markedOutput,
  type RegisteredTool,
  type RegisteredTools,
  RUN,
  type RunSettings,
  settingsOf,
} from './marks.ts';
import { ANYTHING, readingOwnNames } from './schemas.ts';

/** The id of a call that only asks for the settings of its run. */
const WHO = 'mastra-tool-search.who';

type Executable = { readonly execute: Execute };

/**
 * Makes a proxy tool: a tool without its definition, for Mastra to convert. Its conversion cannot fail, and the trace
 * of a run shows only its name. `resumed` runs a call that belongs to no step.
 */
export function proxyToolOf(name: string, tool: MastraTool, resumed: Execute): object {
  const mark: Mark = { name, kind: 'proxy' };
  const execute: Execute = async (input, context) => {
    if (((context ?? {}) as ToolContext).agent?.toolCallId === WHO) return settingsOf(context);
    return (mark.execute ?? resumed)(input, context);
  };
  return {
    ...whatConversionReads(tool),
    [MASTRA_TOOL_MARKER]: true,
    id: name,
    inputSchema: ANYTHING,
    // Keeps the schema away from Mastra's compatibility layers, which take ten times as long as the rest of the
    // conversion.
    strict: false,
    onOutput: markedOutput((output) => tool.onOutput?.(output), mark),
    ...(typeof tool.execute === 'function' ? { execute } : {}),
  };
}

/**
 * Makes a lightweight proxy: a tool without its definition, which Mastra does not convert. One proxy serves all runs,
 * because the context of a call holds the function of its step.
 */
export function lightProxyOf(name: string, tool: MastraTool, resumed: Execute): RegisteredTool {
  const execute: Execute = (input, context) =>
    ((context ?? {}) as { [RUN]?: Execute })[RUN]?.(input, context) ?? resumed(input, context);
  const mark: Mark = { name, kind: 'light-proxy' };
  return { mark, tool: { id: name, ...whatTheLoopReads(tool), [MARK]: mark, execute } };
}

/**
 * Returns a function that runs a tool of a step through its proxy: after the agent's hooks, and with the context that
 * Mastra gives the proxy.
 */
export function throughProxy({ tool, mark }: RegisteredTool, run: Execute, registered: RegisteredTools): Execute {
  const { execute } = tool as Executable;
  if (mark.kind === 'light-proxy') {
    return async (input, context) => {
      const call = (context ?? {}) as ToolContext;
      const { agent } = call;
      // The agent id stays empty if the agent has hooks, as in @mastra/core.
      const agentId =
        agent && (agent.agentId || ((await settingsFrom(registered, call.requestContext))?.agentId ?? ''));
      const ofAgent = agent && { agent: { ...agent, agentId }, toolCallId: agent.toolCallId, messages: agent.messages };
      return execute(input, { ...call, [RUN]: run, ...ofAgent });
    };
  }
  mark.execute = run;
  return (input, context) => execute(input, asGivenByLoop(context));
}

/**
 * Asks the first proxy tool of a run for the settings of the run. Undefined if there is none, or if the agent has
 * hooks, which would take the question for a call of the model.
 */
export async function settingsFrom(
  registered: RegisteredTools,
  requestContext: unknown,
): Promise<RunSettings | undefined> {
  for (const { mark, tool } of registered.values()) {
    const { execute } = tool as Partial<Executable>;
    if (mark.kind !== 'proxy' || typeof execute !== 'function') continue;
    if (isHooked(execute)) return undefined;
    const call = { toolCallId: WHO, messages: [], skipToolSpan: true, requestContext };
    mark.settings ??= execute({}, call).then(
      (answer) => asRecord(answer) as RunSettings | undefined,
      () => undefined,
    );
    return mark.settings;
  }
  return undefined;
}

/** The name of the function that Mastra wraps around a tool's `execute`. It is expected to be empty. */
let convertedName: string | undefined;

/** Whether the agent's hooks are wrapped around a converted tool. True in doubt. */
function isHooked({ name }: Execute): boolean {
  const sample = { [MASTRA_TOOL_MARKER]: true, id: 'sample', description: '', execute: async () => '' };
  convertedName ??= (makeCoreTool(sample as never, { name: 'sample' } as never) as Executable).execute.name;
  return convertedName !== '' || name !== convertedName;
}

/**
 * A proxy of tools that are not known yet. Over a source, the tools that a run will find are unknown when it begins. This
 * proxy is registered in their place; a call through it gets the agent's id, its Mastra instance and its hooks.
 *
 * Hooks receive the registered name, here the proxy's. So its input names the tool, as that of `call_tool` does:
 * `{ toolName, arguments }`.
 */
export class WildcardProxy {
  readonly name: string;
  readonly #notAvailable: (name: string) => string;
  readonly #reporter: Reporter;

  /**
   * @param name - a name that no tool has.
   * @param notAvailable - returns the message for the model about a call that no step can run.
   */
  constructor(name: string, reporter: Reporter, notAvailable: (name: string) => string) {
    this.name = name;
    this.#notAvailable = notAvailable;
    this.#reporter = reporter;
  }

  proxyTool(): object {
    const run: Execute = async (_, context) => {
      const runWith = foundRuns.getStore();
      if (!runWith) throw new Error(this.#notAvailable(this.name));
      return runWith(context);
    };
    return proxyToolOf(this.name, { execute: run } as unknown as MastraTool, run);
  }

  /**
   * Returns the registered form of a tool that the run has found since. Undefined if no wildcard proxy was registered.
   */
  registeredFor(lightProxy: RegisteredTool, registered: RegisteredTools): RegisteredTool | undefined {
    const wildcard = registered.get(this.name);
    if (!wildcard) return undefined;
    const hooked = (wildcard.tool as Executable).execute;
    if (!isHooked(hooked)) return lightProxy;
    this.#reporter.report({
      type: 'option-doubt',
      option: 'tools',
      message: `The agent's hooks before and after tool calls are told "${this.name}" for a tool that its run has found in a source: they have to read "toolName" of the input.`,
    });
    const { mark, tool } = lightProxy;
    const { execute } = tool as Executable;
    const throughWildcard: Execute = (input, context) => {
      const call = { toolName: mark.name, arguments: input };
      const runWith: RunWith = (inner) => execute(input, withSettings(context, settingsOf(inner)));
      return foundRuns.run(runWith, () => hooked(call, asGivenByLoop(context)));
    };
    return { mark, tool: { ...tool, execute: throughWildcard } };
  }
}

type RunWith = (context: unknown) => Promise<unknown>;

/**
 * During a call through the wildcard proxy, holds the function that runs the called tool with the context that the
 * proxy receives after the agent's hooks.
 */
const foundRuns = new AsyncLocalStorage<RunWith>();

function withSettings(context: unknown, settings: RunSettings): object {
  const call = (context ?? {}) as ToolContext;
  if (!call.agent) return { ...call, [KNOWN]: settings };
  return { ...call, agent: { ...call.agent, agentId: settings.agentId ?? '' } };
}

/** The fields of a tool that Mastra reads around its call, some of which its types do not name. */
type CallFields = MastraTool & {
  readonly mcpMetadata?: unknown;
  readonly needsApprovalFn?: unknown;
  readonly transform?: unknown;
  readonly background?: unknown;
};

/**
 * The fields of a tool that Mastra's loop reads around a call, in the form of a converted tool. Without
 * `requireApproval`, a run that is recovered after a crash would not ask for the approval.
 */
function whatTheLoopReads(tool: CallFields): object {
  const { onInputAvailable, onOutput, toModelOutput, transform, background } = tool;
  const needsApprovalFn = [tool.requireApproval, tool.needsApprovalFn].find((it) => typeof it === 'function');
  return given({
    ...{ onInputAvailable, onOutput, toModelOutput: ofResults(toModelOutput), transform, backgroundConfig: background },
    needsApprovalFn: readingOwnNames(tool, needsApprovalFn),
    requireApproval: needsApproval(tool) || undefined,
    hasSuspendSchema: tool.suspendSchema ? true : undefined,
  });
}

/** The fields of a tool that Mastra's conversion reads: those for its loop, and those for the tool's span. */
function whatConversionReads(tool: CallFields): object {
  const { onInputAvailable, transform, background, suspendSchema, mcpMetadata } = tool;
  return given({
    requireApproval: readingOwnNames(tool, tool.requireApproval),
    needsApprovalFn: readingOwnNames(tool, tool.needsApprovalFn),
    ...{ onInputAvailable, toModelOutput: ofResults(tool.toModelOutput) },
    ...{ transform, background, suspendSchema, mcpMetadata },
  });
}

/** Applies a tool's `toModelOutput` to results, but not to Mastra's answer to invalid input. */
function ofResults(toModelOutput: unknown): unknown {
  if (typeof toModelOutput !== 'function') return toModelOutput;
  return (output: unknown): unknown => (isRefusedInput(output) ? undefined : toModelOutput(output));
}
