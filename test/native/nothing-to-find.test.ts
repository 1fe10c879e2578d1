import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { type MastraTool, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, toolRecord, weather } from '../support/harness.ts';
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
  it('Anthropic reads so in the result', async () => {
    const fake = fakeAnthropic(({ body }) => {
      const step = anthropicStep(body);
      return { content: step < searches ? [toolUse(step, 'search_tools', { query: 'qqqq' })] : [text('done')] };
    });
    await agentOf(createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5'), tools).generate('hi');
    expect(fake.refused).toEqual([]);
    const bodies = fake.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(bodies.map((body) => body.includes(says))).toEqual([...Array(searches).fill(false), true]);
  });

  it('OpenAI, whose results have no place for words, reads so in the system text', async () => {
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
