import { handleChatStream } from '@mastra/ai-sdk';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { readUIMessageStream, type UIMessage } from 'ai';
import type { ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { call, calls, email, load, rig, searchLoadCall, toolRecord, weather } from '../support/harness.ts';
import { type ModelReply, toolNames, toolResults } from '../support/scripted-model.ts';

type Scripts = readonly ReturnType<typeof calls>[];

/** A chat as `useChat` has it: each turn sends what the page has, and the page takes what is streamed. */
function chat(options: Partial<ToolSearchProcessorOptions>, scripts: Scripts, thread?: string) {
  let turn = -1;
  const storage = new InMemoryStore();
  const { agent, model } = rig(
    { tools: toolRecord(weather(), email()), ...options },
    {
      script: (received): ModelReply | Promise<ModelReply> => scripts[turn]!(received),
      agent: { id: 'assistant', ...(thread === undefined ? {} : { memory: new Memory({ storage }) }) },
    },
  );
  const mastra = new Mastra({ agents: { assistant: agent }, storage, logger: false });
  const page: UIMessage[] = [];

  async function say(text: string): Promise<UIMessage> {
    turn += 1;
    page.push({ id: `user-${turn}`, role: 'user', parts: [{ type: 'text', text }] });
    const messages = thread === undefined ? page : page.slice(-1);
    const memory = thread === undefined ? {} : { memory: { thread, resource: 'user' } };
    const params = { messages: structuredClone(messages), ...memory };
    const stream = await handleChatStream({ mastra, agentId: 'assistant', version: 'v6', params: params as never });
    let answer: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: stream as never })) answer = message;
    page.push(answer!);
    return answer!;
  }
  return { say, model, page };
}

const toolParts = ({ parts }: UIMessage) =>
  parts.flatMap((part) => ('toolCallId' in part ? [`${part.type} ${part.state}`] : []));

describe('a chat of the AI SDK over two turns', () => {
  const load_tool = searchLoadCall('weather');

  it.each([
    { of: 'a thread of Memory', thread: 'thread', options: {} },
    { of: 'messages that the page keeps', thread: undefined, options: {} },
    { of: "messages that the page keeps, with storage 'context'", thread: undefined, options: { storage: 'context' } },
  ] as const)('shows each call as a part, and goes on in the second turn: $of', async ({ thread, options }) => {
    const { say, model } = chat(options, [load_tool, searchLoadCall('weather')], thread);
    const first = await say('What is the weather?');
    expect(toolParts(first)).toEqual([
      'tool-search_tools output-available',
      'tool-load_tool output-available',
      'tool-get_weather output-available',
    ]);
    const second = await say('And now?');
    expect(toolParts(second).at(-1)).toBe('tool-get_weather output-available');
    const results = toolResults(model.calls.at(-1)!.prompt);
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    expect(results.filter(({ toolName }) => toolName === 'get_weather')).toHaveLength(2);
  });

  it('keeps what a thread has loaded', async () => {
    const { say, model } = chat({}, [calls(load('get_weather')), calls(call('get_weather'))], 'thread');
    await say('Load it.');
    const second = await say('Call it.');
    expect(toolParts(second)).toEqual(['tool-get_weather output-available']);
    expect(toolNames(model.calls.findLast(({ step }) => step === 0)!)).toContain('get_weather');
  });

  it.each(['call', 'load'] as const)('in mode %s, with missed calls', async (mode) => {
    const { say } = chat({ mode }, [calls(call('get_weather'), call('get_weather'))], 'thread');
    const parts = toolParts(await say('Call it.'));
    expect(parts.at(-1)).toMatch(/output-available$/);
  });
});
