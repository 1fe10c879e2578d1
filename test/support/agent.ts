import { Agent, type AgentConfig } from '@mastra/core/agent';
import { createDurableAgent, type DurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore, type MastraCompositeStore } from '@mastra/core/storage';
import { createTool, type ToolExecutionContext } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { z } from 'zod';
import {
  type MastraTool,
  type ToolSearchEvent,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from '../../src/index.ts';
import { lastToolResult, type ModelVersion, type Script, type ScriptedModel, scriptedModel } from './scripted-model.ts';

/** A small tool that answers with what it got. */
export function tool(id: string, description = `Does ${id.replaceAll('_', ' ')}.`, extra: object = {}): MastraTool {
  return createTool({
    id,
    description,
    inputSchema: z.object({ text: z.string().optional() }),
    execute: async (input: { text?: string }) => ({ ran: id, input }),
    ...extra,
  } as never) as MastraTool;
}

/** A small tool that suspends itself until it has an answer. */
export function askingTool(id: string): MastraTool {
  return tool(id, 'Asks the boss.', {
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ answer: z.string() }),
    execute: async (_input: unknown, context: ToolExecutionContext<unknown>) => {
      const answer = (context.agent?.resumeData as { answer: string } | undefined)?.answer;
      return answer === undefined ? context.agent?.suspend({ question: 'Sure?' }) : { answer };
    },
  });
}

export function toolRecord(...tools: readonly MastraTool[]): Record<string, MastraTool> {
  return Object.fromEntries(tools.map((entry) => [entry.id, entry]));
}

/** Made once: Mastra converts the schema of each tool, and remembers it by the tool. */
const fillers: MastraTool[] = [];

/** Tools that no query of these tests finds. */
export function fillerTools(count: number): Record<string, MastraTool> {
  while (fillers.length < count) fillers.push(tool(`filler_${fillers.length}`, `Padding number ${fillers.length}.`));
  return toolRecord(...fillers.slice(0, count));
}

export const weather: () => MastraTool = () => tool('get_weather', 'Get the current weather of a city.');
export const email: () => MastraTool = () => tool('send_email', 'Send an email message.');

/** The meta-tools of load mode. */
export const META: readonly string[] = ['search_tools', 'load_tool'];

/** Up to 500 tools Mastra converts all of them; above, a tool loaded in mid-run is dressed up by the processor. */
export const SIZES: readonly { readonly size: string; readonly fillers: Record<string, MastraTool> }[] = [
  { size: 'small', fillers: {} },
  { size: 'large', fillers: fillerTools(501) },
];

export const newMemory = (): Memory => new Memory({ storage: new InMemoryStore() });

/** A turn of a thread that is always the same. */
export const inThread = { memory: { thread: 't', resource: 'r' } } as const;

/** Registers an agent with a Mastra, which keeps its runs that wait. */
export function inMastra(agent: Agent, storage: MastraCompositeStore = new InMemoryStore()): void {
  new Mastra({ agents: { agent }, logger: false, storage });
}

/** The agent as a DurableAgent of a Mastra. */
export function durableOf(agent: Agent): DurableAgent {
  const durable = createDurableAgent({ agent }) as unknown as DurableAgent;
  inMastra(durable as never);
  return durable;
}

/** Runs an agent as a DurableAgent to its end, and returns what it says. */
export async function runDurable(agent: Agent, text: unknown = 'go', options: object = {}): Promise<string> {
  const { output, cleanup } = await durableOf(agent).stream(text as string, options as never);
  await output.consumeStream();
  const said = await output.text;
  cleanup();
  return said;
}

/** The ways in which an agent runs to its end. */
export const RUNS: readonly {
  readonly how: string;
  readonly run: (agent: Agent, text: string, options?: object) => Promise<unknown>;
}[] = [
  { how: 'generate', run: (agent, text, options = {}) => agent.generate(text, options) },
  { how: 'stream', run: async (agent, text, options = {}) => (await agent.stream(text, options)).consumeStream() },
  { how: 'a DurableAgent', run: runDurable },
];

/** Approves the call that a run of `generate` waits for. */
export function approve(
  agent: Pick<Agent, 'approveToolCallGenerate'>,
  { runId = '', suspendPayload }: { readonly runId?: string | undefined; readonly suspendPayload?: unknown },
  options: object = {},
): ReturnType<Agent['approveToolCallGenerate']> {
  const { toolCallId } = suspendPayload as { toolCallId: string };
  return agent.approveToolCallGenerate({ runId, toolCallId, ...options } as never);
}

export interface Rig {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly processor: ToolSearchProcessor;
  /** What the processor reported. */
  readonly events: ToolSearchEvent[];
}

export interface RigOptions {
  readonly script?: Script;
  readonly version?: ModelVersion;
  readonly provider?: string;
  readonly modelId?: string;
  /** In place of what a rig has. */
  readonly agent?: Partial<AgentConfig> | object;
  /** The agent's input processors; by default this one alone. */
  readonly around?: (processor: ToolSearchProcessor) => readonly unknown[];
  /** Where the processor stands as well. */
  readonly also?: readonly ('errorProcessors' | 'outputProcessors')[];
}

/** An agent over a processor with a scripted model. The default script searches, loads the first result and calls it. */
export function rig(options: Partial<ToolSearchProcessorOptions>, setup: RigOptions = {}): Rig {
  const { script = searchLoadCall('weather'), version = 'v3', provider, modelId } = setup;
  const { around = (one) => [one], also = [] } = setup;
  const model = scriptedModel(script, {
    version,
    ...(provider === undefined ? {} : { provider }),
    ...(modelId === undefined ? {} : { modelId }),
  });
  const events: ToolSearchEvent[] = [];
  const onEvent = (event: ToolSearchEvent): void => {
    events.push(event);
    options.onEvent?.(event);
  };
  const processor = new ToolSearchProcessor({ ...options, onEvent } as ToolSearchProcessorOptions);
  const agent = new Agent({
    id: 'test-agent',
    name: 'Test Agent',
    instructions: 'Help.',
    model: model as never,
    inputProcessors: around(processor),
    ...Object.fromEntries(also.map((place) => [place, [processor]])),
    ...setup.agent,
  } as AgentConfig);
  return { agent, model, processor, events };
}

/** search_tools → load_tool on the first result → that tool → text, each from what the model really got. */
export function searchLoadCall(query: string, input: object = {}): Script {
  return ({ prompt, step }) => {
    if (step === 0) return { toolCalls: [{ toolName: 'search_tools', input: { query } }] };
    const found = lastToolResult(prompt, 'search_tools')?.value as { results: { name: string }[] } | undefined;
    const name = found?.results[0]?.name;
    if (name === undefined) return { text: 'nothing found' };
    if (step === 1) return { toolCalls: [{ toolName: 'load_tool', input: { toolName: name } }] };
    if (step === 2) return { toolCalls: [{ toolName: name, input }] };
    return { text: 'done' };
  };
}

/** Calls these tools, one a step, then says done. */
export function calls(...toolCalls: { toolName: string; input: unknown }[]): Script {
  return ({ step }) => {
    const next = toolCalls[step];
    return next ? { toolCalls: [next] } : { text: 'done' };
  };
}

export const load = (toolName: string): { toolName: string; input: unknown } => ({
  toolName: 'load_tool',
  input: { toolName },
});
export const call = (toolName: string, input: unknown = {}): { toolName: string; input: unknown } => ({
  toolName,
  input,
});
export const search = (query: string): { toolName: string; input: unknown } => call('search_tools', { query });
