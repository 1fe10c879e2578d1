import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import type { MastraTool, ToolSearchProcessorOptions } from 'mastra-tool-search';
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
} from '../support/agent.ts';
import { memorySource } from '../support/memory-source.ts';

/** The ways in which a tool that the run has not loaded before comes to run. */
const ways: [way: string, options: ToolSearchProcessorOptions, called: (input?: object) => Parameters<typeof calls>][] =
  [
    ['loaded by name', {}, (input) => [load('subject'), call('subject', input)]],
    [
      'called through call_tool',
      { mode: 'call' },
      (input = {}) => [call('call_tool', { toolName: 'subject', arguments: input })],
    ],
  ];

describe.each(ways)('a tool of a source, %s, as one of a record', (_, options, called) => {
  type Open = (extra: object | MastraTool, agent?: object, input?: object) => Rig;
  /** What is seen is the same for every way to give the tools; the first is the measure. */
  async function sameOver<Seen>(see: (open: Open) => Promise<Seen>, other: ToolSearchProcessorOptions = {}) {
    const seen = ['a record', 'a large record', 'a source'].map(async (given) => {
      const fillers = fillerTools(given === 'a large record' ? 501 : 5);
      const source = await memorySource(fillers);
      const open: Open = (extra, agent = {}, input) => {
        const subject = 'id' in extra ? (extra as MastraTool) : tool('subject', 'Subject.', extra);
        const tools = { ...toolRecord(subject), ...fillers };
        if (given === 'a source') void source.fill(tools);
        const model = { provider: 'openai.responses', modelId: 'gpt-5' };
        const setup = { tools: given === 'a source' ? source : tools, ...options, ...other };
        return rig(setup, { script: calls(...called(input)), agent, ...model });
      };
      return see(open);
    });
    const [first, ...others] = await Promise.all(seen);
    for (const one of others) expect(one).toEqual(first);
    return first as Seen;
  }

  it('is told whose call it is', async () => {
    const told = await sameOver(async (open) => {
      const execute = vi.fn(async (_input: unknown, _context: never) => 'ran');
      const { agent } = open({ execute }, { memory: newMemory() });
      inMastra(agent);
      await agent.generate('go', { ...inThread, requestContext: new RequestContext([['user', 'ann']]) });
      const [input, context] = execute.mock.calls[0] as unknown as [unknown, Record<string, unknown>];
      const { agent: of, requestContext, abortSignal } = context as { [key: string]: Record<string, unknown> };
      const { agentId, threadId, resourceId, toolCallId, messages } = of ?? {};
      return {
        ...{ input, agentId, threadId, resourceId, toolCallId, messages: (messages as unknown[]).length },
        // A lightweight proxy is given them once more, for tools of the AI SDK.
        keys: Object.keys(context)
          .filter((key) => key !== 'messages' && key !== 'toolCallId')
          .sort(),
        ofAgent: Object.keys(of ?? {}).sort(),
        user: (requestContext as unknown as RequestContext).get('user'),
        has: [context['writer'], context['mastra'], context['memory']].map(Boolean),
        signal: (abortSignal as unknown) instanceof AbortSignal,
      };
    });
    const ids = { agentId: 'test-agent', threadId: 't', resourceId: 'r', user: 'ann' };
    expect(told).toMatchObject({ ...ids, has: [expect.any(Boolean), true, expect.any(Boolean)] });
  });

  it('has its input validated, cast and reshaped, and its output checked', async () => {
    const seen = await sameOver(async (open) => {
      const outcome = [];
      for (const input of [{ city: 'Rome', days: null }, { city: 'Rome', days: 3 }, { city: 5 }, { days: 1 }]) {
        const execute = vi.fn(async (got: { days?: number }) => ({ answer: got.days ?? 0 }));
        const subject = createTool({
          id: 'subject',
          description: 'Subject.',
          inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
          outputSchema: z.object({ answer: z.number().max(2) }),
          execute: execute as never,
        });
        const { agent, model } = open(subject, {}, input);
        await agent.generate('go');
        outcome.push([execute.mock.calls.map(([got]) => got), model.result()]);
      }
      return outcome;
    });
    expect(seen[0]).toMatchObject([[{ city: 'Rome' }], { answer: 0 }]);
    expect(JSON.stringify(seen[1])).toContain('output validation failed');
  });

  it('has its lifecycle hooks and toModelOutput called, and streams what it writes', async () => {
    const seen = await sameOver(async (open) => {
      const noted: unknown[] = [];
      const note = (name: string) => () => void noted.push(name);
      const subject = {
        ...{ onInputStart: note('start'), onInputAvailable: note('available'), onOutput: note('output') },
        toModelOutput: () => ({ type: 'text', value: 'short' }),
        execute: (_input: unknown, { writer }: { writer: { custom(chunk: object): Promise<void> } }) =>
          writer.custom({ type: 'data-note', data: { at: 1 } }).then(() => 'ran'),
      };
      const { agent, model } = open(subject, {}, { text: 'x' });
      for await (const chunk of (await agent.stream('go')).fullStream as AsyncIterable<{
        type: string;
        data?: object;
      }>) {
        if (chunk.type === 'data-note') noted.push(chunk.data);
      }
      return [...noted.map((one) => JSON.stringify(one)).sort(), model.result()];
    });
    expect(seen).toEqual(expect.arrayContaining(['{"at":1}', '"available"', 'short']));
  });

  it('waits for an approval, and runs no declined call, also in a DurableAgent', async () => {
    await sameOver(async (open) => {
      const ran: unknown[] = [];
      const execute = async (_input: unknown, { agent }: { agent: { agentId: string } }) => ran.push(agent.agentId);
      const make = () => open({ requireApproval: true, execute }).agent;
      const texts = [];
      const agent = make();
      inMastra(agent);
      for (const by of [agent, durableOf(make())]) {
        for (const decide of ['approveToolCallGenerate', 'declineToolCallGenerate'] as const) {
          const before = ran.length;
          const { finishReason, runId = '', suspendPayload } = await by.generate('go');
          const { toolCallId } = suspendPayload as { toolCallId: string };
          expect([finishReason, ran.length]).toEqual(['suspended', before]);
          texts.push((await by[decide]({ runId, toolCallId })).text);
        }
      }
      expect(ran).toEqual(['test-agent', 'test-agent']);
      return texts;
    });
  });

  it('is resumed after it suspended itself', async () => {
    const seen = await sameOver(async (open) => {
      const { agent, model } = open(askingTool('subject'));
      inMastra(agent);
      const { finishReason, runId = '' } = await agent.generate('go');
      expect(finishReason).toBe('suspended');
      await agent.resumeGenerate({ answer: 'yes' }, { runId });
      return model.result();
    });
    expect(seen).toEqual({ answer: 'yes' });
  });

  it('is called between the hooks of the agent, which may stop it, and a source has them told another name', async () => {
    const doubts: unknown[] = [];
    const onEvent: ToolSearchProcessorOptions['onEvent'] = (event) =>
      event.type === 'option-doubt' && doubts.push(event.option);
    const told: unknown[] = [];
    const stopped = await sameOver(
      async (open) => {
        const seen: unknown[] = [];
        told.push(seen);
        const hooks = {
          beforeToolCall: ({ toolName, input, metadata }: Record<string, unknown>) =>
            void seen.push(toolName, input, metadata),
          afterToolCall: ({ toolName, output }: Record<string, unknown>) => void seen.push(toolName, output),
        };
        const called = open({ execute: async () => 'ran' }, { hooks }, { text: 'x' });
        await called.agent.generate('go');
        const stops = { beforeToolCall: () => ({ proceed: false, output: 'stopped' }) };
        const execute = vi.fn();
        const { agent, model } = open({ execute }, { hooks: stops });
        await agent.generate('go');
        return [called.model.result(), model.result(), execute.mock.calls.length];
      },
      { onEvent },
    );
    expect(stopped).toEqual(['ran', 'stopped', 0]);
    const names = ['subject', 'subject', 'found_by_search_tools'];
    const inputs = [{ text: 'x' }, { text: 'x' }, { toolName: 'subject', arguments: { text: 'x' } }];
    const metadata = { agentId: 'test-agent', agentName: 'Test Agent' };
    expect(told).toHaveLength(3);
    for (const [at, name] of names.entries()) expect(told).toContainEqual([name, inputs[at], metadata, name, 'ran']);
    expect(new Set(doubts)).toEqual(new Set(['tools']));
  });
});
