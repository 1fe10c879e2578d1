// Type-checked against the installed peers: the class has to be a Processor of that version.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { bm25Scorer, type LoadedToolStore, memoryStore, ToolSearchProcessor } from 'mastra-tool-search';
import { z } from 'zod';

const greet = createTool({
  id: 'greet',
  description: 'Greets somebody',
  inputSchema: z.object({ name: z.string() }),
  execute: async () => ({ greeting: 'Hello' }),
});
const store: LoadedToolStore = memoryStore();

export const native: ToolSearchProcessor = new ToolSearchProcessor({
  tools: { greet },
  mode: 'native',
  native: { execution: 'server', detect: ({ provider }) => provider === 'mine' && 'anthropic' },
});
export const agent: Agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'openai/gpt-5',
  inputProcessors: [
    new ToolSearchProcessor({
      tools: {
        greet,
        leave: createTool({
          id: 'leave',
          description: 'Says goodbye',
          inputSchema: z.object({ name: z.string() }),
          execute: async () => ({ greeting: 'Goodbye' }),
        }),
      },
      storage: store,
      search: { scorer: bm25Scorer() },
      filter: ({ toolName, requestContext }) => requestContext?.get('plan') === 'pro' || toolName !== 'greet',
    }),
  ],
});
