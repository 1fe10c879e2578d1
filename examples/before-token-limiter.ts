// Before a TokenLimiter: the limiter counts the system text of the search and trims old messages; what was loaded
// stays loaded. Run it with: npm run example:before-token-limiter
import { Agent } from '@mastra/core/agent';
import type { CoreMessage } from '@mastra/core/llm';
import { TokenLimiter } from '@mastra/core/processors';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { toolNames } from '../test/support/scripted-model.ts';
import { model, tools } from './support/office.ts';

const agent = new Agent({
  id: 'office',
  name: 'Office',
  instructions: 'You help in an office.',
  model,
  inputProcessors: [new ToolSearchProcessor({ tools }), new TokenLimiter(1_000)],
  defaultOptions: { maxSteps: 20 },
});

const chatter = 'We talked about this at length. '.repeat(10);
const longConversation = Array.from({ length: 20 }, () => [
  { role: 'user' as const, content: chatter },
  { role: 'assistant' as const, content: chatter },
]).flat();
const messages = [...longConversation, { role: 'user' as const, content: 'How is the weather in Bern?' }];

const { text } = await agent.generate(messages as CoreMessage[]);
console.log(`The conversation has ${messages.length} messages.`);
for (const [index, call] of model.calls.entries()) {
  console.log(`Call ${index + 1} had ${call.prompt.length} messages and ${toolNames(call).join(', ')}`);
}
console.log(text);
