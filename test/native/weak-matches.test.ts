import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { email, fillerTools, toolRecord, weather } from '../support/harness.ts';
import {
  anthropicStep,
  fakeAnthropic,
  fakeOpenAI,
  message,
  openaiStep,
  text,
  toolSearchCall,
  toolUse,
} from './fake-provider.ts';

/** Matches "get_weather" by a word that is no more than a part of it. */
const VAGUE = 'city parade';

function agentOf(model: unknown): Agent {
  const tools = { ...toolRecord(weather(), email()), ...fillerTools(20) };
  const inputProcessors = [new ToolSearchProcessor({ tools, mode: 'native' })];
  return new Agent({ id: 'a', name: 'A', instructions: 'Help.', model: model as never, inputProcessors });
}

/** Runs the searches one after the other, and returns the tool results that Anthropic was sent. */
async function anthropicResults(...queries: readonly unknown[]): Promise<readonly unknown[]> {
  const fake = fakeAnthropic(({ body }) => {
    const query = queries[anthropicStep(body)];
    return {
      content: query === undefined ? [text('done')] : [toolUse(anthropicStep(body), 'search_tools', { query })],
    };
  });
  await agentOf(createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5')).generate('hi');
  expect(fake.refused).toEqual([]);
  return (fake.requests.at(-1)?.body.messages ?? [])
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_result')
    .map(({ content }) => content);
}

it('are told to Anthropic in words, and loaded once they are selected', async () => {
  const [weak, selected] = await anthropicResults(VAGUE, 'select:get_weather');
  expect(weak).toMatch(/No tool clearly matches .*city parade.*; closest: get_weather\. Call search_tools with/);
  expect(selected).toEqual([{ type: 'tool_reference', tool_name: 'get_weather' }]);
});

it('of several queries at once, too', async () => {
  const [weak] = await anthropicResults([VAGUE, 'mail order of a parrot']);
  expect(weak).toMatch(/No tool clearly matches/);
});

it('beside a query with a clear match are referred to as well', async () => {
  const [results] = await anthropicResults([VAGUE, 'email']);
  expect(results).toEqual([
    { type: 'tool_reference', tool_name: 'get_weather' },
    { type: 'tool_reference', tool_name: 'send_email' },
  ]);
});

it('are given to OpenAI as definitions: it reads nothing else of a search', async () => {
  const fake = fakeOpenAI(({ body }) => ({
    content:
      openaiStep(body) === 0 ? [toolSearchCall({ id: 1, callId: 1, args: { query: VAGUE } })] : [message(2, 'done')],
  }));
  await agentOf(createOpenAI({ apiKey: 'x', fetch: fake.fetch })('gpt-5.4')).generate('hi');
  expect(fake.requests[1]?.body.input?.at(-1)).toMatchObject({
    type: 'tool_search_output',
    tools: [{ name: 'get_weather' }],
  });
});
