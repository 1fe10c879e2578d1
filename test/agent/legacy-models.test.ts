import type { ToolSearchEvent, ToolSearchProcessorOptions } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { message } from '../loaded/conversation/messages.ts';
import { Session } from '../meta-tools/session.ts';
import { email, load, newMemory, rig, toolRecord, weather } from '../support/harness.ts';

interface LegacyCall {
  readonly mode: { readonly tools?: readonly { readonly name: string }[] };
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
}

type Reply = string | { readonly toolName: string; readonly input: unknown };

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
    specificationVersion: 'v1',
    provider: 'anthropic.messages',
    modelId: 'claude-sonnet-4-5',
    defaultObjectGenerationMode: 'json',
    calls,
    doGenerate: async (received: LegacyCall) => ({ ...next(received), usage, rawCall }),
    doStream: async (received: LegacyCall) => {
      const { text, toolCalls = [], finishReason } = next(received);
      const parts = [
        ...(text === undefined ? [] : [{ type: 'text-delta', textDelta: text }]),
        ...toolCalls.map((call) => ({ type: 'tool-call', ...call })),
        { type: 'finish', finishReason, usage },
      ];
      return { stream: ReadableStream.from(parts), rawCall };
    },
  };
}

const turn = { memory: { thread: 't', resource: 'r' }, threadId: 't', resourceId: 'r', maxSteps: 3 };
const kinds: readonly Partial<ToolSearchProcessorOptions>[] = [
  {},
  { mode: 'call' },
  { mode: 'native' },
  { mode: 'native', native: { fallback: 'call' } },
  { mode: 'native', native: { detect: () => 'anthropic' } },
  { onMiss: 'load' },
];

function legacy(options: Partial<ToolSearchProcessorOptions>, ...replies: readonly Reply[]) {
  const events: ToolSearchEvent[] = [];
  const model = legacyModel(...replies);
  const tools = toolRecord(weather(), email());
  const made = rig(
    { tools, onEvent: (event) => events.push(event), ...options },
    { agent: { model: model as never, memory: newMemory() } },
  );
  const toolsOf = (at: number) => model.calls[at]?.mode.tools?.map(({ name }) => name);
  return { ...made, model, events, toolsOf };
}

const modes = {
  generateLegacy: async ({ agent }: ReturnType<typeof legacy>) =>
    (await agent.generateLegacy('go', turn as never)).text,
  streamLegacy: async ({ agent }: ReturnType<typeof legacy>) => {
    const { textStream } = await agent.streamLegacy('go', turn as never);
    let text = '';
    for await (const part of textStream) text += part;
    return text;
  },
};

describe.each(Object.entries(modes))('%s with a model of AI SDK 4', (_, run) => {
  it.each(kinds)('searches and loads as in load mode with %j', async (options) => {
    const search = { toolName: 'search_tools', input: { query: 'weather' } };
    const made = legacy(
      options,
      search,
      load('get_weather'),
      'loaded',
      { toolName: 'get_weather', input: {} },
      'sunny',
    );
    expect(await run(made)).toBe('loaded');
    expect(await run(made)).toBe('sunny');
    expect([0, 3].map(made.toolsOf)).toEqual([
      ['search_tools', 'load_tool'],
      ['search_tools', 'load_tool', 'get_weather'],
    ]);
    expect(JSON.stringify(made.model.calls[4]?.prompt)).toContain('"ran":"get_weather"');
    const off = made.events.filter(({ type }) => type === 'native-off' || type === 'call-off');
    const isNative = options.mode === 'native';
    expect(off.map((event) => 'reason' in event && event.reason)).toEqual(
      isNative ? ['unsupported-model', 'unsupported-model'] : [],
    );
  });
});

it.each(kinds)('tells of a missed call in the system text, and returns no model, with %j', async (options) => {
  const session = new Session({ tools: toolRecord(weather(), email()), ...options });
  const step = { model: legacyModel() };
  await session.step(step);
  const errorText = 'Tool "get_weather" not found. Available tools: search_tools, load_tool';
  const call = { state: 'output-error', toolCallId: 'call-1', toolName: 'get_weather', args: {}, errorText };
  session.messageList.add(
    message('assistant', [{ type: 'tool-invocation', toolInvocation: call }]) as never,
    'response',
  );
  const sent = await session.step(step);
  expect(sent).not.toHaveProperty('model');
  expect(Object.keys(sent.tools)).toEqual(['search_tools', 'load_tool', 'get_weather']);
  expect(JSON.stringify(session.messageList.getAllSystemMessages())).toContain('It is available now: call it again.');
});
