import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import type { MastraTool, ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  askingTool,
  call,
  calls,
  durableOf,
  fillerTools,
  inMastra,
  inThread,
  load,
  newMemory,
  type Rig,
  rig,
  tool,
  toolRecord,
} from '../support/harness.ts';
import { memorySource } from '../support/memory-source.ts';
import type { Script, ScriptedModel } from '../support/scripted-model.ts';

/** The ways in which a tool that the run has not loaded before comes to run. */
const WAYS: Readonly<Record<string, { options: ToolSearchProcessorOptions; script: (input?: object) => Script }>> = {
  'loaded by name': { options: {}, script: (input) => calls(load('subject'), call('subject', input)) },
  'found and loaded': {
    options: { search: { autoLoad: true } },
    script: (input) => calls(call('search_tools', { query: 'subject' }), call('subject', input)),
  },
  'called without a load': { options: { onMiss: 'run' }, script: (input) => calls(call('subject', input)) },
  'called through call_tool': {
    options: { mode: 'call' },
    script: (input = {}) => calls(call('call_tool', { toolName: 'subject', arguments: input })),
  },
};

const GIVEN = ['a record', 'a large record', 'a source'] as const;

async function rigOver(
  given: (typeof GIVEN)[number],
  way: keyof typeof WAYS,
  subject: MastraTool,
  agent: object = {},
  input?: object,
  onEvent?: ToolSearchProcessorOptions['onEvent'],
): Promise<Rig> {
  const all = { ...toolRecord(subject), ...fillerTools(given === 'a large record' ? 501 : 5) };
  const tools = given === 'a source' ? await memorySource(all) : all;
  const { options, script } = WAYS[way]!;
  return rig({ tools, ...options, onEvent } as never, {
    script: script(input),
    agent,
    provider: 'openai.responses',
    modelId: 'gpt-5',
  });
}

/** The same for every way to give the tools; the first is the measure. */
async function sameOver<Seen>(see: (given: (typeof GIVEN)[number]) => Promise<Seen>): Promise<Seen> {
  const [first, ...others] = await Promise.all(GIVEN.map(see));
  for (const other of others) expect(other).toEqual(first);
  return first as Seen;
}

const result = (model: ScriptedModel) => model.result();

