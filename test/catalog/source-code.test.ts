import { type ToolSearchEvent, ToolSearchProcessor } from 'mastra-tool-search';
import { expect, it, vi } from 'vitest';

vi.mock('../../src/source/source-set.ts', () => {
  throw new Error('This file was not deployed.');
});

it('a source whose code cannot be loaded is an event of each run, which goes on without its tools', async () => {
  const events: ToolSearchEvent[] = [];
  const processor = new ToolSearchProcessor({
    tools: { name: 'shop', search: () => [], get: () => ({}) },
    onEvent: (event) => events.push(event),
  });
  const request = { state: {}, messageList: { addSystem: () => {} }, tools: {}, stepNumber: 0 };
  const step = await processor.processInputStep(request as never);
  expect(Object.keys(step.tools)).toEqual(['search_tools', 'load_tool']);
  const answer = await step.tools.search_tools.execute?.({ query: 'send an email' }, {} as never);
  expect(answer).toMatchObject({ results: [] });
  expect(events.find(({ type }) => type === 'source-failed')).toMatchObject({ source: 'shop', operation: 'search' });
  await expect(processor.search('send an email')).rejects.toMatchObject({ code: 'search-failed' });
});
