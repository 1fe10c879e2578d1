import type { AgentConfig } from '@mastra/core/agent';
import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { type Rig, type RigOptions, rig } from '../../support/harness.ts';
import type { ModelCall, Script } from '../../support/scripted-model.ts';

/** A call of a tool through the bridge. */
export const through = (toolName: string, args: unknown = {}): { toolName: string; input: unknown } => ({
  toolName: 'call_tool',
  input: { toolName, arguments: args },
});

/** An agent in call mode, with its events. */
export function callRig(
  options: Partial<ToolSearchProcessorOptions>,
  script: Script,
  setup: Omit<RigOptions, 'script' | 'agent'> & { readonly agent?: Partial<AgentConfig> | object } = {},
): Rig & { readonly events: ToolSearchEvent[] } {
  const events: ToolSearchEvent[] = [];
  const made = rig(
    { mode: 'call', onEvent: (event) => events.push(event), ...options } as ToolSearchProcessorOptions,
    { script, ...setup } as RigOptions,
  );
  return { ...made, events };
}

/** What a model call begins with: its tools, and the text of the prompt. */
export function bytesOf({ tools, prompt }: ModelCall): { readonly tools: string; readonly prompt: readonly string[] } {
  return { tools: JSON.stringify(tools), prompt: prompt.map((message) => JSON.stringify(message)) };
}
