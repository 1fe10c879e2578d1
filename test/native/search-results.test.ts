import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
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
} from './fakes/fake-provider.ts';

const cases = [
  { what: 'there is nothing to find', tools: {}, searches: 1, says: 'No other tools are available at the moment' },
  {
    what: 'three searches led to nothing',
    tools: toolRecord(weather(), email()),
    searches: 3,
    says: 'You have searched 3 times without loading or calling a tool',
  },
];

function agentOf(model: unknown, tools: Record<string, MastraTool>): Agent {
  const inputProcessors = [new ToolSearchProcessor({ tools, mode: 'native' })];
  const defaultOptions = { maxSteps: 20 };
  return new Agent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model: model as never,
    inputProcessors,
    defaultOptions,
  });
}

describe.each(cases)('when $what', ({ tools, searches, says }) => {
  it('a model of Anthropic reads it in the result', async () => {
    const fake = fakeAnthropic(({ body }) => {
      const step = anthropicStep(body);
      return { content: step < searches ? [toolUse(step, 'search_tools', { query: 'qqqq' })] : [text('done')] };
    });
    await agentOf(createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5'), tools).generate('hi');
    expect(fake.refused).toEqual([]);
    const bodies = fake.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(bodies.map((body) => body.includes(says))).toEqual([...Array(searches).fill(false), true]);
  });

  it('a model of OpenAI reads it in the system text, as its results have no place for words', async () => {
    const fake = fakeOpenAI(({ body }) => {
      const step = openaiStep(body);
      const searching = toolSearchCall({ id: step, callId: step, args: { query: 'qqqq' } });
      return { content: step < searches ? [searching] : [message(99, 'done')] };
    });
    await agentOf(createOpenAI({ apiKey: 'x', fetch: fake.fetch })('gpt-5.4'), tools).generate('hi');
    expect(fake.refused).toEqual([]);
    const bodies = fake.requests.map(({ body }) => JSON.stringify(body.input));
    expect(bodies.map((body) => body.includes(says))).toEqual([...Array(searches).fill(false), true]);
  });
});

/** Matches "get_weather" by a word that is no more than a part of it. */
const VAGUE = 'city parade';

const manyTools = (): Record<string, MastraTool> => ({ ...toolRecord(weather(), email()), ...fillerTools(20) });

/** Runs the searches one after the other, and returns the tool results that Anthropic was sent. */
async function anthropicResults(...queries: readonly unknown[]): Promise<readonly unknown[]> {
  const fake = fakeAnthropic(({ body }) => {
    const query = queries[anthropicStep(body)];
    return {
      content: query === undefined ? [text('done')] : [toolUse(anthropicStep(body), 'search_tools', { query })],
    };
  });
  await agentOf(createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5'), manyTools()).generate('hi');
  expect(fake.refused).toEqual([]);
  return (fake.requests.at(-1)?.body.messages ?? [])
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_result')
    .map(({ content }) => content);
}

describe('weak matches', () => {
  it('are told to Anthropic in words, and loaded once they are selected', async () => {
    const [weak, selected] = await anthropicResults(VAGUE, 'select:get_weather');
    expect(weak).toMatch(/No tool clearly matches .*city parade.*; closest: get_weather\. Call search_tools with/);
    expect(selected).toEqual([{ type: 'tool_reference', tool_name: 'get_weather' }]);
  });

  it('are told of several queries at once', async () => {
    const [weak] = await anthropicResults([VAGUE, 'mail order of a parrot']);
    expect(weak).toMatch(/No tool clearly matches/);
  });

  it('are referred to beside the clear match of another query', async () => {
    const [results] = await anthropicResults([VAGUE, 'email']);
    expect(results).toEqual([
      { type: 'tool_reference', tool_name: 'get_weather' },
      { type: 'tool_reference', tool_name: 'send_email' },
    ]);
  });

  it('are definitions for OpenAI, whose models read nothing else of a search', async () => {
    const fake = fakeOpenAI(({ body }) => ({
      content:
        openaiStep(body) === 0 ? [toolSearchCall({ id: 1, callId: 1, args: { query: VAGUE } })] : [message(2, 'done')],
    }));
    await agentOf(createOpenAI({ apiKey: 'x', fetch: fake.fetch })('gpt-5.4'), manyTools()).generate('hi');
    expect(fake.requests[1]?.body.input?.at(-1)).toMatchObject({
      type: 'tool_search_output',
      tools: [{ name: 'get_weather' }],
    });
  });
});
