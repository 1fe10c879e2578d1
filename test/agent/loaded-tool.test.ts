import { createTool } from '@mastra/core/tools';
import { tool as aiSdkTool, jsonSchema } from 'ai';
import type { MastraTool } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, calls, inThread, load, newMemory, rig, SIZES, tool, toolRecord } from '../support/agent.ts';

const PROVIDERS = [
  { provider: 'openai.responses', modelId: 'gpt-5' },
  { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  { provider: 'google.generative-ai', modelId: 'gemini-3-pro' },
  { provider: 'scripted', modelId: 'scripted' },
];

describe.each(SIZES)('a tool loaded from a $size catalog', ({ fillers }) => {
  const withTool = (loaded: MastraTool) => ({ ...toolRecord(loaded), ...fillers });

  it.each(PROVIDERS)("has schema and input of an agent's own tool for $provider, on every request", async (model) => {
    const inputs = { city: 'Rome', days: null, mode: null, tags: null };
    const script = calls(load('subject'), call('subject', inputs), call('subject', { city: 5 }));
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    const run = async (isOwn: boolean) => {
      const execute = vi.fn(async (input: unknown) => input);
      const subject = createTool({
        id: 'subject',
        description: 'Subject.',
        inputSchema: z.object({
          city: z.string().min(2).max(20).describe('The city'),
          days: z.number().int().min(1).optional(),
          mode: z.enum(['a', 'b']).default('a'),
          tags: z.array(z.string()).optional(),
        }),
        execute,
        providerOptions,
      } as never) as unknown as MastraTool;
      const agent = { memory: newMemory(), tools: isOwn ? { subject } : {} };
      const made = rig({ tools: isOwn ? fillers : withTool(subject) }, { script, ...model, agent });
      for (let turn = 0; turn < 2; turn++) await made.agent.generate('go', inThread);
      const sent = made.model.calls.slice(1).map(({ tools }) => tools.find(({ name }) => name === 'subject'));
      return { sent, received: execute.mock.calls.map(([input]) => input), error: made.model.result() };
    };
    const loaded = await run(false);
    expect(loaded).toEqual(await run(true));
    expect(new Set(loaded.sent.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(loaded.sent[0]).toMatchObject({ providerOptions });
  });

  it('is called between beforeToolCall and afterToolCall of the agent and of the run', async () => {
    const seen: unknown[] = [];
    const hooks = {
      beforeToolCall: ({ toolName, input }: { toolName: string; input: unknown }) => void seen.push(toolName, input),
      afterToolCall: ({ toolName, output }: { toolName: string; output?: unknown }) => void seen.push(toolName, output),
    };
    const script = calls(load('subject'), call('subject', { text: 'x' }));
    for (const place of ['agent', 'run']) {
      seen.splice(0);
      const { agent } = rig(
        { tools: withTool(tool('subject')) },
        { script, agent: (place === 'agent' ? { hooks } : {}) as never },
      );
      await agent.generate('go', (place === 'run' ? { hooks } : {}) as never);
      const input = { text: 'x' };
      expect(seen).toEqual(['subject', input, 'subject', { ran: 'subject', input }]);
    }
  });

  it('of the AI SDK runs with call id and messages, and is found under its key', async () => {
    const execute = vi.fn(async (_input: unknown, _options: unknown) => 'ran');
    const inputSchema = jsonSchema({ type: 'object', properties: { text: { type: 'string' } } });
    const subject = aiSdkTool({ description: 'Subject.', inputSchema, execute }) as unknown as MastraTool;
    const script = calls(load('subject'), call('subject', { text: 'x' }));
    const { agent, model } = rig({ tools: { subject, ...fillers } }, { script });
    await agent.generate('go');
    expect(model.result()).toBe('ran');
    expect(execute.mock.calls[0]).toMatchObject([{ text: 'x' }, { toolCallId: 'call-2' }]);
  });
});
