// A newcomer's script: two tools, no maxSteps, no Mastra, and nothing that keeps the process.
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from '../../src/index.ts';
import { tool, toolRecord } from '../support/agent.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const names = ['get_weather', 'send_email'];
const script = names.flatMap((name) => [
  { toolName: 'search_tools', input: { query: name } },
  { toolName: 'load_tool', input: { toolName: name } },
  { toolName: name, input: {} },
]);
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'You help.',
  model: scriptedModel(({ step }) => {
    const next = script[step];
    return next ? { toolCalls: [next] } : { text: 'done' };
  }) as never,
  inputProcessors: [new ToolSearchProcessor({ tools: toolRecord(...names.map((name) => tool(name, name))) })],
});
const { text } = await agent.generate('Mail me the weather');
console.log(`answer: "${text}"`);
