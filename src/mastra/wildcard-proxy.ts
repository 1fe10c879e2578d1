import { AsyncLocalStorage } from 'node:async_hooks';
import type { MastraTool, ToolContext } from '../catalog/tool.ts';
import type { Reporter } from '../events/reporter.ts';
import * as prompts from '../meta-tools/prompts.ts';
import { isHooked } from './internals.ts';
import { type Execute, KNOWN, type RegisteredTool, type RegisteredTools } from './marks.ts';
import { asGivenByLoop, proxyToolOf, settingsOf } from './proxy-tool.ts';

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

  /** The proxy tool for a run that begins. */
  proxyTool(): object {
    const run: Execute = async (_, context) => {
      const told = runs.getStore();
      if (!told) throw new Error(prompts.notAvailable(this.name));
      return told(context);
    };
    return proxyToolOf(this.name, { execute: run } as unknown as MastraTool, run);
  }

  /** A tool that was found since, as if it had been registered; undefined where no wildcard proxy was. */
  registeredFor(name: string, lightProxy: RegisteredTool, registered: RegisteredTools): RegisteredTool | undefined {
    const wildcard = registered.get(this.name);
    if (!wildcard || !isHooked(wildcard)) return wildcard && lightProxy;
    this.#reporter.report({
      type: 'option-doubt',
      option: 'tools',
      message: `The agent's hooks before and after tool calls are told "${this.name}" for a tool that its run has found in a source: they have to read "toolName" of the input.`,
    });
    const { execute } = lightProxy.tool as { readonly execute: Execute };
    const hooked: Execute = (input, context) => {
      const call = { toolName: name, arguments: input };
      const told: Told = (inner) => execute(call.arguments, withOwner(context, inner));
      return runs.run(told, () =>
        (wildcard.tool as { readonly execute: Execute }).execute(call, asGivenByLoop(context)),
      );
    };
    return { mark: lightProxy.mark, tool: { ...lightProxy.tool, execute: hooked } };
  }
}

/** Runs a call with the run's settings, as the wildcard proxy received them. */
type Told = (context: unknown) => Promise<unknown>;

/** The tool that a call through the wildcard proxy runs, behind the agent's hooks. */
const runs = new AsyncLocalStorage<Told>();

/** The context of a call with the run's settings, as the wildcard proxy received them. */
function withOwner(context: unknown, told: unknown): object {
  const call = (context ?? {}) as ToolContext;
  const settings = settingsOf(told);
  const { mastra } = (told ?? {}) as ToolContext;
  if (!call.agent) return { ...call, [KNOWN]: { ...settings, ...(mastra ? { mastra } : {}) } };
  return { ...call, agent: { ...call.agent, agentId: settings.agentId ?? '' } };
}