describe.each(Object.keys(WAYS))('a tool of a source, %s, as one of a record', (way) => {
  it('is told whose call it is', async () => {
    const told = await sameOver(async (given) => {
      const execute = vi.fn(async (_input: unknown, _context: never) => 'ran');
      const memory = newMemory();
      const { agent } = await rigOver(given, way, tool('subject', 'Subject.', { execute }), { memory });
      inMastra(agent);
      await agent.generate('go', { ...inThread, requestContext: new RequestContext([['user', 'ann']]) });
      const [input, context] = (execute.mock.calls[0] ?? []) as unknown as [unknown, Record<string, never>];
      const { agentId, threadId, resourceId, toolCallId, messages } = (context['agent'] ?? {}) as Record<string, never>;
      return {
        ...{ input, agentId, threadId, resourceId, toolCallId, messages: (messages as unknown[] | undefined)?.length },
        // A lightweight proxy is given them once more, for tools of the AI SDK.
        keys: Object.keys(context)
          .filter((key) => key !== 'messages' && key !== 'toolCallId')
          .sort(),
        ofAgent: Object.keys(context['agent'] ?? {}).sort(),
        user: (context['requestContext'] as unknown as RequestContext).get('user'),
        ...{ writer: Boolean(context['writer']), mastra: Boolean(context['mastra']) },
        memory: Boolean(context['memory']),
        signal: (context['abortSignal'] as unknown) instanceof AbortSignal,
      };
    });
    expect(told).toMatchObject({ agentId: 'test-agent', threadId: 't', resourceId: 'r', user: 'ann', mastra: true });
  });

  it('has its input validated, cast and reshaped, and its output checked', async () => {
    const seen = await sameOver(async (given) => {
      const outcome = [];
      for (const input of [{ city: 'Rome', days: null }, { city: 'Rome', days: 3 }, { city: 5 }, { days: 1 }]) {
        const execute = vi.fn(async (got: { days?: number }) => ({ answer: got.days ?? 0 }));
        const subject = createTool({
          id: 'subject',
          description: 'Subject.',
          inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
          outputSchema: z.object({ answer: z.number().max(2) }),
          execute: execute as never,
        }) as unknown as MastraTool;
        const { agent, model } = await rigOver(given, way, subject, {}, input);
        await agent.generate('go');
        outcome.push([execute.mock.calls.map(([got]) => got), result(model)]);
      }
      return outcome;
    });
    expect(seen[0]).toMatchObject([[{ city: 'Rome' }], { answer: 0 }]);
    expect(JSON.stringify(seen[1])).toContain('output validation failed');
  });

  it('has its lifecycle hooks and toModelOutput called', async () => {
    const seen = await sameOver(async (given) => {
      const noted: string[] = [];
      const note = (name: string) => () => void noted.push(name);
      const subject = tool('subject', 'Subject.', {
        ...{ onInputStart: note('start'), onInputAvailable: note('available'), onOutput: note('output') },
        toModelOutput: () => ({ type: 'text', value: 'short' }),
      });
      const { agent, model } = await rigOver(given, way, subject, {}, { text: 'x' });
      await (await agent.stream('go')).consumeStream();
      return [noted, result(model)];
    });
    expect(seen[0]).toContain('available');
    expect(seen[1]).toBe('short');
  });

  it('waits for an approval, and runs no declined call', async () => {
    await sameOver(async (given) => {
      const execute = vi.fn(async () => 'ran');
      const { agent } = await rigOver(given, way, tool('subject', 'Subject.', { requireApproval: true, execute }));
      inMastra(agent);
      const texts = [];
      for (const decide of ['approveToolCallGenerate', 'declineToolCallGenerate'] as const) {
        const { finishReason, runId = '', suspendPayload } = await agent.generate('go');
        const { toolCallId } = suspendPayload as { toolCallId: string };
        expect([finishReason, execute.mock.calls.length]).toEqual(['suspended', texts.length]);
        texts.push((await agent[decide]({ runId, toolCallId })).text);
      }
      expect(execute).toHaveBeenCalledTimes(1);
      return texts;
    });
  });

  it('is resumed after it suspended itself', async () => {
    const seen = await sameOver(async (given) => {
      const { agent, model } = await rigOver(given, way, askingTool('subject'));
      inMastra(agent);
      const { finishReason, runId = '' } = await agent.generate('go');
      expect(finishReason).toBe('suspended');
      await agent.resumeGenerate({ answer: 'yes' }, { runId });
      return result(model);
    });
    expect(seen).toEqual({ answer: 'yes' });
  });

  it('streams what it writes', async () => {
    const seen = await sameOver(async (given) => {
      const execute = async (_input: unknown, { writer }: { writer: { custom(chunk: object): Promise<void> } }) => {
        await writer.custom({ type: 'data-note', data: { at: 1 } });
        return 'ran';
      };
      const { agent } = await rigOver(given, way, tool('subject', 'Subject.', { execute }));
      const chunks: unknown[] = [];
      for await (const { type, ...chunk } of (await agent.stream('go')).fullStream as AsyncIterable<{ type: string }>) {
        if (type === 'data-note') chunks.push((chunk as { data?: unknown }).data);
      }
      return chunks;
    });
    expect(seen).toEqual([{ at: 1 }]);
  });

  it('runs in a DurableAgent, and waits there', async () => {
    await sameOver(async (given) => {
      const execute = vi.fn(async (_input: unknown, { agent }: { agent: { agentId: string } }) => agent.agentId);
      const { agent, model } = await rigOver(
        given,
        way,
        tool('subject', 'Subject.', { requireApproval: true, execute }),
      );
      const durable = durableOf(agent);
      const { runId = '', suspendPayload, finishReason } = await durable.generate('go');
      expect([finishReason, execute.mock.calls.length]).toEqual(['suspended', 0]);
      const { toolCallId } = suspendPayload as { toolCallId: string };
      await durable.approveToolCallGenerate({ runId, toolCallId });
      return result(model);
    });
  });

  it('is called between the hooks of the agent, which are told its name', async () => {
    const seen: unknown[] = [];
    const hooks = {
      beforeToolCall: ({ toolName, input, metadata }: Record<string, unknown>) =>
        void seen.push(toolName, input, metadata),
      afterToolCall: ({ toolName, output }: Record<string, unknown>) => void seen.push(toolName, output),
    };
    const execute = vi.fn(async (_input: unknown, { agent }: { agent: { agentId: string } }) => agent.agentId);
    const subject = tool('subject', 'Subject.', { execute });
    const doubts: unknown[] = [];
    const onEvent = (event: ToolSearchEvent): void => {
      if (event.type === 'option-doubt') doubts.push(event.option);
    };
    const { agent, model } = await rigOver('a source', way, subject, { hooks }, { text: 'x' }, onEvent);
    await agent.generate('go');
    expect(doubts).toEqual(['tools']);
    const found = 'found_by_search_tools';
    const input = { toolName: 'subject', arguments: { text: 'x' } };
    expect(seen).toEqual([found, input, { agentId: 'test-agent', agentName: 'Test Agent' }, found, 'test-agent']);
    expect(result(model)).toBe('test-agent');
  });

  it('is not called where a hook stops the call', async () => {
    const seen = await sameOver(async (given) => {
      const execute = vi.fn();
      const hooks = { beforeToolCall: () => ({ proceed: false, output: 'stopped' }) };
      const { agent, model } = await rigOver(given, way, tool('subject', 'Subject.', { execute }), { hooks });
      await agent.generate('go');
      return [execute.mock.calls.length, result(model)];
    });
    expect(seen).toEqual([0, 'stopped']);
  });
});
