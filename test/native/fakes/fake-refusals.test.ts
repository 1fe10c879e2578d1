import { describe, expect, it } from 'vitest';
import {
  type AdditionalToolsRule,
  type AnthropicRule,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  message,
  type OpenAIRule,
  reasoning,
  serverSearch,
  serverSearchCall,
  serverSearchResult,
  type ToolChangeRule,
  text,
  thinking,
  toolSearchCall,
  toolSearchOutput,
  toolUse,
} from './fake-provider.ts';

/** Sends a body as it is and returns what the service says to it. */
async function send(
  fetch: typeof globalThis.fetch,
  path: string,
  body: object,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`https://service.test/v1/${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

const user = { role: 'user', content: 'hi' };
const result = (id: number, content: unknown = 'ok') => ({
  type: 'tool_result',
  tool_use_id: toolUse(id, '').id,
  content,
});
const reference = (name: string) => [{ type: 'tool_reference', tool_name: name }];
const tool = { name: 'a_tool', input_schema: { type: 'object' } };
const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const deferred = { ...tool, defer_loading: true };
const says = (...content: object[]) => ({ role: 'assistant', content });
const gives = (...content: object[]) => ({ role: 'user', content });

/** Those of tools that change in mid-conversation have tests of their own. */
type ToolRule = Exclude<AnthropicRule, ToolChangeRule | 'thinking-bound'>;

const anthropicRefusals: Record<ToolRule, object> = {
  thinking: { messages: [user, says(thinking('Forged.'), text('a')), user] },
  'tool-name': { tools: [{ ...tool, name: 'a.tool' }] },
  'duplicate-tool-name': { tools: [tool, deferred] },
  'all-tools-deferred': { tools: [deferred] },
  'cache-control-on-deferred': { tools: [search, { ...deferred, cache_control: { type: 'ephemeral' } }] },
  'tool-choice': { tools: [tool], tool_choice: { type: 'tool', name: 'another' } },
  'tool-reference': {
    tools: [tool],
    messages: [user, says(toolUse(1, 'a_tool')), gives(result(1, reference('gone')))],
  },
  'mixed-references': {
    tools: [tool],
    messages: [user, says(toolUse(1, 'a_tool')), gives(result(1, [...reference('a_tool'), text('Found.')]))],
  },
  'empty-text': { messages: [user, says(text(' ')), user] },
  'invalid-content': { messages: [user, says(toolUse(1, 'a_tool')), gives(result(1, [null]))] },
  'duplicate-tool-use': {
    messages: [user, says(toolUse(1, 'a_tool')), gives(result(1)), says(toolUse(1, 'a_tool')), gives(result(1))],
  },
  'tool-use-without-result': { messages: [user, says(toolUse(1, 'a_tool')), user] },
  'result-without-tool-use': { messages: [user, says(text('a')), gives(result(1))] },
  'duplicate-tool-result': { messages: [user, says(toolUse(1, 'a_tool')), gives(result(1), result(1))] },
  'server-tool-use-without-result': { messages: [user, says(serverSearchCall(1, 'a')), user] },
  'server-result-without-tool-use': {
    tools: [tool],
    messages: [user, says(serverSearchResult(1, ['a_tool'])), user],
  },
};

const ask = { role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const output = (id: number) => ({ type: 'function_call_output', call_id: functionCall(id, '').call_id, output: 'ok' });
const openaiTool = { type: 'function', name: 'a_tool', parameters: { type: 'object' } };
const openaiDeferred = { ...openaiTool, defer_loading: true };
const called = functionCall(2, 'a_tool');
const wire = { type: 'function', name: 'a_tool', parameters: { type: 'object' } };

/** Of one request; what spans several is below. */
const openaiRefusals: Record<Exclude<OpenAIRule, AdditionalToolsRule | 'reasoning-chain'>, object> = {
  'tool-name': { tools: [{ ...openaiTool, name: 'a.tool' }] },
  'duplicate-tool-name': {
    tools: [{ type: 'namespace', name: 'n', description: 'N.', tools: [openaiTool, openaiTool] }],
  },
  'deferred-without-search': { tools: [openaiDeferred] },
  'several-searches': { tools: [{ type: 'tool_search' }, { type: 'tool_search' }, openaiDeferred] },
  'tool-choice': { tools: [openaiTool], tool_choice: { type: 'function', name: 'another' } },
  'item-reference': { input: [ask, { type: 'item_reference', id: 'msg_unknown' }] },
  'item-id': { input: [ask, { ...toolSearchCall({ id: 1 }), id: 'call_1' }] },
  'call-without-output': { input: [ask, functionCall(1, 'a_tool')] },
  'output-without-call': { input: [ask, output(1)] },
  'search-without-output': { input: [ask, toolSearchCall({ id: 1, callId: 2 })] },
  'search-output-without-search': { input: [ask, toolSearchOutput({ id: 1, callId: 2, tools: [] })] },
  'missing-namespace': {
    tools: [{ type: 'tool_search' }, openaiDeferred],
    input: [ask, toolSearchCall({ id: 1 }), toolSearchOutput({ id: 1, tools: [wire] }), called, output(2)],
  },
  'unsupported-model': { model: 'gpt-5.4-nano', tools: [{ type: 'tool_search' }] },
  'search-output-tools': {
    input: [
      ask,
      toolSearchCall({ id: 1, callId: 2 }),
      toolSearchOutput({ id: 1, callId: 2, tools: [{ type: 'function', name: 'a_tool' }] }),
    ],
  },
};

describe('Anthropic', () => {
  const base = { model: 'claude', messages: [user] };
  const say = () => ({ content: [text('Hello.')] });

  it.each(Object.entries(anthropicRefusals) as [ToolRule, object][])('refuses %s', async (rule, body) => {
    const fake = fakeAnthropic(say);
    const answer = await send(fake.fetch, 'messages', { ...base, ...body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(`[rule: ${rule}]`) },
    });
    expect(fake.refused.map((refusal) => refusal.rule)).toEqual([rule]);
    expect(fake.requests).toHaveLength(1);
    for (const lenient of [true, [rule]]) {
      const patient = fakeAnthropic(say, { lenient });
      expect(await send(patient.fetch, 'messages', { ...base, ...body })).toMatchObject({ status: 200 });
      expect(patient.refused).toEqual([]);
    }
  });

  it('refuses a forgotten tool in the result of a search by the service', async () => {
    const fake = fakeAnthropic(say);
    const messages = [user, says(...serverSearch(1, ['gone'])), user];
    await send(fake.fetch, 'messages', { ...base, tools: [search, deferred], messages });
    expect(fake.refused.map(({ rule }) => rule)).toEqual(['tool-reference']);
  });

  it.each([
    { why: 'thinking at the end of a message', blocks: [0], by: 'final block' },
    { why: 'a call whose thinking is gone while it is answered', blocks: [1], by: 'cannot be modified' },
    { why: 'nothing of a whole answer', blocks: [0, 1], by: undefined },
  ])('refuses $why', async ({ blocks, by }) => {
    const content = [thinking('Hm.'), toolUse(1, 'a_tool')];
    const fake = fakeAnthropic(({ index }) => (index === 0 ? { content } : say()));
    await send(fake.fetch, 'messages', base);
    const results = blocks.includes(1) ? gives(result(1)) : user;
    const messages = [user, says(...blocks.map((at) => content[at]!)), results];
    const answer = await send(fake.fetch, 'messages', { ...base, messages });
    if (by === undefined) expect(answer.status).toBe(200);
    else expect(answer.text).toContain(by);
  });

  it('accepts a search without a result only while it is under way', async () => {
    const content = [serverSearchCall(1, 'a'), toolUse(2, 'a_tool')];
    const fake = fakeAnthropic(({ index }) => (index === 0 ? { content } : say()));
    await send(fake.fetch, 'messages', base);
    const going = { ...base, messages: [user, says(...content), gives(result(2))] };
    expect(await send(fake.fetch, 'messages', going)).toMatchObject({ status: 200 });
    expect(await send(fake.fetch, 'messages', going)).toMatchObject({ status: 400 });
  });
});

describe('OpenAI', () => {
  const base = { model: 'gpt', input: [ask] };
  const say = () => ({ content: [message(1, 'Hello.')] });

  it.each(Object.entries(openaiRefusals) as [OpenAIRule, object][])('refuses %s', async (rule, body) => {
    const fake = fakeOpenAI(say);
    const answer = await send(fake.fetch, 'responses', { ...base, ...body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        type: 'invalid_request_error',
        message: expect.stringContaining(`[rule: ${rule}]`),
        param: null,
        code: null,
      },
    });
    expect(fake.refused.map((refusal) => refusal.rule)).toEqual([rule]);
    for (const lenient of [true, [rule]]) {
      const patient = fakeOpenAI(say, { lenient });
      expect(await send(patient.fetch, 'responses', { ...base, ...body })).toMatchObject({ status: 200 });
    }
  });

  it.each([
    { why: 'reasoning with nothing behind it', at: [0], by: 'rs_' },
    { why: 'reasoning with something else behind it', at: [0, 2], by: 'rs_' },
    { why: 'an item without its reasoning', at: [1, 2], by: 'msg_' },
  ])('refuses $why', async ({ at, by }) => {
    const content = [reasoning(1), message(2, 'Hm.'), functionCall(3, 'a_tool')];
    const fake = fakeOpenAI(({ index }) => (index === 0 ? { content } : say()));
    await send(fake.fetch, 'responses', base);
    const input = [ask, ...at.map((position) => ({ type: 'item_reference', id: content[position]?.id })), output(3)];
    const answer = await send(fake.fetch, 'responses', { ...base, input: at.includes(2) ? input : input.slice(0, -1) });
    expect(answer.text).toContain(`Item '${by}`);
    expect(fake.refused.map(({ rule }) => rule)).toEqual(['reasoning-chain']);
  });

  it('accepts an item of a chain that is sent without its id', async () => {
    const content = [reasoning(1), functionCall(2, 'a_tool')];
    const fake = fakeOpenAI(({ index }) => (index === 0 ? { content } : say()));
    await send(fake.fetch, 'responses', base);
    const { id: _, ...call } = functionCall(2, 'a_tool');
    for (const before of [[{ type: 'item_reference', id: content[0]?.id }], []]) {
      const body = { ...base, input: [ask, ...before, call, output(2)] };
      expect(await send(fake.fetch, 'responses', body)).toMatchObject({ status: 200 });
    }
  });

  it('keeps no items of a request that asks not to store them', async () => {
    const fake = fakeOpenAI(say);
    await send(fake.fetch, 'responses', { ...base, store: false });
    const input = [ask, { type: 'item_reference', id: message(1, '').id }];
    expect(await send(fake.fetch, 'responses', { ...base, input })).toMatchObject({ status: 400 });
  });

  it('refuses calls and results apart in chat completions', async () => {
    const fake = fakeOpenAI(say);
    const called = { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: {} }] };
    const answer = { role: 'tool', tool_call_id: 'call_1', content: 'ok' };
    const chat = (...messages: object[]) => send(fake.fetch, 'chat/completions', { model: 'gpt', messages });
    expect(await chat(user, called, answer)).toMatchObject({ status: 200 });
    expect(await chat(user, called)).toMatchObject({ status: 400 });
    expect(await chat(user, answer)).toMatchObject({ status: 400 });
    expect(fake.refused.map(({ rule }) => rule)).toEqual(['call-without-output', 'output-without-call']);
  });
});
