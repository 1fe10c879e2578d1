import * as anthropic4 from '@ai-sdk/anthropic';
import * as openai4 from '@ai-sdk/openai';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { Agent } from '@mastra/core/agent';
import * as anthropic3 from 'anthropic-v3';
import * as openai3First from 'openai-v3-first';
import { describe, expect, it } from 'vitest';
import { tool, toolRecord } from '../../support/harness.ts';
import {
  type AnthropicScript,
  anthropicStep,
  fakeAnthropic,
  fakeOpenAI,
  functionCall,
  hostedSearch,
  listen,
  message,
  type OpenAIScript,
  openaiStep,
  reasoning,
  serverSearch,
  text,
  toolSearchCall,
  toolUse,
  withRouter,
} from './fake-provider.ts';

const anthropics = { 3: anthropic3, 4: anthropic4 };
const openais = { '3 (first)': openai3First, 4: openai4 };
const modes = ['generate', 'stream'] as const;
const combinations = <Versions extends object>(versions: Versions) =>
  (Object.keys(versions) as (keyof Versions)[]).flatMap((version) => modes.map((mode) => ({ version, mode })));

/** Every part that a model answers, whatever its version. */
async function parts(model: object, mode: 'generate' | 'stream', options: object): Promise<Record<string, unknown>[]> {
  const { doGenerate, doStream } = model as Record<string, (given: unknown) => Promise<Record<string, unknown>>>;
  const given: LanguageModelV4CallOptions = {
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    ...options,
  };
  if (mode === 'generate') return (await doGenerate!.call(model, given))['content'] as Record<string, unknown>[];
  const { stream } = await doStream!.call(model, given);
  const all: Record<string, unknown>[] = [];
  for await (const part of stream as ReadableStream<Record<string, unknown>>) all.push(part);
  expect(all.filter(({ type }) => type === 'error')).toEqual([]);
  return all;
}

const ofType = (all: readonly Record<string, unknown>[], type: string) => all.filter((part) => part['type'] === type);
const textOf = (all: readonly Record<string, unknown>[]): string =>
  all
    .map((part) => (part['type'] === 'text' ? part['text'] : part['type'] === 'text-delta' ? part['delta'] : ''))
    .join('');

function agentOver(model: unknown): Agent {
  const tools = toolRecord(tool('get_weather'));
  return new Agent({ id: 'a', name: 'A', instructions: 'Help.', model: model as never, tools });
}

async function run(agent: Agent, mode: 'generate' | 'stream'): Promise<string> {
  if (mode === 'generate') return (await agent.generate('hi')).text;
  const output = await agent.stream('hi');
  await output.consumeStream();
  return output.text;
}

const useWeather: AnthropicScript = ({ body }) =>
  anthropicStep(body) === 0
    ? { content: [text('Let me look.'), toolUse(1, 'get_weather', { text: 'Oslo' })] }
    : { content: [text('Sunny.')] };

const callWeather: OpenAIScript = ({ body }) =>
  openaiStep(body) === 0
    ? { content: [functionCall(1, 'get_weather', { text: 'Oslo' })] }
    : { content: [message(1, 'Sunny.')] };

