import { createAnthropic } from '@ai-sdk/anthropic';
import { Agent } from '@mastra/core/agent';
import { type InputProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { email, toolRecord, weather } from '../support/harness.ts';
import { anthropicStep, fakeAnthropic, text, toolUse } from './fake-provider.ts';

it('goes on in load mode where nothing can be rewritten: a later step of a workflow takes its own model', async () => {
  const fake = fakeAnthropic(({ body }) => {
    const step = anthropicStep(body);
    if (step === 0) return { content: [toolUse(1, 'search_tools', { query: 'weather' })] };
    return { content: step === 1 ? [toolUse(2, 'get_weather')] : [text('done')] };
  });
  const model = createAnthropic({ apiKey: 'x', fetch: fake.fetch })('claude-sonnet-4-5');
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(weather(), email()),
    mode: 'native',
    onEvent: (event) => void events.push(event),
  });
  const chooser = { id: 'chooser', processInputStep: () => ({ model }) };
  const workflow = createWorkflow({ id: 'both', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
    .then(createStep(processor as never))
    .then(createStep(chooser as never))
    .commit() as unknown as InputProcessor;
  const agent = new Agent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model: model as never,
    inputProcessors: [workflow],
  });

  expect((await agent.generate('hi')).text).toBe('done');
  expect(fake.refused).toEqual([]);
  const sent = fake.requests.map(({ body }) => body.tools?.map(({ name, defer_loading }) => [name, defer_loading]));
  const deferred = [
    ['search_tools', undefined],
    ['get_weather', true],
    ['send_email', true],
  ];
  expect(sent[0]).toEqual(deferred);
  expect(sent[1]).toEqual([
    ['search_tools', undefined],
    ['load_tool', undefined],
    ['get_weather', undefined],
  ]);
  expect(events).toContainEqual(expect.objectContaining({ type: 'native-off', reason: 'not-rewritten' }));
});
