import * as nodeModule from 'node:module';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { askNewProcess } from '../support/new-process.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';
import type { Order, Outcome } from './call-mode-child.ts';

const child = new URL('./call-mode-child.ts', import.meta.url);

const noHooks = 'registerHooks' in nodeModule ? '' : ', skipped: Node has no registerHooks() before 22.15';

describe.skipIf(noHooks !== '')(`a processor with a file of its code missing${noHooks}`, () => {
  it.each<Order>([
    { missing: 'call/call.ts', options: { mode: 'call' } },
    { missing: 'call/run-misses.ts', options: { onMiss: 'run' } },
    { missing: './rewritten-calls.ts', options: { onMiss: 'run' } },
  ])('reports it once a request, and is in load mode: %j', async (order) => {
    expect(await askNewProcess<Outcome>(child, order)).toEqual({
      steps: [
        ['search_tools', 'load_tool'],
        ['search_tools', 'load_tool', 'get_weather'],
      ],
      events: ['Error: This file was not deployed.'],
      rejections: [],
    });
  });
});

it('leaves a prompt as it is until call mode is loaded', () => {
  const processor = new ToolSearchProcessor({ tools: toolRecord(tool('get_weather')), mode: 'call' });
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  expect(processor.processLLMRequest?.({ prompt, model: {}, state: {} })).toBeUndefined();
});
