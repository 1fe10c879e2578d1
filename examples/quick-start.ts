// The README's quick start, byte for byte. Run it with: npm run example:quick-start
// Without OPENAI_API_KEY, support/openai-stand-in.ts answers in place of OpenAI.
// README:start
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { z } from 'zod';

const getWeather = createTool({
  id: 'get_weather',
  description: 'Get the current weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sunny in ${city}, 21 °C`,
});

const sendEmail = createTool({
  id: 'send_email',
  description: 'Send an email message to somebody',
  inputSchema: z.object({ to: z.string(), body: z.string() }),
  execute: async ({ to }) => `Sent to ${to}`,
});

const toolSearch = new ToolSearchProcessor({ tools: { getWeather, sendEmail } });

const agent = new Agent({
  id: 'office',
  name: 'Office',
  instructions: 'You help in an office.',
  model: 'openai/gpt-5-mini',
  inputProcessors: [toolSearch],
  errorProcessors: [toolSearch],
  defaultOptions: { maxSteps: 20 },
});

const { text, steps } = await agent.generate('How is the weather in Bern?');
console.log(steps.flatMap((step) => step.toolCalls.map((call) => call.payload.toolName)).join(' → '));
console.log(text);
// search_tools → load_tool → get_weather
// It is sunny in Bern, 21 °C.
// README:end
