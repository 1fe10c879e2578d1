import { createAnthropic } from '@ai-sdk/anthropic';
import { Agent } from '@mastra/core/agent';
import { type InputProcessor, ProcessorStepSchema } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { email, toolRecord, weather } from '../support/harness.ts';
import { anthropicStep, fakeAnthropic, text, toolUse } from './fakes/fake-provider.ts';
import { FORMS_AND_MODES, goalRig, KINDS, say } from './rig/rig.ts';

const MODEL = { specificationVersion: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };

it('the hooks work without an agent, one after the other', async () => {
  const processor = new ToolSearchProcessor({ tools: toolRecord(weather(), email()), mode: 'native' });
  const request = {
    state: {},
    messageList: { addSystem: () => {} },
    requestContext: new RequestContext(),
    model: MODEL,
  };
  const { tools } = await processor.processInputStep({ ...request, stepNumber: 0, tools: {} } as never);
  expect(Object.keys(tools)).toEqual(['search_tools', 'get_weather', 'send_email']);
  const value = await tools.search_tools.execute?.({ query: 'weather' }, {} as never);

  const call = { toolCallId: 'a', toolName: 'search_tools' };
  const prompt = [
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { query: 'weather' } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'json', value } }] },
  ];
  const rewritten = processor.processLLMRequest?.({ ...request, prompt });
  expect(rewritten?.prompt[1].content[0].output).toMatchObject({
    type: 'content',
    value: [{ type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName: 'get_weather' } } }],
  });
});

/** A workflow of the user's own around processors. */
function workflowOf(...processors: readonly unknown[]): InputProcessor {
  let workflow = createWorkflow({ id: 'all', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
  for (const processor of processors) workflow = workflow.then(createStep(processor as never)) as never;
  return workflow.commit() as unknown as InputProcessor;
}

const offs = (events: readonly ToolSearchEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'native-off' ? [event.reason] : []));

const cases = KINDS.flatMap((kind) => FORMS_AND_MODES.map((form) => ({ ...form, kind })));

describe('a processor within a workflow', () => {
  // Mastra asks no processor in a workflow for the prompt: it is rewritten when the model is called.
  it.each(cases)('works natively as it does outside: $kind, $dialect $execution, $mode', async (one) => {
    const { kind, ...form } = one;
    const { agent, service, events, refused } = goalRig(form, { kind, around: (own) => [workflowOf(own)] });
    for (const said of ['use get_weather', 'use send_email', 'use get_weather']) {
      expect((await say(agent, one.mode, said)).text).toBe('done');
    }
    expect(service.views().every(({ isNative }) => isNative)).toBe(true);
    expect(offs(events)).toEqual([]);
    expect(refused()).toEqual([]);
  });
});

it('a request goes on in load mode where a later step of a workflow puts a model of its own in the place of the wrapped one', async () => {
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
  const agent = new Agent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model: model as never,
    inputProcessors: [workflowOf(processor, chooser)],
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
