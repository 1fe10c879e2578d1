import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { calls, type Rig, type RigOptions, rig } from '../../support/agent.ts';
import { type Script, toolResults } from '../../support/scripted-model.ts';

/** A call of a tool through the bridge. */
export const through = (toolName: string, args: unknown = {}): { toolName: string; input: unknown } => ({
  toolName: 'call_tool',
  input: { toolName, arguments: args },
});

interface Setup extends Omit<RigOptions, 'script'> {
  /** What a processor behind this one does with each step. */
  readonly later?: (step: { tools?: object; activeTools?: string[] }) => object;
}

/** An agent in call mode, with its events. */
export function callRig(
  options: Partial<ToolSearchProcessorOptions>,
  script: Script,
  { later, ...setup }: Setup = {},
): Rig {
  const behind = later ? [{ id: 'later', processInputStep: later }] : [];
  return rig({ mode: 'call', ...options }, { script, around: (own) => [own, ...behind], ...setup });
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
