// Compiled against the built package, under several compilers and settings: every kind of tool that "tools" takes.
import { Agent } from '@mastra/core/agent';
import { ToolSearchProcessor as CoreProcessor } from '@mastra/core/processors';
import { createTool, type Tool, type ToolAction } from '@mastra/core/tools';
import type { MCPClient } from '@mastra/mcp';
import { dynamicTool, jsonSchema, type ToolSet, tool } from 'ai';
import {
  type MastraTool,
  type ToolRecord,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolsFunction,
} from 'mastra-tool-search';
import { z } from 'zod';

// biome-ignore lint/suspicious/noExplicitAny: as @mastra/core types its option.
type LooseTool = Tool<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as @mastra/core types the tools of an agent.
type LooseAction = ToolAction<any, any, any, any, any>;

const input = z.object({ city: z.string(), days: z.number().optional() });
const output = z.object({ degrees: z.number() });

// Written inline.
new ToolSearchProcessor({
  tools: {
    plain: createTool({ id: 'plain', description: 'Plain.', execute: async () => 'done' }),
    withInput: createTool({
      id: 'with_input',
      description: 'With an input.',
      inputSchema: input,
      execute: async ({ city, days }) => `${city.toUpperCase()} ${days?.toFixed()}`,
    }),
    withOutput: createTool({
      id: 'with_output',
      description: 'With an input and an output.',
      inputSchema: input,
      outputSchema: output,
      execute: async ({ city }) => ({ degrees: city.length }),
    }),
    withContext: createTool({
      id: 'with_context',
      description: 'Reads its context.',
      inputSchema: input,
      requestContextSchema: z.object({ user: z.string() }),
      execute: async ({ city }, context) => `${city} ${context.requestContext?.get('user')}`,
    }),
    suspending: createTool({
      id: 'suspending',
      description: 'Asks.',
      inputSchema: input,
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      requireApproval: true,
      execute: async ({ city }, context) => {
        await context.agent?.suspend({ question: city });
        return context.agent?.resumeData?.answer;
      },
    }),
    withoutExecute: createTool({ id: 'without_execute', description: 'For the client.', inputSchema: input }),
    aiSdk: tool({ description: 'AI SDK.', inputSchema: input, execute: async ({ city }) => city.toUpperCase() }),
    aiSdkClient: tool({ description: 'AI SDK, for the client.', inputSchema: input }),
    aiSdkDynamic: dynamicTool({
      description: 'AI SDK, dynamic.',
      inputSchema: jsonSchema({ type: 'object', properties: {} }),
      execute: async (given) => given,
    }),
    webSearch: { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} },
  },
});

// As the class of @mastra/core takes them.
new CoreProcessor({
  tools: {
    withInput: createTool({ id: 'a', description: 'A.', inputSchema: input, execute: async ({ city }) => city.length }),
  },
});

// Named before.
const weather = createTool({
  id: 'weather',
  description: 'W.',
  inputSchema: input,
  execute: async ({ city }) => city.length,
});
const clock = createTool({ id: 'clock', description: 'C.', execute: async () => Date.now() });
const email = tool({
  description: 'E.',
  inputSchema: z.object({ to: z.string() }),
  execute: async ({ to }) => to.length,
});
const tools = { weather, clock, email };
export const processor: ToolSearchProcessor = new ToolSearchProcessor({ tools });
new ToolSearchProcessor({ tools: { weather, clock, email } });
new ToolSearchProcessor({ tools: { ...tools, weather } });

// Checked, and typed.
const checked = { weather, clock, email } satisfies ToolRecord;
const inlineChecked = {
  weather: createTool({
    id: 'weather',
    description: 'W.',
    inputSchema: input,
    execute: async ({ city }) => city.length,
  }),
} satisfies ToolRecord;
new ToolSearchProcessor({ tools: checked });
new ToolSearchProcessor({ tools: inlineChecked });
weather satisfies MastraTool;
const options = { tools: { weather }, filter: ({ toolName }) => toolName !== 'x' } satisfies ToolSearchProcessorOptions;
new ToolSearchProcessor(options);
const typed: Record<string, MastraTool> = { weather, clock };
const ofCore: Record<string, Tool> = { weather: clock };
const loose: Record<string, LooseTool> = { weather, clock };
declare const actions: Record<string, LooseAction>;
declare const fromAi: ToolSet;
new ToolSearchProcessor({ tools: typed });
new ToolSearchProcessor({ tools: ofCore });
new ToolSearchProcessor({ tools: loose });
new ToolSearchProcessor({ tools: actions });
new ToolSearchProcessor({ tools: fromAi });

// Of MCP servers.
declare const mcp: MCPClient;
export async function ofServers(): Promise<ToolSearchProcessor[]> {
  const { tools: listed } = await mcp.listToolsWithErrors();
  return [
    new ToolSearchProcessor({ tools: await mcp.listTools() }),
    new ToolSearchProcessor({ tools: await mcp.listToolsets() }),
    new ToolSearchProcessor({ tools: listed }),
    new ToolSearchProcessor({ tools: { ...listed, weather } }),
    new ToolSearchProcessor({ tools: { ...(await mcp.listToolsets()), weather } }),
    new ToolSearchProcessor({ tools: { office: { weather, clock }, ...(await mcp.listToolsets()) } }),
  ];
}

// By server, inline; and of a run.
new ToolSearchProcessor({
  tools: {
    office: {
      weather: createTool({
        id: 'weather',
        description: 'W.',
        inputSchema: input,
        execute: async ({ city }) => city.length,
      }),
    },
  },
});
new ToolSearchProcessor({
  tools: ({ requestContext }) => ({
    weather: createTool({
      id: 'weather',
      description: String(requestContext?.get('user')),
      inputSchema: input,
      execute: async ({ city }) => city.length,
    }),
  }),
});
new ToolSearchProcessor({
  tools: async () => ({
    ...(await mcp.listTools()),
    weather: createTool({
      id: 'weather',
      description: 'W.',
      inputSchema: input,
      execute: async ({ city }) => city.length,
    }),
  }),
});
new ToolSearchProcessor({ tools: () => mcp.listToolsets() });
(({ requestContext }) => (requestContext?.get('isAdmin') ? tools : {})) satisfies ToolsFunction;

// In an agent.
export const agent: Agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'openai/gpt-5',
  inputProcessors: [
    new ToolSearchProcessor({
      tools: {
        greet: createTool({ id: 'greet', description: 'G.', inputSchema: input, execute: async ({ city }) => city }),
      },
    }),
  ],
});

// What is no tool.
// @ts-expect-error a list
new ToolSearchProcessor({ tools: [weather] });
// @ts-expect-error not awaited
new ToolSearchProcessor({ tools: mcp.listTools() });
// @ts-expect-error a text
new ToolSearchProcessor({ tools: { weather: 'weather' } });
// @ts-expect-error an empty object
new ToolSearchProcessor({ tools: { weather: { description: 'Nothing else.' } } });
// @ts-expect-error too deep
new ToolSearchProcessor({ tools: { a: { b: { weather } } } });
// @ts-expect-error a list
new ToolSearchProcessor({ tools: () => [weather] });
// @ts-expect-error nothing
new ToolSearchProcessor({ tools: () => {} });
// @ts-expect-error no such argument
new ToolSearchProcessor({ tools: ({ user }) => ({ [user]: weather }) });
// @ts-expect-error milliseconds
new ToolSearchProcessor({ tools, timeouts: { tools: '5s' } });
