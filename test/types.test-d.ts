// Checked by `tsc -p .` alone: what the public types accept, and what they refuse (@ts-expect-error).
import { Agent } from '@mastra/core/agent';
import {
  ToolSearchProcessor as CoreProcessor,
  type ErrorProcessor,
  type InputProcessor,
  type Processor,
} from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import { createTool, type Tool } from '@mastra/core/tools';
import type { MCPClient } from '@mastra/mcp';
import { tool as aiTool } from 'ai';
import {
  type MastraTool,
  memoryStore,
  type PassthroughLimits,
  type ToolRecord,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
  type ToolsFunction,
} from 'mastra-tool-search';
import { z } from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles for true statements only. */
function holds<_Statements extends readonly true[]>(): void {}
/** Compiles for what the constructor takes. */
function options(_options: ToolSearchProcessorOptions): void {}

// Tools: any mixture in one record.
const weather = createTool({
  id: 'get_weather',
  description: 'Weather.',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ degrees: z.number() }),
  execute: async ({ city }) => ({ degrees: city.length }),
});
const email = createTool({
  id: 'send_email',
  description: 'Email.',
  inputSchema: z.object({ to: z.array(z.string()), urgent: z.boolean().optional() }),
  requireApproval: true,
  execute: async ({ to }) => to.length,
});
const clock = createTool({ id: 'clock', description: 'Time.', execute: async () => Date.now() });
declare const fromMcp: Awaited<ReturnType<MCPClient['listTools']>>;
declare const anyTools: Record<string, Tool>;
const tools = { weather, email, clock };
options({ tools: {} });
options({ tools });
options({ tools: { ...fromMcp, weather } });
options({ tools: anyTools });
options({ includeResolvedTools: true });
weather satisfies MastraTool;
// Also written inline, where TypeScript reads the types of a tool off what is expected.
options({
  tools: {
    weather: createTool({
      id: 'get_weather',
      description: 'Weather.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => city.length,
    }),
    office: { clock: createTool({ id: 'clock', description: 'Time.', execute: async () => Date.now() }) },
    email: aiTool({ description: 'Email.', inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => to }),
  },
});
// @ts-expect-error a list
options({ tools: [weather] });
// @ts-expect-error a list that was not awaited
options({ tools: Promise.resolve(fromMcp) });
// @ts-expect-error no tool
options({ tools: { weather: 'get_weather' } });

// Tools by server, and tools of a run.
declare const byServer: Awaited<ReturnType<MCPClient['listToolsets']>>;
declare const client: MCPClient;
options({ tools: byServer });
options({ tools: { office: { weather, email }, more: {} } });
options({ tools: () => tools });
options({ tools: async () => ({ ...fromMcp, weather }), timeouts: { tools: 5_000 } });
options({ tools: () => client.listTools() });
options({ tools: () => client.listToolsets() });
options({
  tools: ({ requestContext }) => {
    holds<[Equal<typeof requestContext, RequestContext | undefined>]>();
    return requestContext?.get('isAdmin') ? tools : { clock };
  },
});
((args) => (args.requestContext ? tools : {})) satisfies ToolsFunction;
fromMcp satisfies ToolRecord;
byServer satisfies ToolRecord;
// @ts-expect-error a list
options({ tools: () => [weather] });
// @ts-expect-error nothing
options({ tools: () => {} });
// @ts-expect-error no such argument
options({ tools: ({ user }) => ({ [user]: weather }) });
// @ts-expect-error milliseconds
options({ tools: () => tools, timeouts: { tools: '5s' } });
// @ts-expect-error too deep
options({ tools: { a: { b: { weather } } } });

// A small catalog.
options({ tools, passthroughBelow: 8 });
options({ tools, passthroughBelow: { tools: 8, tokens: 500 } });
const limits: PassthroughLimits = { tokens: 500 };
options({ tools, passthroughBelow: limits });
// @ts-expect-error a text
options({ tools, passthroughBelow: '8' });
// @ts-expect-error a flag
options({ tools, passthroughBelow: true });
// @ts-expect-error no such limit
options({ tools, passthroughBelow: { tool: 8 } });
options({ tools, onEvent: (event) => void (event.type === 'passthrough' && event.isSentWhole && event.below) });
options({ tools, onEvent: (event) => void (event.type === 'tools-failed' && event.error) });

const paused = createTool({
  id: 'paused',
  description: 'Waits.',
  suspendSchema: z.object({ why: z.string() }),
  resumeSchema: z.object({ go: z.boolean() }),
  execute: async () => 'ran',
});
const personal = createTool({
  id: 'personal',
  description: 'Knows the user.',
  requestContextSchema: z.object({ user: z.string() }),
  execute: async () => 'ran',
});
const aiSdk = aiTool({ description: 'AI SDK.', inputSchema: z.object({ a: z.string() }), execute: async ({ a }) => a });
const webSearch = { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} } as const;
options({ tools: { paused } });
options({ tools: { personal } });
options({ tools: { aiSdk } });
options({ tools: { webSearch } });

// A drop-in: what was written for the class of @mastra/core compiles.
declare const coreOptions: ConstructorParameters<typeof CoreProcessor>[0];
options(coreOptions);
export const agent: Agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'openai/gpt-5',
  inputProcessors: [new ToolSearchProcessor({ tools }), new CoreProcessor({ tools })],
});
declare const processor: ToolSearchProcessor;
processor satisfies InputProcessor & Processor<'tool-search'>;
processor satisfies ErrorProcessor;
new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Help.',
  model: 'anthropic/claude-sonnet-4-5',
  inputProcessors: [processor],
  errorProcessors: [processor],
});
holds<[Equal<typeof processor.id, 'tool-search'>, Equal<typeof processor.name, 'Tool Search Processor'>]>();
// @ts-expect-error the options are required
new ToolSearchProcessor();
// @ts-expect-error no such option
options({ tools, toolz: {} });

// Plain values.
options({
  tools,
  search: { topK: 3, minScore: -1, autoLoad: true },
  ttl: 0,
  injectCatalog: true,
  alwaysLoaded: ['clock'],
});
options({
  tools,
  alwaysLoaded: ['clock'] as const,
  metaTools: { search: { name: 'find' }, load: { description: 'Take.' } },
});
// @ts-expect-error a text
options({ tools, search: { topK: '5' } });
// @ts-expect-error one name
options({ tools, alwaysLoaded: 'clock' });
// @ts-expect-error the parameters have fixed names
options({ tools, metaTools: { search: { parameters: {} } } });
options({ tools, injectCatalog: 'names' });
// @ts-expect-error no such list
options({ tools, injectCatalog: 'all' });
// @ts-expect-error no such storage
options({ tools, storage: 'redis' });
// @ts-expect-error the factory
options({ tools, storage: memoryStore });
