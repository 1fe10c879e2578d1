import type { AgentConfig } from '@mastra/core/agent';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { calls, type Rig, type RigOptions, rig } from '../../support/harness.ts';
import { type Script, toolResults } from '../../support/scripted-model.ts';

/** A call of a tool through the bridge. */
export const through = (toolName: string, args: unknown = {}): { toolName: string; input: unknown } => ({
  toolName: 'call_tool',
  input: { toolName, arguments: args },
});

interface Setup extends Omit<RigOptions, 'script' | 'agent'> {
  readonly agent?: Partial<AgentConfig> | object;
  /** What a processor behind this one does with each step. */
  readonly later?: (step: { tools?: object; activeTools?: string[] }) => object;
}

/** An agent in call mode, with its events. */
export function callRig(
  options: Partial<ToolSearchProcessorOptions>,
  script: Script,
  { later, agent, ...setup }: Setup = {},
): Rig & { readonly events: ToolSearchEvent[] } {
  const events: ToolSearchEvent[] = [];
  const given = { mode: 'call', onEvent: (event) => events.push(event), ...options } as ToolSearchProcessorOptions;
  const behind = later && [new ToolSearchProcessor(given), { id: 'later', processInputStep: later }];
  const whole = { ...agent, ...(behind ? { inputProcessors: behind } : {}) };
  return { ...rig(given, { script, ...setup, agent: whole } as RigOptions), events };
}

/** What the model reads of these calls, one a step, and the rig. */
export async function answersTo(
  options: Partial<ToolSearchProcessorOptions>,
  toolCalls: Parameters<typeof calls>,
  { run = {}, ...setup }: Setup & { readonly run?: object } = {},
): Promise<ReturnType<typeof callRig> & { readonly values: readonly unknown[] }> {
  const made = callRig(options, calls(...toolCalls), setup);
  await made.agent.generate('go', { maxSteps: 9, ...run });
  return { ...made, values: toolResults(made.model.calls.at(-1)!.prompt).map(({ value }) => value) };
}
