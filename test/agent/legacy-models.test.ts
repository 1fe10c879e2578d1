import { describe, expect, it } from 'vitest';
import { message } from '../loaded/conversation/messages.ts';
import { Session } from '../meta-tools/session.ts';
import { call, email, load, META, newMemory, rig, toolRecord, weather } from '../support/agent.ts';

interface LegacyCall {
  readonly mode: { readonly tools?: readonly { readonly name: string }[] };
  readonly prompt: readonly unknown[];
}
type Reply = string | ReturnType<typeof call>;

/** A model of AI SDK 4 that answers with these, one a request. */
function legacyModel(...replies: readonly Reply[]) {
  const calls: LegacyCall[] = [];
  const usage = { promptTokens: 1, completionTokens: 1 };
  const rawCall = { rawPrompt: null, rawSettings: {} };
  const next = (received: LegacyCall) => {
    const reply = replies[calls.push(received) - 1] ?? 'done';
    if (typeof reply === 'string') return { text: reply, finishReason: 'stop' };
    const args = JSON.stringify(reply.input);
    const toolCall = { toolCallType: 'function', toolCallId: `call-${calls.length}`, toolName: reply.toolName, args };
    return { toolCalls: [toolCall], finishReason: 'tool-calls' };
  };
  return {
    ...{ specificationVersion: 'v1', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
    defaultObjectGenerationMode: 'json',
    calls,
    doGenerate: async (received: LegacyCall) => ({ ...next(received), usage, rawCall }),
    doStream: async (received: LegacyCall) => {
      const { text: textDelta, toolCalls = [], finishReason } = next(received);
      const said = textDelta === undefined ? [] : [{ type: 'text-delta', textDelta }];
      const called = toolCalls.map((toolCall) => ({ type: 'tool-call', ...toolCall }));
      return { stream: ReadableStream.from([...said, ...called, { type: 'finish', finishReason, usage }]), rawCall };
    },
  };
}

const tools = toolRecord(weather(), email());
const LOADED = [...META, 'get_weather'];

describe.each<object>([
  {},
  { mode: 'call' },
  { mode: 'native' },
  { mode: 'native', native: { fallback: 'call' } },
  { mode: 'native', native: { detect: () => 'anthropic' } },
  { onMiss: 'load' },
])('a model of AI SDK 4, with %j,', (options) => {
  it.each(['generateLegacy', 'streamLegacy'] as const)('searches and loads as in load mode: %s', async (how) => {
    const steps = [call('search_tools', { query: 'weather' }), load('get_weather'), 'loaded', call('get_weather')];
    const model = legacyModel(...steps, 'sunny');
    const { agent, events } = rig({ tools, ...options }, { agent: { model, memory: newMemory() } });
    const request = { memory: { thread: 't', resource: 'r' }, threadId: 't', resourceId: 'r', maxSteps: 3 };
    const run = agent[how].bind(agent) as (
      said: string,
      options: object,
    ) => Promise<{ text: string | Promise<string> }>;
    for (const said of ['loaded', 'sunny']) {
      const answer = (await run('go', request)) as { consumeStream?(): Promise<void>; text: string | Promise<string> };
      await answer.consumeStream?.();
      expect(await answer.text).toBe(said);
    }
    const sent = model.calls.map(({ mode }) => mode.tools?.map(({ name }) => name));
    expect([sent[0], sent[3]]).toEqual([META, LOADED]);
    expect(JSON.stringify(model.calls[4]?.prompt)).toContain('"ran":"get_weather"');
    const off = events.flatMap((event) => (event.type === 'native-off' ? [event] : []));
    const reasons = off.map(({ reason }) => reason);
    expect(reasons).toEqual('mode' in options && options.mode === 'native' ? Array(2).fill('unsupported-model') : []);
  });

  it('is told of a missed call in the system text, and is not replaced', async () => {
    const session = new Session({ tools, ...options });
    const step = { model: legacyModel() };
    await session.step(step);
    const errorText = 'Tool "get_weather" not found. Available tools: search_tools, load_tool';
    const missed = { state: 'output-error', toolCallId: 'call-1', toolName: 'get_weather', args: {}, errorText };
    const parts = [{ type: 'tool-invocation', toolInvocation: missed }];
    session.messageList.add(message('assistant', parts) as never, 'response');
    const sent = await session.step(step);
    expect(sent).not.toHaveProperty('model');
    expect(Object.keys(sent.tools)).toEqual(LOADED);
    expect(JSON.stringify(session.messageList.getAllSystemMessages())).toContain('It is available now: call it again.');
  });
});
