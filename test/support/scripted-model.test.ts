import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastToolResult, type ModelVersion, scriptedModel, systemText, toolNames, userText } from './scripted-model.ts';

const add = createTool({
  id: 'add',
  description: 'Adds two numbers',
  inputSchema: z.object({ left: z.number(), right: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ left, right }) => ({ sum: left + right }),
});

describe.each<ModelVersion>(['v2', 'v3', 'v4'])('a scripted model of specification %s', (version) => {
  function agentAndModel() {
    const model = scriptedModel(
      ({ prompt, tools }) => {
        const result = lastToolResult(prompt);
        if (result) return { text: `The result is ${JSON.stringify(result.value)}` };
        return { toolCalls: [{ toolName: tools[0]?.name ?? 'none', input: { left: 2, right: 3 } }] };
      },
      { version },
    );
    return {
      model,
      agent: new Agent({ id: 'adder', name: 'Adder', instructions: 'Be exact.', model, tools: { add } }),
    };
  }

  it('calls a tool and reads its result in a generated run', async () => {
    const { agent, model } = agentAndModel();
    const { text, finishReason, steps } = await agent.generate('What is 2 + 3?');
    expect(text).toBe('The result is {"sum":5}');
    expect(finishReason).toBe('stop');
    expect(steps).toHaveLength(2);
    expect(model.calls.map((call) => call.step)).toEqual([0, 1]);
  });

  it('calls a tool and reads its result in a streamed run', async () => {
    const { agent, model } = agentAndModel();
    const output = await agent.stream('What is 2 + 3?');
    expect(await output.text).toBe('The result is {"sum":5}');
    expect(await output.finishReason).toBe('stop');
    expect(model.calls.map((call) => call.mode)).toEqual(['stream', 'stream']);
  });

  it('records what the model received', async () => {
    const { agent, model } = agentAndModel();
    await agent.generate('What is 2 + 3?', { providerOptions: { scripted: { fast: true } } });
    const [first] = model.calls;
    if (!first) throw new Error('The model was not called.');
    expect(toolNames(first)).toEqual(['add']);
    expect(first.toolChoice).toEqual({ type: 'auto' });
    expect(first.providerOptions).toEqual({ scripted: { fast: true } });
    expect(systemText(first.prompt)).toContain('Be exact.');
    expect(userText(first.prompt)).toBe('What is 2 + 3?');
  });
});