describe('Anthropic', () => {
  it.each(combinations(anthropics))('$version, $mode: an agent runs its tool', async ({ version, mode }) => {
    const fake = fakeAnthropic(useWeather);
    const { createAnthropic } = anthropics[version];
    expect(
      await run(agentOver(createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5')), mode),
    ).toMatch(/Sunny\.$/);
    expect(fake.refused).toEqual([]);
    expect(fake.requests.map(({ index, body }) => [index, body.stream ?? false])).toEqual([
      [0, mode === 'stream'],
      [1, mode === 'stream'],
    ]);
    expect(fake.requests[1]!.url).toBe('https://api.anthropic.com/v1/messages');
    expect(fake.requests[1]!.headers['x-api-key']).toBe('x');
    expect(fake.requests[1]!.body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Let me look.' }, toolUse(1, 'get_weather', { text: 'Oslo' })],
      },
      { role: 'user', content: [expect.objectContaining({ type: 'tool_result', tool_use_id: toolUse(1, '').id })] },
    ]);
  });

  it.each(combinations({ 3: 0, 4: 0 }))('$version, $mode: a search by the service', async ({ version, mode }) => {
    const fake = fakeAnthropic(() => ({ content: [...serverSearch(1, ['a_tool'], 'things'), toolUse(2, 'a_tool')] }));
    const model = anthropics[version].createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5');
    const inputSchema = { type: 'object', properties: {} };
    const all = await parts(model, mode, {
      tools: [
        { type: 'provider', id: 'anthropic.tool_search_bm25_20251119', name: 'tool_search_tool_bm25', args: {} },
        {
          type: 'function',
          name: 'a_tool',
          inputSchema,
          providerOptions: { anthropic: { deferLoading: true } },
        },
      ],
    });
    expect(ofType(all, 'tool-call').map(({ toolName, input }) => [toolName, JSON.parse(String(input))])).toEqual([
      ['tool_search_tool_bm25', { query: 'things' }],
      ['a_tool', {}],
    ]);
    expect(ofType(all, 'tool-result').map(({ result }) => result)).toEqual([
      [{ type: 'tool_reference', toolName: 'a_tool' }],
    ]);
    expect(
      fake.requests[0]!.body.tools?.map(({ name, type, defer_loading: deferred }) => [name, type, deferred]),
    ).toEqual([
      ['tool_search_tool_bm25', 'tool_search_tool_bm25_20251119', undefined],
      ['a_tool', undefined, true],
    ]);
  });

  it('answers the errors of a script in the format of the service', async () => {
    const fake = fakeAnthropic(() => ({
      status: 400,
      error: { message: 'tool search is not supported on this model' },
    }));
    const model = anthropic4.createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-3-haiku');
    await expect(parts(model, 'generate', {})).rejects.toMatchObject({
      statusCode: 400,
      message: 'tool search is not supported on this model',
      responseBody: expect.stringContaining('"type":"error"'),
    });
    expect(fake.refused).toEqual([]);
  });
});

