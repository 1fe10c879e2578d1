import { createTool } from '@mastra/core/tools';
import { tool as aiSdkTool, jsonSchema } from 'ai';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, calls, load, newMemory, rig, SIZES, tool, toolRecord } from '../support/harness.ts';
import type { ModelCall } from '../support/scripted-model.ts';

const definitionOf = (received: ModelCall | undefined, name: string) =>
  received?.tools.find((candidate) => candidate.name === name);

describe.each(SIZES)('a tool loaded from a $size catalog', ({ fillers }) => {
  const withTool = (loaded: MastraTool) => ({ ...toolRecord(loaded), ...fillers });

  it.each([
    { provider: 'openai.responses', modelId: 'gpt-5' },
    { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
    { provider: 'google.generative-ai', modelId: 'gemini-3-pro' },
    { provider: 'deepseek.chat', modelId: 'deepseek-chat' },
    { provider: 'scripted', modelId: 'scripted' },
  ])("is sent with the schema of an agent's own tool for $provider, on every request", async (model) => {
    const subject = createTool({
      id: 'subject',
      description: 'Subject.',
      inputSchema: z.object({
        city: z.string().min(2).max(20).describe('The city'),
        days: z.number().int().min(1).optional(),
        mode: z.enum(['a', 'b']).default('a'),
        tags: z.array(z.string()).optional(),
      }),
      execute: async (input) => input,
    }) as unknown as MastraTool;
    const resident = rig(
      { tools: fillers },
      { script: () => ({ text: 'done' }), ...model, agent: { tools: { subject } } },
    );
    await resident.agent.generate('go');
    const expected = definitionOf(resident.model.calls[0], 'subject');
    expect(expected).toBeDefined();

    const memory = newMemory();
    const input = { city: 'Rome', days: null, mode: null, tags: null };
    const loaded = rig(
      { tools: withTool(subject) },
      { script: calls(load('subject'), call('subject', input)), ...model, agent: { memory } },
    );
    const turn = { memory: { thread: 't', resource: 'r' } };
    await loaded.agent.generate('go', turn);
    await loaded.agent.generate('go', turn);
    const definitions = loaded.model.calls.map((received) => definitionOf(received, 'subject')).filter(Boolean);
    expect(definitions.length).toBeGreaterThan(3);
    for (const definition of definitions) expect(definition).toEqual(expected);
  });

  it("gets input that the provider layer reshaped, as an agent's own tool does", async () => {
    const run = async (isResident: boolean) => {
      const execute = vi.fn(async (input: unknown) => input);
      const subject = createTool({
        id: 'subject',
        description: 'Subject.',
        inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
        execute,
      }) as unknown as MastraTool;
      const { agent, model } = rig(
        { tools: isResident ? fillers : withTool(subject) },
        {
          script: calls(load('subject'), call('subject', { city: 'Rome', days: null }), call('subject', { city: 5 })),
          provider: 'openai.responses',
          modelId: 'gpt-5',
          agent: { tools: isResident ? { subject } : {} },
        },
      );
      await agent.generate('go');
      return {
        inputs: execute.mock.calls.map(([input]) => input),
        error: model.result(),
      };
    };
    expect(await run(false)).toEqual(await run(true));
  });

  it('is called between beforeToolCall and afterToolCall of the agent and of the run', async () => {
    const seen: string[] = [];
    const hooks = {
      beforeToolCall: ({ toolName, input }: { toolName: string; input: unknown }) => {
        seen.push(`before ${toolName} ${JSON.stringify(input)}`);
      },
      afterToolCall: ({ toolName, output }: { toolName: string; output?: unknown }) => {
        seen.push(`after ${toolName} ${JSON.stringify(output)}`);
      },
    };
    const subject = tool('subject');
    const script = calls(load('subject'), call('subject', { text: 'x' }));
    const byAgent = rig({ tools: withTool(subject) }, { script, agent: { hooks } as never });
    await byAgent.agent.generate('go');
    const byRun = rig({ tools: withTool(subject) }, { script });
    await byRun.agent.generate('go', { hooks } as never);
    const once = ['before subject {"text":"x"}', 'after subject {"ran":"subject","input":{"text":"x"}}'];
    expect(seen).toEqual([...once, ...once]);
  });

  it('is sent with its providerOptions', async () => {
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    const subject = tool('subject', 'Subject.', { providerOptions });
    const { agent, model } = rig({ tools: withTool(subject) }, { script: calls(load('subject')) });
    await agent.generate('go');
    expect(definitionOf(model.calls.at(-1), 'subject')).toMatchObject({ providerOptions });
  });

  it('of the AI SDK runs with call id and messages, and is found under its key', async () => {
    const execute = vi.fn(async (_input: unknown, _options: unknown) => 'ran');
    const subject = aiSdkTool({
      description: 'Subject.',
      inputSchema: jsonSchema({ type: 'object', properties: { text: { type: 'string' } } }),
      execute,
    });
    const { agent, model } = rig(
      { tools: { subject: subject as unknown as MastraTool, ...fillers } },
      { script: calls(load('subject'), call('subject', { text: 'x' })) },
    );
    await agent.generate('go');
    expect(model.result()).toBe('ran');
    expect(execute.mock.calls[0]).toMatchObject([{ text: 'x' }, { toolCallId: 'call-2' }]);
  });
});
