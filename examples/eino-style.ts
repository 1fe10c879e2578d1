// One step instead of two, as in Eino: `tool_search` finds and loads at once. Run it with: npm run example:eino-style
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor, tieredScorer } from 'mastra-tool-search';
import { toolNames } from '../test/support/scripted-model.ts';
import { officeModel, tools } from './support/office.ts';

const model = officeModel('tool_search');
const agent = new Agent({
  id: 'office',
  name: 'Office',
  instructions: 'You help in an office.',
  model,
  inputProcessors: [
    new ToolSearchProcessor({
      tools,
      search: { autoLoad: true, topK: 2, scorer: tieredScorer() },
      metaTools: { search: { name: 'tool_search' } },
    }),
  ],
  defaultOptions: { maxSteps: 20 },
});

const { text } = await agent.generate('How is the weather in Bern?');
for (const [index, call] of model.calls.entries()) console.log(`Call ${index + 1} had ${toolNames(call).join(', ')}`);
console.log(text);
