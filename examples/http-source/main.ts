// A catalog behind a search service: what the agent knows of its tools is what the service found. The interface is in
// source.ts, in fifty lines.
// Run it with: npm run example:http-source
import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { scriptedModel, toolNames } from '../../test/support/scripted-model.ts';
import { definitions, runTool } from '../support/services.ts';
import { taskScript, textOf } from '../support/task-script.ts';
import { startService } from './service.ts';
import { httpSource } from './source.ts';

const service = await startService(definitions, runTool);
const model = scriptedModel(taskScript([{ search: 'current weather of a city', values: { city: 'Bern' } }]));
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You help.',
  model,
  inputProcessors: [new ToolSearchProcessor({ tools: httpSource(service.url) })],
  defaultOptions: { maxSteps: 20 },
});

try {
  const { text, steps } = await agent.generate('How is the weather in Bern?');
  for (const [at, call] of model.calls.entries()) {
    console.log(`Call ${at + 1}: the model was sent ${toolNames(call).join(', ')}`);
    for (const { payload } of steps[at]?.toolResults ?? [])
      console.log(`  ${payload.toolName}: ${textOf(payload.result)}`);
  }
  console.log(`${text}\nThe service was asked for: ${service.asked.join(', ')}.`);
  assert.match(text, /sunny in Bern/);
} finally {
  await service.stop();
}
