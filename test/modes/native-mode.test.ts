import { RequestContext } from '@mastra/core/request-context';
import { type NativeOptions, ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it, vi } from 'vitest';
import { tool, toolRecord } from '../support/agent.ts';

vi.mock('../../src/native/mode.ts', () => {
  throw new Error('This file was not deployed.');
});

/** What two steps of a request send, or say, over a processor whose native mode cannot be loaded. */
async function twoSteps(fallback: NativeOptions['fallback']) {
  const events: string[] = [];
  const processor = new ToolSearchProcessor({
    tools: toolRecord(tool('get_weather')),
    mode: 'native',
    native: { fallback: fallback! },
    onEvent: (event) => {
      if (event.type === 'native-off') events.push(`${event.reason} ${event.model}`);
    },
  });
  const model = { specificationVersion: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
  const request = { state: {}, messageList: { addSystem: () => {} }, requestContext: new RequestContext(), model };
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  const rewritten = () => processor.processLLMRequest?.({ ...request, prompt } as never);
  const steps: unknown[] = [rewritten()];
  for (const stepNumber of [0, 1]) {
    const step = processor.processInputStep({ ...request, stepNumber, tools: {} } as never) as Promise<{
      tools: object;
    }>;
    steps.push(await step.then(({ tools }) => Object.keys(tools), String));
  }
  steps.push(rewritten());
  processor.processAPIError?.({ ...request, error: new Error('no') } as never);
  return { steps, events };
}

it('a processor whose native mode cannot be loaded reports it once a request, and sends the tools of load mode', async () => {
  const sent = ['search_tools', 'load_tool'];
  expect(await twoSteps('load')).toEqual({
    steps: [undefined, sent, sent, undefined],
    events: ['failed claude-sonnet-4-5'],
  });
});

it("ends the step with native-unsupported, where native.fallback is 'error'", async () => {
  const { steps } = await twoSteps('error');
  expect(steps[1]).toMatch(/cannot be loaded.*\(native-unsupported\)/);
});
