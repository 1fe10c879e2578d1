// The README's first example, byte for byte. Run it with: npm run example:quick-start
// README:start
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { model, tools } from './support/office.ts'; // yours: any model, any record of tools

const agent = new Agent({
  id: 'office',
  name: 'Office',
  instructions: 'You help in an office.',
  model,
  inputProcessors: [new ToolSearchProcessor({ tools })],
  defaultOptions: { maxSteps: 20 },
});

const { text, steps } = await agent.generate('How is the weather in Bern?');
console.log(steps.flatMap((step) => step.toolCalls.map((call) => call.payload.toolName)).join(' → '));
console.log(text);
// search_tools → load_tool → get_weather
// Done. Sunny, 21 °C.
// README:end
