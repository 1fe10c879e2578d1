import type { RequestContext } from '@mastra/core/request-context';
import type { Catalog } from '../../catalog/catalog.ts';
import type { LazyTools } from '../../catalog/lazy-tools.ts';
import type { MastraTool } from '../../catalog/tool.ts';
import { threadScopeOf } from '../../loaded/identity.ts';
import { policyIn } from '../../mastra/approvals.ts';
import { runWithin, toolOfAgent } from '../../mastra/calls.ts';
import type { Execute } from '../../mastra/marks.ts';
import { proxyToolOf } from '../../mastra/proxy-tools.ts';
import { asObject } from '../../meta-tools/meta-tool.ts';
import * as prompts from '../../meta-tools/prompts.ts';
import { spelledAlike } from '../../util/suggest.ts';
import { inSlices } from '../../util/time-slices.ts';
import { AroundCalls, type Called } from './around.ts';
import { readCall } from './written-call.ts';

/** The tools that calls of a run may refer to. */
export interface CallableTools {
  readonly catalog: Catalog;
  /** The agent's own tools, by key. */
  readonly own: Readonly<Record<string, unknown>>;
}

/**
 * The `call_tool` that Mastra registers before a run. A call that is resumed after a restart belongs to no step. Such a call
 * runs through this tool, as a call of the agent's tool with the called name.
 */
export class RegisteredBridge {
  readonly #name: string;
  readonly #lazyTools: Pick<LazyTools, 'forCall'>;

  constructor(name: string, lazyTools: Pick<LazyTools, 'forCall'>) {
    this.#name = name;
    this.#lazyTools = lazyTools;
  }

  proxyTool(tools: CallableTools, requestContext: RequestContext | undefined): Record<string, MastraTool> {
    const calledIn = (input: unknown): Promise<Called | undefined> => this.#calledIn(input, tools, requestContext);
    const around = new AroundCalls(calledIn, { policy: () => policyIn(requestContext), isDurable: false });
    const run: Execute = async (input, context) => {
      const called = await calledIn(input);
      const tool = called && (await toolOfAgent(called.name, context));
      if (!tool) throw new Error(prompts.notAvailable(called?.name ?? readCall(asObject(input)).toolName));
      const result = await runWithin(tool, called, called.args, context);
      around.note((context as { agent?: { toolCallId?: unknown } }).agent?.toolCallId, called, result);
      return result;
    };
    const transforms = [...tools.catalog.entries].some(({ tool }) => (tool as { transform?: unknown }).transform);
    const transform = transforms ? { transform: around.transform } : {};
    const tool = { ...around.fields, ...transform, execute: run } as unknown as MastraTool;
    return { [this.#name]: proxyToolOf(this.#name, tool, run) as MastraTool };
  }

  async #calledIn(
    input: unknown,
    { catalog, own }: CallableTools,
    requestContext: RequestContext | undefined,
  ): Promise<Called | undefined> {
    const { toolName, argumentsFor } = readCall(asObject(input));
    await catalog.reach([toolName], { scope: () => threadScopeOf({ requestContext }) });
    const name = await nameOf(toolName, catalog, own);
    const entry = catalog.get(name);
    const given = entry?.tool ?? (Object.hasOwn(own, name) ? (own[name] as MastraTool) : undefined);
    if (!given) return undefined;
    const tool = entry ? await this.#lazyTools.forCall(entry, requestContext) : given;
    return { name: entry?.name ?? name, tool, args: argumentsFor(tool) ?? {} };
  }
}

/** The name of the one tool that `written` refers to. Without a step, several candidates cannot be narrowed by permissions. */
async function nameOf(written: string, catalog: Catalog, own: Readonly<Record<string, unknown>>): Promise<string> {
  if (catalog.get(written) || Object.hasOwn(own, written)) return written;
  const [alike = []] = await inSlices(spelledAlike(written, [...catalog.spellings(), ...Object.keys(own)]));
  return alike.length === 1 ? (alike[0] ?? written) : written;
}
