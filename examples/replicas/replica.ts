// One replica of an app: an agent with loaded tools in Redis. It answers one message and ends.
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor } from 'mastra-tool-search';
import { redisStore } from 'mastra-tool-search/redis';
import { createClient } from 'redis';
import { lastToolResult, type Script, scriptedModel, toolNames } from '../../test/support/scripted-model.ts';
import { tools } from '../support/office.ts';
import { textOf } from '../support/task-script.ts';

const [name, task, url = ''] = process.argv.slice(2);

/** Searches and loads, but has nothing to call the tool with yet. */
const prepare: Script = ({ step }) => {
  if (step === 0) return { toolCalls: [{ toolName: 'search_tools', input: { query: 'weather in a city' } }] };
  if (step === 1) return { toolCalls: [{ toolName: 'load_tool', input: { toolName: 'get_weather' } }] };
  return { text: 'I am ready. Which city?' };
};

/** Calls the tool at once, if it is there. */
const ask: Script = (call) => {
  if (call.step > 0) return { text: textOf(lastToolResult(call.prompt)?.value) };
  if (!toolNames(call).includes('get_weather')) return { text: 'I have no tool for this.' };
  return { toolCalls: [{ toolName: 'get_weather', input: { city: 'Bern' } }] };
};

// Without a server, commands reject at once: the run goes on without the store.
const client = createClient({ url, disableOfflineQueue: true });
client.on('error', (error) => console.error(String(error)));
await client.connect();

const model = scriptedModel(task === 'prepare' ? prepare : ask);
const agent = new Agent({
  id: 'office',
  name: 'Office',
  instructions: 'You help in an office.',
  model,
  inputProcessors: [new ToolSearchProcessor({ tools, storage: redisStore({ client }) })],
  defaultOptions: { maxSteps: 20 },
});
const message = task === 'prepare' ? 'I will ask about the weather.' : 'In Bern, please.';
const { text, steps } = await agent.generate(message, { memory: { thread: 'thread-1', resource: 'user-1' } });
await client.close();

const called = steps.flatMap((step) => step.toolCalls.map((call) => call.payload.toolName));
console.log(`Replica ${name}, process ${process.pid}, is asked: ${message}`);
for (const received of model.calls) console.log(`  the model receives ${toolNames(received).join(', ')}`);
console.log(`  it calls ${called.join(', ')} and says: ${text}`);
if (task === 'ask' && !called.includes('get_weather')) process.exitCode = 1;
