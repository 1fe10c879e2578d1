import { Agent } from '@mastra/core/agent';
import { type ToolSearchEvent, ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { calls, newMemory } from '../../support/harness.ts';
import { type ScriptedModel, scriptedModel } from '../../support/scripted-model.ts';
import { transport } from './setup.ts';

/** An agent in code mode with a memory, whose model makes these calls in each turn, one a step. */
export function codeAgent(
  options: Partial<ToolSearchProcessorOptions>,
  steps: readonly { toolName: string; input: unknown }[],
): { readonly agent: Agent; readonly model: ScriptedModel; readonly events: readonly ToolSearchEvent[] } {
  const events: ToolSearchEvent[] = [];
  const model = scriptedModel(calls(...steps));
  const given = {
    mode: 'code',
    code: { transport },
    onEvent: (event: ToolSearchEvent) => events.push(event),
    ...options,
  };
  const agent = new Agent({
    id: 'test-agent',
    name: 'Test Agent',
    instructions: 'Help.',
    model: model as never,
    memory: newMemory(),
    inputProcessors: [new ToolSearchProcessor(given as ToolSearchProcessorOptions)],
  });
  return { agent, model, events };
}