describe('OpenAI', () => {
  it.each(combinations(openais))('$version, $mode: an agent runs its tool', async ({ version, mode }) => {
    const fake = fakeOpenAI(callWeather);
    const model = openais[version].createOpenAI({ apiKey: 'x', fetch: fake.fetch }).responses('gpt-5.4');
    expect(await run(agentOver(model), mode)).toBe('Sunny.');
    expect(fake.refused).toEqual([]);
    expect(fake.requests).toHaveLength(2);
    expect(fake.requests[1]!.url).toBe('https://api.openai.com/v1/responses');
    expect(fake.requests[1]!.body.input.at(-1)).toMatchObject({ type: 'function_call_output' });
  });

  it.each(combinations(openais))('$version, $mode: chat completions', async ({ version, mode }) => {
    const fake = fakeOpenAI(callWeather);
    const model = openais[version].createOpenAI({ apiKey: 'x', fetch: fake.fetch }).chat('gpt-5.4');
    expect(await run(agentOver(model), mode)).toBe('Sunny.');
    expect(fake.refused).toEqual([]);
    expect(fake.requests.map(({ url }) => url)).toEqual(Array(2).fill('https://api.openai.com/v1/chat/completions'));
    expect(fake.requests[1]!.body.messages?.map(({ role }) => role).slice(1)).toEqual(['user', 'assistant', 'tool']);
  });

  const search = { type: 'provider', id: 'openai.tool_search', name: 'tool_search' };
  const deferred = {
    type: 'function',
    name: 'a_tool',
    inputSchema: { type: 'object', properties: {} },
    providerOptions: { openai: { deferLoading: true } },
  };

  it.each(combinations(openais))('$version, $mode: a search by the service', async ({ version, mode }) => {
    const fake = fakeOpenAI(({ body }) => ({
      content: [reasoning(1), ...hostedSearch(1, body, ['a_tool']), functionCall(2, 'a_tool'), message(3, 'Hm.')],
    }));
    const model = openais[version].createOpenAI({ apiKey: 'x', fetch: fake.fetch }).responses('gpt-5.4');
    const all = await parts(model, mode, { tools: [{ ...search, args: {} }, deferred] });
    expect(ofType(all, 'tool-call').map(({ toolName }) => toolName)).toEqual(['tool_search', 'a_tool']);
    expect(ofType(all, 'tool-result')).toMatchObject([
      { toolName: 'tool_search', result: { tools: [{ type: 'function', name: 'a_tool', defer_loading: true }] } },
    ]);
    expect(textOf(all)).toBe('Hm.');
  });

  it.each(combinations(openais))('$version, $mode: a search by the client', async ({ version, mode }) => {
    const fake = fakeOpenAI(() => ({ content: [toolSearchCall({ id: 1, callId: 2, args: { query: 'things' } })] }));
    const model = openais[version].createOpenAI({ apiKey: 'x', fetch: fake.fetch }).responses('gpt-5.4');
    const args = { execution: 'client', description: 'Finds tools.', parameters: { type: 'object', properties: {} } };
    const all = await parts(model, mode, { tools: [{ ...search, args }] });
    expect(ofType(all, 'tool-call').map(({ toolName, input }) => [toolName, JSON.parse(String(input))])).toEqual([
      ['tool_search', { arguments: { query: 'things' }, call_id: functionCall(2, '').call_id }],
    ]);
    expect(fake.requests[0]!.body.tools).toEqual([{ type: 'tool_search', ...args }]);
  });

  it('answers the errors of a script in the format of the service', async () => {
    const fake = fakeOpenAI(() => ({ status: 400, error: { message: 'No tool search here.', code: 'unsupported' } }));
    const model = openai4.createOpenAI({ apiKey: 'x', fetch: fake.fetch }).responses('gpt-4.1');
    await expect(parts(model, 'generate', {})).rejects.toMatchObject({
      statusCode: 400,
      message: 'No tool search here.',
    });
  });
});

describe('ways to the fakes', () => {
  it.each(modes)('model strings of Mastra, %s', async (mode) => {
    const anthropic = fakeAnthropic(useWeather);
    const openai = fakeOpenAI(callWeather);
    const other = fakeOpenAI(callWeather);
    const environment = { ...process.env };
    const { fetch } = globalThis;
    await withRouter({ anthropic, openai, hosts: { 'openrouter.ai': other } }, async () => {
      expect(await run(agentOver('anthropic/claude-sonnet-4-5'), mode)).toMatch(/Sunny\.$/);
      expect(await run(agentOver('openai/gpt-5.4'), mode)).toBe('Sunny.');
      expect(await run(agentOver('openrouter/anthropic/claude-sonnet-4.5'), mode)).toBe('Sunny.');
    });
    expect(globalThis.fetch).toBe(fetch);
    expect({ ...process.env }).toEqual(environment);
    for (const fake of [anthropic, openai, other]) {
      expect(fake.requests).toHaveLength(2);
      expect(fake.refused).toEqual([]);
    }
    expect(openai.requests[0]!.url).toBe('https://api.openai.com/v1/responses');
    expect(other.requests[0]!.url).toBe('https://openrouter.ai/api/v1/chat/completions');
  });

  it.each(modes)('over HTTP, %s', async (mode) => {
    const fake = fakeAnthropic(useWeather);
    const server = await listen(fake);
    try {
      const provider = anthropic4.createAnthropic({ apiKey: 'x', baseURL: `${server.url}/v1` });
      expect(await run(agentOver(provider('claude-sonnet-4-5')), mode)).toMatch(/Sunny\.$/);
      const answer = await fetch(server.url);
      expect([answer.status, answer.headers.get('connection')]).toEqual([404, 'close']);
    } finally {
      await server.close();
    }
    expect(fake.requests).toHaveLength(2);
    expect(fake.requests[0]!.headers['x-api-key']).toBe('x');
  });
});
