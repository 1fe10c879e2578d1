import * as nodeModule from 'node:module';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { describe, expect, it } from 'vitest';
import { askNewProcess } from '../support/new-process.ts';
import { tool, toolRecord } from '../support/simple-tools.ts';
import type { Outcome } from './native-mode-child.ts';

const child = new URL('./native-mode-child.ts', import.meta.url);

const noHooks = 'registerHooks' in nodeModule ? '' : ', skipped: Node has no registerHooks() before 22.15';

describe.skipIf(noHooks !== '')(`a processor whose native mode cannot be loaded${noHooks}`, () => {
  it('reports it once a request, and sends the tools of load mode', async () => {
    expect(await askNewProcess<Outcome>(child, 'load')).toEqual({
      steps: [
        ['search_tools', 'load_tool'],
        ['search_tools', 'load_tool'],
      ],
      events: ['failed claude-sonnet-4-5: Error: This file was not deployed.'],
      hasRewritten: false,
      rejections: [],
    });
  });

  it("ends the step with native-unsupported, where native.fallback is 'error'", async () => {
    const { steps, rejections } = await askNewProcess<Outcome>(child, 'error');
    expect(steps[0]).toMatch(/cannot be loaded.*\(native-unsupported\)/);
    expect(rejections).toEqual([]);
  });
});

it('leaves a prompt as it is until native mode is loaded', () => {
  const processor = new ToolSearchProcessor({ tools: toolRecord(tool('get_weather')), mode: 'native' });
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  expect(processor.processLLMRequest?.({ prompt, model: {}, state: {} })).toBeUndefined();
});
