import type { Memory } from '@mastra/memory';
import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { call, calls, email, newMemory, type Rig, rig, runDurable, toolRecord, weather } from '../support/agent.ts';
import { type ModelCall, systemText, toolNames, toolResults } from '../support/scripted-model.ts';

export type Mode = 'generate' | 'stream' | 'durable';
export type Turn = { memory?: { thread: string; resource: string } };

/** A turn of a thread that is always the same. */
export const turn: Turn = { memory: { thread: 't', resource: 'r' } };
export const withMemory = (): { memory: Memory } => ({ memory: newMemory() });

/** What the model was told of its missed calls: with their results, each once, or in the system text. */
export function hintsIn({ prompt }: ModelCall): string[] {
  const told = [...toldWithResults({ prompt }), ...systemText(prompt).split('\n')];
  return [...new Set(told)].filter((line) => line.includes('is available now'));
}

/** What stands behind the errors of missed calls. */
export function toldWithResults({ prompt }: Pick<ModelCall, 'prompt'>): string[] {
  return toolResults(prompt).flatMap(({ value }) => {
    const found =
      typeof value === 'string' ? /^Tool "[\s\S]*?" not found.*? ((?:The tool|You called) .*)$/s.exec(value) : null;
    return found?.[1] === undefined ? [] : [found[1]];
  });
}

/** The tools of a model call besides the meta-tools. */
export function sentIn(received: ModelCall): string[] {
  return toolNames(received).filter((name) => name !== 'search_tools' && name !== 'load_tool');
}

/** Runs the agent to its end. */
export async function run({ agent }: Pick<Rig, 'agent'>, mode: Mode, options: Turn = {}): Promise<void> {
  if (mode === 'generate') await agent.generate('go', options as never);
  else if (mode === 'stream') await (await agent.stream('go', options as never)).consumeStream();
  else {
    await runDurable(agent, 'go', options as never);
  }
}

export interface MissRig extends Rig {
  /** The events about missed calls. */
  readonly mended: () => ToolSearchEvent[];
}

/** An agent that calls these, one a step, loaded or not. */
export function missing(
  called: readonly (string | ReturnType<typeof call>)[],
  options: Partial<ToolSearchProcessorOptions> = {},
  agent: object = {},
): MissRig {
  const script = calls(...called.map((name) => (typeof name === 'string' ? call(name) : name)));
  const made = rig({ tools: toolRecord(weather(), email()), ...options }, { script, agent });
  return { ...made, mended: () => made.events.filter(({ type }) => type === 'load-on-miss') };
}

/** What the model is told after a call of `get_weather` by its name, and by another. */
export const CALLED_LATER =
  'The tool "get_weather" was not loaded when you called it. It is available now: call it again.';
export const CALLED_OTHERWISE =
  'You called a tool by a name that no tool has. "get_weather" is available now: call it by this name.';
