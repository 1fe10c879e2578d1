import { RequestContext } from '@mastra/core/request-context';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it } from 'vitest';
import { email, toolRecord, weather } from '../support/harness.ts';

const model = { specificationVersion: 'v3', provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };

it('the hooks fit each other without an agent, one after the other', async () => {
  const processor = new ToolSearchProcessor({ tools: toolRecord(weather(), email()), mode: 'native' });
  const request = { state: {}, messageList: { addSystem: () => {} }, requestContext: new RequestContext(), model };
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
