/**
 * Proxy tools: what Mastra is given before a run in place of a tool, and how a call of the tool itself runs through it.
 *
 * - A proxy tool is converted by Mastra, so that its call gets the agent's id, hooks, tracing policy and memory.
 * - A lightweight proxy is not: it costs Mastra next to nothing, and comes back with the agent's hooks alone.
 * - A wildcard proxy is a proxy tool for the tools that a run over a source finds later.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { makeCoreTool } from '@mastra/core/utils';
import { MASTRA_TOOL_MARKER, type MastraTool, type ToolContext } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import * as prompts from '../meta-tools/prompts.ts';
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

/** The id of a call that only asks whose it is. */
const WHO = 'mastra-tool-search.who';

type Executable = { readonly execute: Execute };

/**
 * A tool without its definition, for Mastra to convert. There is nothing in it that could not be converted, and no trace of
 * a run shows more of it than its name. `resumed` runs a call that belongs to no step.
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
    // Keeps the schema away from Mastra's compatibility layers, which take ten times as long as the rest.
    strict: false,
    onOutput: markedOutput((output) => tool.onOutput?.(output), mark),
    ...(typeof tool.execute === 'function' ? { execute } : {}),
  };
}

/** A tool without its definition, which Mastra does not convert: one for all runs, as a call brings its run with it. */
export function lightProxyOf(name: string, tool: MastraTool, resumed: Execute): RegisteredTool {
  const execute: Execute = (input, context) =>
    ((context ?? {}) as { [RUN]?: Execute })[RUN]?.(input, context) ?? resumed(input, context);
  const mark: Mark = { name, kind: 'light-proxy' };
  return { mark, tool: { id: name, ...whatTheLoopReads(tool), [MARK]: mark, execute } };
}

/** Runs a call of a step's tool through its proxy, so behind the agent's hooks, and with what Mastra gives the proxy. */
export function throughProxy({ tool, mark }: RegisteredTool, run: Execute, registered: RegisteredTools): Execute {
  const { execute } = tool as Executable;
  if (mark.kind === 'light-proxy') {
    return async (input, context) => {
      const call = (context ?? {}) as ToolContext;
      const { agent } = call;
      // The id stays empty where the agent has hooks, as in @mastra/core.
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
 * The settings of a run, from the first proxy tool of it. Undefined where there is none, and where the agent has hooks:
 * they would take the question for a call of the model.
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

/** The name of Mastra's function around a tool's `execute`: none. */
let convertedName: string | undefined;

/** Whether the agent's hooks stand around a converted tool. In doubt they do. */
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
  readonly #reporter: Reporter;

  /** @param name - one that no tool has. */
  constructor(name: string, reporter: Reporter) {
    this.name = name;
    this.#reporter = reporter;
  }

  proxyTool(): object {
    const run: Execute = async (_, context) => {
      const runWith = foundRuns.getStore();
      if (!runWith) throw new Error(prompts.notAvailable(this.name));
      return runWith(context);
    };
    return proxyToolOf(this.name, { execute: run } as unknown as MastraTool, run);
  }

  /** A tool that was found since, as if it had been registered; undefined where no wildcard proxy was. */
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

/** Runs the tool of a call through the wildcard proxy, with the context that this received behind the agent's hooks. */
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
 * The fields that Mastra's loop itself reads of a tool around its call, in the form of a converted one. Without
 * `requireApproval` a run that is recovered after a crash would not ask for the approval.
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

/** The fields that Mastra's conversion reads of a tool: those of its loop, and what it makes the tool's span of. */
function whatConversionReads(tool: CallFields): object {
  const { onInputAvailable, transform, background, suspendSchema, mcpMetadata } = tool;
  return given({
    requireApproval: readingOwnNames(tool, tool.requireApproval),
    needsApprovalFn: readingOwnNames(tool, tool.needsApprovalFn),
    ...{ onInputAvailable, toModelOutput: ofResults(tool.toModelOutput) },
    ...{ transform, background, suspendSchema, mcpMetadata },
  });
}

/** Makes for the model of results what the tool makes of them, and leaves the refusal of an input as it is. */
function ofResults(toModelOutput: unknown): unknown {
  if (typeof toModelOutput !== 'function') return toModelOutput;
  return (output: unknown): unknown => (isRefusedInput(output) ? undefined : toModelOutput(output));
}
