import { handleChatStream } from '@mastra/ai-sdk';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';
import { readUIMessageStream, type UIMessage } from 'ai';
import { expect, it } from 'vitest';
import { through } from '../modes/call/setup.ts';
import { call, calls, load, rig, searchLoadCall, toolRecord, weather } from '../support/agent.ts';
import { type Script, toolResults } from '../support/scripted-model.ts';

/** A chat as `useChat` has it: each turn sends what the page has, and the page takes what is streamed. */
function chat(options: object, thread: boolean, ...scripts: readonly Script[]) {
  let turn = -1;
  const storage = new InMemoryStore();
  const agentOptions = { id: 'assistant', ...(thread ? { memory: new Memory({ storage }) } : {}) };
  const { agent, model } = rig(
    { tools: toolRecord(weather()), ...options },
    { script: (received) => scripts[turn]!(received), agent: agentOptions },
  );
  const mastra = new Mastra({ agents: { assistant: agent }, storage, logger: false });
  const page: UIMessage[] = [];

  /** The tools that an answer shows to have run. */
  async function say(text: string): Promise<string[]> {
    turn += 1;
    page.push({ id: `user-${turn}`, role: 'user', parts: [{ type: 'text', text }] });
    const messages = structuredClone(thread ? page.slice(-1) : page);
    const params = { messages, ...(thread ? { memory: { thread: 'thread', resource: 'user' } } : {}) };
    const stream = await handleChatStream({ mastra, agentId: 'assistant', version: 'v6', params: params as never });
    let answer: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: stream as never })) answer = message;
    page.push(answer!);
    return answer!.parts.flatMap((part) =>
      'toolCallId' in part && part.state === 'output-available' ? [part.type.replace('tool-', '')] : [],
    );
  }
  return { say, model };
}

it.each<[of: string, thread: boolean, options: object]>([
  ['a thread of Memory', true, {}],
  ['messages that the page keeps', false, {}],
  ["messages that the page keeps, with storage 'context'", false, { storage: 'context' }],
])('a chat of the AI SDK shows each call as a part, and goes on in the second turn: %s', async (_, thread, options) => {
  const { say, model } = chat(options, thread, searchLoadCall('weather'), searchLoadCall('weather'));
  expect(await say('What is the weather?')).toEqual(['search_tools', 'load_tool', 'get_weather']);
  expect((await say('And now?')).at(-1)).toBe('get_weather');
  const results = toolResults(model.calls.at(-1)!.prompt);
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(results.filter(({ toolName }) => toolName === 'get_weather')).toHaveLength(2);
});

it('a chat of the AI SDK keeps what a thread has loaded', async () => {
  const { say, model } = chat({}, true, calls(load('get_weather')), calls(call('get_weather')));
  await say('Load it.');
  const before = model.calls.length;
  expect(await say('Call it.')).toEqual(['get_weather']);
  expect(model.sent(before)).toContain('get_weather');
});

it.each(['call', 'load'])('a chat of the AI SDK in mode %s shows missed calls that went on', async (mode) => {
  const again = mode === 'call' ? through('get_weather') : call('get_weather');
  const { say } = chat({ mode }, true, calls(call('get_weather'), again));
  expect(await say('Call it.')).not.toEqual([]);
});
