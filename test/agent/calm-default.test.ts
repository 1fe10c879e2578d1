import { types } from 'node:util';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { ProcessInputStepArgs } from '@mastra/core/processors';
import { ToolSearchProcessor, type ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, email, load, tool, toolRecord, weather } from '../support/harness.ts';
import { scriptedModel } from '../support/scripted-model.ts';

interface Seen {
  readonly received: ProcessInputStepArgs;
  readonly returned: { tools: Record<string, object>; activeTools?: string[]; model?: unknown };
}

/** The steps of an agent, with what they received and returned. */
async function stepsOf(options: Partial<ToolSearchProcessorOptions>, agent: object = {}): Promise<readonly Seen[]> {
  const processor = new ToolSearchProcessor({ tools: toolRecord(weather(), email()), ...options });
  const seen: Seen[] = [];
  const step = processor.processInputStep.bind(processor);
  processor.processInputStep = async (received) => {
    const returned = await step(received);
    seen.push({ received: { ...received }, returned: returned as never });
    return returned;
  };
  const script = calls(call('get_weather', {}), load('send_email'), call('send_email', {}));
  const made = new Agent({
    ...{ id: 'calm', name: 'calm', instructions: '', model: scriptedModel(script) as never },
    inputProcessors: [processor as never],
    ...agent,
  });
  new Mastra({ agents: { calm: made }, logger: false });
  await made.generate('go', { maxSteps: 6 });
  expect(seen.length).toBeGreaterThan(3);
  return seen;
}

/** What of a step leans on the inside of Mastra. */
function interceptionIn({ returned: { tools, activeTools, model } }: Seen): string[] {
  return [
    ...(model === undefined ? [] : ['a model']),
    ...(types.isProxy(tools) ? ['a proxy of the tools'] : []),
    ...Object.entries(tools).flatMap(([name, tool]) => {
      const isPlain = !types.isProxy(tool) && !types.isProxy(Object.getPrototypeOf(tool) ?? {});
      const isHidden = String((tool as { type?: unknown }).type).startsWith('provider');
      return isPlain && !isHidden ? [] : [`the tool ${name}`];
    }),
    ...(activeTools && (Object.hasOwn(activeTools, 'includes') || types.isProxy(activeTools)) ? ['includes()'] : []),
  ];
}

describe('a step of load mode with default options', () => {
  it.each<{ what: string; options: Partial<ToolSearchProcessorOptions>; agent?: object }>([
    { what: 'plain', options: {} },
    { what: 'with a filter', options: { filter: () => true } },
    { what: 'with auto-load', options: { search: { autoLoad: true } } },
    { what: "with the agent's own tools", options: {}, agent: { tools: { clock: tool('clock') } } },
    { what: 'with hooks', options: {}, agent: { hooks: { beforeToolCall: () => undefined } } },
  ])('has no wrapped model, no proxy, no hidden tool and no replaced includes(): $what', async ({ options, agent }) => {
    for (const step of await stepsOf(options, agent)) expect(interceptionIn(step)).toEqual([]);
  });

  it("extends the caller's list of active tools by a plain one", async () => {
    const processor = new ToolSearchProcessor({ tools: toolRecord(weather()) });
    const messageList = { addSystem() {}, clearSystemMessages() {}, get: { all: { db: () => [] } } };
    const received = {
      messages: [],
      messageList,
      state: {},
      tools: {},
      steps: [],
      systemMessages: [],
      activeTools: ['a'],
    };
    const { activeTools = [] } = await processor.processInputStep(received as never);
    expect(activeTools).toEqual(['a', 'search_tools', 'load_tool']);
    expect(Object.hasOwn(activeTools, 'includes')).toBe(false);
  });

  it('sees all of this with onMiss: run', async () => {
    const [step] = await stepsOf({ onMiss: 'run' });
    const found = interceptionIn(step as Seen);
    expect(found).toEqual(expect.arrayContaining(['a model', 'a proxy of the tools', 'includes()']));
  });
});
